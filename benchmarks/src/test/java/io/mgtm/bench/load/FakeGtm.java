package io.mgtm.bench.load;

import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.Reply;
import io.mgtm.gtm.command.SessionCommand;
import io.mgtm.gtm.state.GtmState;
import io.mgtm.gtm.wire.WireException;
import io.mgtm.gtm.wire.xc12.FrameLimits;
import io.mgtm.gtm.wire.xc12.MessageType;
import io.mgtm.gtm.wire.xc12.ReplyEncoder;
import io.mgtm.gtm.wire.xc12.RequestDecoder;
import io.mgtm.gtm.wire.xc12.RequestHandler;
import io.mgtm.gtm.wire.xc12.Startup;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/** A GTM on the real state and codec, whose replies a {@link Fault} may falsify. */
final class FakeGtm implements AutoCloseable {

  /** What is answered instead of the right reply. */
  interface Fault {
    /**
     * The reply to send; null to close the connection instead. Called in the order of apply. A
     * session that asks has received all that it was answered before.
     */
    Reply falsify(long session, Command command, Reply right);
  }

  private final ServerSocket listener;
  private final GtmState state = new GtmState(10_000);
  private final Fault fault;
  private final AtomicLong sessions = new AtomicLong();
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();
  private final List<Thread> threads = new CopyOnWriteArrayList<>();

  FakeGtm(Fault fault) throws IOException {
    this.fault = fault;
    listener = new ServerSocket(0, 128, InetAddress.getLoopbackAddress());
    begin(this::accept);
  }

  InetSocketAddress address() {
    return (InetSocketAddress) listener.getLocalSocketAddress();
  }

  private void begin(Runnable task) {
    Thread thread = new Thread(task, "fake-gtm");
    threads.add(thread);
    thread.start();
  }

  private void accept() {
    try {
      while (true) {
        Socket socket = listener.accept();
        socket.setTcpNoDelay(true);
        sockets.add(socket);
        begin(() -> serve(socket));
      }
    } catch (IOException e) {
      if (!listener.isClosed()) {
        throw new java.io.UncheckedIOException(e);
      }
    }
  }

  private void serve(Socket socket) {
    long session = sessions.incrementAndGet();
    Replies replies = new Replies(session);
    RequestDecoder decoder = new RequestDecoder(FrameLimits.FRAME_BYTES_MAX, replies);
    decoder.session(session);
    ByteBuf in = Unpooled.buffer();
    try (socket) {
      InputStream bytes = socket.getInputStream();
      while (in.writeBytes(bytes, 8 * 1024) > 0) {
        decoder.decode(in);
        in.discardReadBytes();
        replies.out.readBytes(socket.getOutputStream(), replies.out.readableBytes());
        if (replies.close) {
          return;
        }
      }
    } catch (IOException | WireException e) {
      // A client that has gone, which some tests make it do.
      in.clear();
    } finally {
      synchronized (state) {
        state.beginEntry(1);
        state.apply(new SessionCommand.CloseSession(session));
      }
    }
  }

  private final class Replies implements RequestHandler {
    private final ByteBuf out = Unpooled.buffer();
    private final ReplyEncoder encoder = new ReplyEncoder();
    private final long session;
    private boolean close;

    Replies(long session) {
      this.session = session;
    }

    @Override
    public void startup(Startup startup) {
      encoder.startupAccepted(out);
    }

    @Override
    public void command(MessageType type, short backend, Command command) {
      synchronized (state) {
        state.beginEntry(1);
        Reply reply = fault.falsify(session, command, state.apply(command));
        if (reply == null) {
          close = true;
        } else {
          encoder.encode(out, false, backend, reply);
        }
      }
    }

    @Override
    public void refused(MessageType type, short backend, String message, String hint) {
      encoder.error(out, false, backend, false, message, hint);
    }

    @Override
    public void terminate() {
      close = true;
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
    for (Socket socket : sockets) {
      socket.close();
    }
    try {
      for (Thread thread : threads) {
        thread.join(5_000);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
