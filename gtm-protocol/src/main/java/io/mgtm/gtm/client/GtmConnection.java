package io.mgtm.gtm.client;

import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.Reply;
import io.mgtm.gtm.wire.WireException;
import io.mgtm.gtm.wire.xc12.ReplyDecoder;
import io.mgtm.gtm.wire.xc12.ReplyHandler;
import io.mgtm.gtm.wire.xc12.RequestEncoder;
import io.mgtm.gtm.wire.xc12.ResultType;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;

/**
 * One connection, one request at a time. After any exception but a {@link GtmErrorException} that
 * is not fatal, it is of no more use: a late reply would be taken for that of the next request.
 */
final class GtmConnection implements AutoCloseable, ReplyHandler {
  private static final int BUFFER_BYTES = 8 * 1024;

  private final SocketAddress address;
  private final ClientSettings settings;
  private final Socket socket;
  private final InputStream input;
  private final OutputStream output;
  private final RequestEncoder encoder = new RequestEncoder();
  private final ReplyDecoder decoder;
  private final ByteBuf outgoing = Unpooled.buffer(BUFFER_BYTES);
  private final ByteBuf incoming = Unpooled.buffer(BUFFER_BYTES);
  private boolean answered;
  private Reply reply;
  private GtmErrorException error;

  private GtmConnection(SocketAddress address, ClientSettings settings, Socket socket)
      throws IOException {
    this.address = address;
    this.settings = settings;
    this.socket = socket;
    this.input = socket.getInputStream();
    this.output = socket.getOutputStream();
    this.decoder = new ReplyDecoder(settings.replyBytesMax(), false, this);
  }

  static GtmConnection open(SocketAddress address, ClientSettings settings) throws IOException {
    if (address instanceof InetSocketAddress inet && inet.isUnresolved()) {
      throw new IOException(
          "cannot connect to the GTM at " + text(address) + ": the host name is not known");
    }
    Socket socket = UnixSocket.suiting(address);
    try {
      socket.setTcpNoDelay(true);
      socket.connect(address, settings.connectTimeoutMs());
      socket.setSoTimeout(settings.readTimeoutMs());
      GtmConnection connection = new GtmConnection(address, settings, socket);
      connection.start();
      return connection;
    } catch (GtmErrorException e) {
      socket.close();
      throw e;
    } catch (IOException e) {
      socket.close();
      throw new IOException("cannot connect to the GTM at " + text(address) + ": " + why(e), e);
    }
  }

  private static String text(SocketAddress address) {
    return UnixSocket.text(address);
  }

  private static String why(IOException e) {
    return e.getMessage() == null ? e.toString() : e.getMessage();
  }

  private void start() throws IOException {
    encoder.startup(outgoing.clear(), settings.startup());
    send();
    receive("the startup packet");
  }

  /** Sends a command and waits for its reply. */
  Reply call(Command command) throws IOException {
    encode(command);
    send();
    receive(command.type().toString());
    if (reply == null) {
      throw broken("it answered " + command.type() + " as if it were a startup packet", null);
    }
    return reply;
  }

  /** Sends a command that no reply comes to. */
  void tell(Command command) throws IOException {
    encode(command);
    send();
  }

  private void encode(Command command) {
    encoder.command(outgoing.clear(), false, Command.NO_BACKEND, command);
  }

  private void send() throws IOException {
    output.write(outgoing.array(), outgoing.arrayOffset(), outgoing.readableBytes());
  }

  private void receive(String what) throws IOException {
    answered = false;
    reply = null;
    error = null;
    try {
      decoder.decode(incoming);
      while (!answered) {
        incoming
            .discardReadBytes()
            .ensureWritable(Math.max(BUFFER_BYTES, decoder.missingBytes(incoming)));
        if (incoming.writeBytes(input, incoming.writableBytes()) < 0) {
          throw new IOException(
              "the GTM at " + text(address) + " closed the connection before it answered " + what);
        }
        decoder.decode(incoming);
      }
    } catch (SocketTimeoutException e) {
      throw new IOException(
          "the GTM at "
              + text(address)
              + " did not answer "
              + what
              + " within "
              + settings.readTimeoutMs()
              + " ms",
          e);
    } catch (WireException e) {
      throw broken(e.getMessage() + (e.hint().isEmpty() ? "" : "; " + e.hint()), e);
    }
    if (error != null) {
      throw error;
    }
  }

  private IOException broken(String how, Exception cause) {
    return new IOException("the GTM at " + text(address) + " broke the protocol: " + how, cause);
  }

  @Override
  public void startupAccepted() {
    answered = true;
  }

  @Override
  public void reply(ResultType type, short backend, Reply decoded) {
    answered = true;
    reply = decoded;
  }

  @Override
  public void error(short backend, boolean fatal, String message, String hint) {
    answered = true;
    error = new GtmErrorException(fatal, message, hint);
  }

  /** Says that it leaves, as far as that can be sent, and closes. */
  @Override
  public void close() throws IOException {
    try (socket) {
      sayGoodbye();
    }
  }

  private void sayGoodbye() {
    encoder.terminate(outgoing.clear());
    try {
      send();
    } catch (IOException e) {
      // A courtesy: the server sees the connection close all the same, or is gone itself.
      outgoing.clear();
    }
  }
}
