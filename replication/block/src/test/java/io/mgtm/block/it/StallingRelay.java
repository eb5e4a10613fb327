package io.mgtm.block.it;

import io.mgtm.testing.OwnAddress;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A line between a source and its target that a test can make stand still: bytes of the source are
 * taken no more, those of the target go on, and neither end sees a connection break.
 */
final class StallingRelay implements AutoCloseable {
  private static final int PIECE_BYTES = 64 * 1024;

  private final ServerSocket listener =
      new ServerSocket(0, 8, InetAddress.getByName(OwnAddress.HOST));
  private final int targetPort;
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();
  private final AtomicLong forwarded = new AtomicLong();
  private final Object gate = new Object();
  private boolean stalled;

  StallingRelay(int targetPort) throws IOException {
    this.targetPort = targetPort;
    begin("relay", this::accept);
  }

  /** What the source connects to, as HOST:PORT. */
  String address() {
    return OwnAddress.HOST + ":" + listener.getLocalPort();
  }

  /** From here on nothing more reaches the target. */
  void stall() {
    synchronized (gate) {
      stalled = true;
    }
  }

  /** Bytes of the source that went on to the target. */
  long forwardedBytes() {
    return forwarded.get();
  }

  /** Work that ends with its connection. */
  @FunctionalInterface
  private interface Work {
    void run() throws IOException, InterruptedException;
  }

  private static void begin(String name, Work work) {
    Thread thread =
        new Thread(
            () -> {
              try {
                work.run();
              } catch (IOException | InterruptedException e) {
                // Closed, by one of its ends or by the test.
                Thread.currentThread().interrupt();
              }
            },
            name);
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() throws IOException {
    while (true) {
      Socket source = listener.accept();
      Socket target;
      try {
        target = new Socket(InetAddress.getByName(OwnAddress.HOST), targetPort);
      } catch (ConnectException e) {
        // Nobody is there now: the source hears that, and tries again.
        source.close();
        continue;
      }
      // The answer to a flush must not wait for more to send.
      source.setTcpNoDelay(true);
      target.setTcpNoDelay(true);
      sockets.addAll(List.of(source, target));
      begin("relay to target", () -> copy(source, target, true));
      begin("relay to source", () -> copy(target, source, false));
    }
  }

  private void copy(Socket from, Socket to, boolean gated)
      throws IOException, InterruptedException {
    byte[] piece = new byte[PIECE_BYTES];
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int count = in.read(piece); count >= 0; count = in.read(piece)) {
        if (gated) {
          pass();
          forwarded.addAndGet(count);
        }
        out.write(piece, 0, count);
      }
    }
  }

  private void pass() throws InterruptedException {
    synchronized (gate) {
      while (stalled) {
        gate.wait();
      }
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
    for (Socket socket : sockets) {
      socket.close();
    }
  }
}
