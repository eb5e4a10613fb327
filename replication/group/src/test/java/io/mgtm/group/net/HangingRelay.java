package io.mgtm.group.net;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Passes on what comes until it hangs; then nothing goes through, and nothing is closed. */
final class HangingRelay implements Closeable {
  private final ServerSocket listening;
  private final List<Socket> open = new CopyOnWriteArrayList<>();
  private volatile boolean hangs;

  HangingRelay(InetSocketAddress at, InetSocketAddress to) throws IOException {
    listening = new ServerSocket(at.getPort(), 50, at.getAddress());
    start(
        () -> {
          while (true) {
            Socket from = kept(listening.accept());
            if (!hangs) {
              Socket onward = kept(new Socket(to.getAddress(), to.getPort()));
              start(() -> copy(from, onward));
              start(() -> copy(onward, from));
            }
          }
        });
  }

  private interface Work {
    void run() throws IOException;
  }

  private static void start(Work work) {
    Thread thread =
        new Thread(
            () -> {
              try {
                work.run();
              } catch (IOException e) {
                Thread.currentThread().interrupt(); // one end is closed
              }
            },
            "relay");
    thread.setDaemon(true);
    thread.start();
  }

  private Socket kept(Socket socket) {
    open.add(socket);
    return socket;
  }

  private void copy(Socket from, Socket onward) throws IOException {
    try (from;
        onward) {
      InputStream in = from.getInputStream();
      OutputStream out = onward.getOutputStream();
      byte[] bytes = new byte[8_192];
      for (int n = in.read(bytes); n >= 0; n = in.read(bytes)) {
        if (!hangs) {
          out.write(bytes, 0, n);
        }
      }
    }
  }

  void hang() {
    hangs = true;
  }

  @Override
  public void close() throws IOException {
    listening.close();
    for (Socket socket : open) {
      socket.close();
    }
  }
}
