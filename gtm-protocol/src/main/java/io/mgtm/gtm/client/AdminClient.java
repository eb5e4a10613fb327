package io.mgtm.gtm.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.mgtm.gtm.command.GatewayKind;
import io.mgtm.gtm.wire.WireException;
import io.mgtm.gtm.wire.link.AdminReplyKind;
import io.mgtm.gtm.wire.link.Leadership;
import io.mgtm.gtm.wire.link.LinkFormat;
import io.mgtm.gtm.wire.link.LinkSecret;
import io.mgtm.gtm.wire.link.LinkWriter;
import io.mgtm.gtm.wire.link.NodeFrameDecoder;
import io.mgtm.gtm.wire.link.NodeFrameHandler;
import io.mgtm.gtm.wire.link.RefusalCode;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.net.UnixDomainSocketAddress;
import javax.net.SocketFactory;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/**
 * An operator's link to one node: asks, and waits for the answer. For one thread at a time.
 *
 * <p>Everything that can go wrong is an IOException whose message is a sentence for an operator.
 */
public final class AdminClient implements AutoCloseable {
  private static final int BUFFER_BYTES = 64 * 1024;
  private static final String NAME = "admin";
  private static final byte XC_ERROR = 'E';

  /**
   * How to reach nodes.
   *
   * @param timeoutMs for the connection, and for each piece of an answer
   * @param secret null when the group has none
   * @param sockets makes plain or TLS sockets
   */
  public record Settings(int timeoutMs, LinkSecret secret, SocketFactory sockets) {}

  /** An answer of a node. */
  public static final class Answer {
    private final AdminReplyKind kind;
    private final byte[] bytes;

    private Answer(AdminReplyKind kind, byte[] bytes) {
      this.kind = kind;
      this.bytes = bytes;
    }

    /** {@code DONE}, {@code FAILED} or {@code REDIRECT}. */
    public AdminReplyKind kind() {
      return kind;
    }

    /** What was answered. */
    public byte[] bytes() {
      return bytes.clone();
    }

    /** The bytes as text. */
    public String text() {
      return new String(bytes, UTF_8);
    }
  }

  private final SocketAddress address;
  private final Settings settings;
  private final Socket socket;
  private final InputStream input;
  private final ByteBuf incoming = Unpooled.buffer(BUFFER_BYTES);
  private final Frames frames = new Frames();
  private final NodeFrameDecoder decoder = new NodeFrameDecoder(LinkFormat.FRAME_BYTES_MAX, frames);
  private long requests;

  private AdminClient(SocketAddress address, Settings settings, Socket socket) throws IOException {
    this.address = address;
    this.settings = settings;
    this.socket = socket;
    this.input = socket.getInputStream();
  }

  /**
   * Connects, and says who asks.
   *
   * @throws IOException when the node cannot be reached or refuses
   */
  public static AdminClient connect(SocketAddress address, Settings settings) throws IOException {
    if (address instanceof InetSocketAddress inet && inet.isUnresolved()) {
      throw new IOException(
          "cannot connect to the GTM at " + text(address) + ": the host name is not known");
    }
    boolean here = address instanceof UnixDomainSocketAddress;
    Socket socket = here ? UnixSocket.suiting(address) : settings.sockets().createSocket();
    try {
      socket.setTcpNoDelay(true);
      wantNodesCertificate(socket);
      socket.connect(address, settings.timeoutMs());
      socket.setSoTimeout(settings.timeoutMs());
      AdminClient client = new AdminClient(address, settings, socket);
      client.start();
      return client;
    } catch (NodeException | NodeRefusedException e) {
      socket.close();
      throw e;
    } catch (IOException e) {
      socket.close();
      throw new IOException(
          "cannot connect to the GTM at %s: %s"
              .formatted(text(address), e.getMessage() == null ? e : e.getMessage()),
          e);
    }
  }

  /** A certificate of the same authority for another name may be anybody's. */
  private static void wantNodesCertificate(Socket socket) {
    if (socket instanceof SSLSocket tls) {
      SSLParameters parameters = tls.getSSLParameters();
      parameters.setEndpointIdentificationAlgorithm("HTTPS");
      tls.setSSLParameters(parameters);
    }
  }

  private static String text(SocketAddress address) {
    return UnixSocket.text(address);
  }

  private void start() throws IOException {
    ByteBuf out = Unpooled.buffer();
    LinkWriter.preface(out, LinkFormat.VERSION_ENTRIES); // It asks for nothing newer.
    LinkWriter.hello(out, NAME, GatewayKind.PROXY);
    send(out);
    while (frames.leadership == null) {
      receive();
      if (frames.nonce != null && frames.leadership == null) {
        answerChallenge();
      }
    }
  }

  private void answerChallenge() throws IOException {
    if (settings.secret() == null) {
      throw refused("it asks for a secret, and none was given: use --secret-file");
    }
    ByteBuf out = Unpooled.buffer();
    LinkWriter.auth(out, settings.secret().answer(frames.nonce, NAME));
    frames.nonce = null;
    send(out);
  }

  /** How the node stood when it was asked last. */
  public Leadership leadership() {
    return frames.leadership;
  }

  /**
   * Asks the node.
   *
   * @param argument of the verb, or empty
   */
  public Answer ask(String verb, String argument) throws IOException {
    ByteArrayOutputStream whole = new ByteArrayOutputStream();
    Answer answer = ask(verb, argument, whole);
    boolean done = answer.kind() == AdminReplyKind.DONE;
    return done ? new Answer(answer.kind(), whole.toByteArray()) : answer;
  }

  /**
   * Asks for something long.
   *
   * @param into gets it as it comes, if it is answered; what it throws is thrown here
   * @return the answer without it
   */
  public Answer ask(String verb, String argument, OutputStream into) throws IOException {
    long id = ++requests;
    frames.expect(id, into);
    ByteBuf out = Unpooled.buffer();
    LinkWriter.admin(out, id, verb, argument);
    send(out);
    while (frames.kind == null) {
      receive();
    }
    return new Answer(frames.kind, frames.why);
  }

  private void send(ByteBuf out) throws IOException {
    socket.getOutputStream().write(out.array(), out.arrayOffset(), out.readableBytes());
  }

  private void receive() throws IOException {
    try {
      incoming.discardReadBytes().ensureWritable(BUFFER_BYTES);
      boolean ended = incoming.writeBytes(input, incoming.writableBytes()) < 0;
      if (!frames.heard && (ended || isXcError())) {
        throw new NodeRefusedException(
            "what listens at %s is no node of mgtm: it does not take links"
                .formatted(text(address)),
            false);
      }
      if (ended) {
        throw broken("it closed the connection");
      }
      decoder.decode(incoming);
    } catch (SocketTimeoutException e) {
      throw new NodeException(
          "the node at %s did not answer within %d ms"
              .formatted(text(address), settings.timeoutMs()));
    } catch (WireException e) {
      throw broken(e.getMessage());
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    if (frames.refusal != null) {
      throw refused(frames.refusal);
    }
  }

  /** A proxy or an original GTM refuses the preface with an error, which begins with this. */
  private boolean isXcError() {
    return incoming.isReadable() && incoming.getByte(incoming.readerIndex()) == XC_ERROR;
  }

  private IOException refused(String why) {
    return new NodeRefusedException("the node at " + text(address) + ": " + why, true);
  }

  private IOException broken(String how) {
    return new NodeException("the node at " + text(address) + ": " + how);
  }

  /** The link has broken; the message says which, and how. */
  private static final class NodeException extends IOException {
    private static final long serialVersionUID = 1L;

    NodeException(String message) {
      super(message);
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }

  /** What the node said. */
  private static final class Frames implements NodeFrameHandler {
    private OutputStream into;
    private byte[] why;
    private boolean heard;
    private byte[] nonce;
    private Leadership leadership;
    private String refusal;
    private long id;
    private AdminReplyKind kind;

    void expect(long request, OutputStream answer) {
      id = request;
      kind = null;
      into = answer;
      why = new byte[0];
    }

    @Override
    public void challenge(byte[] given) {
      heard = true;
      nonce = given;
    }

    @Override
    public void leadership(Leadership now) {
      heard = true;
      leadership = now;
    }

    @Override
    public void refused(long session, RefusalCode code, String message, String hint) {
      heard = true;
      refusal = message + (hint.isEmpty() ? "" : ". " + hint);
    }

    @Override
    public void adminReply(long of, AdminReplyKind what, ByteBuf piece) throws WireException {
      if (of != id) {
        throw new WireException("it answered request " + of + " instead of " + id);
      }
      byte[] bytes = new byte[piece.readableBytes()];
      piece.getBytes(piece.readerIndex(), bytes);
      if (what == AdminReplyKind.PIECE || what == AdminReplyKind.DONE) {
        write(bytes);
      } else {
        why = bytes;
      }
      if (what != AdminReplyKind.PIECE) {
        kind = what;
      }
    }

    private void write(byte[] bytes) {
      try {
        into.write(bytes);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
