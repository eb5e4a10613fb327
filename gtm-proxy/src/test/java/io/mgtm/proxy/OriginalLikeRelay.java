package io.mgtm.proxy;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Stands before a GTM and behaves as the original does to who does not begin with a startup packet:
 * it answers with an error and closes. All its connections can be broken at once.
 */
final class OriginalLikeRelay implements Closeable {
  private static final byte[] ERROR = {
    'E', 0, 0, 0, 18, 'S', 'E', 'R', 'R', 'O', 'R', 0, 'M', 'n', 'o', '!', 0, 0, 0
  };

  private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  private final InetSocketAddress target;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

  OriginalLikeRelay(InetSocketAddress target) throws IOException {
    this.target = target;
    daemon(this::accept);
  }

  InetSocketAddress address() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), listener.getLocalPort());
  }

  private static void daemon(Runnable task) {
    Thread thread = new Thread(task, "relay");
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    try {
      while (true) {
        Socket client = listener.accept();
        sockets.add(client);
        daemon(() -> serve(client));
      }
    } catch (IOException e) {
      if (!listener.isClosed()) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private void serve(Socket client) {
    try (client) {
      InputStream in = client.getInputStream();
      int first = in.read();
      if (first != 'A') {
        client.getOutputStream().write(ERROR);
        return;
      }
      try (Socket server = new Socket(target.getAddress(), target.getPort())) {
        sockets.add(server);
        server.getOutputStream().write(first);
        daemon(() -> copy(server, client));
        in.transferTo(server.getOutputStream());
      }
    } catch (IOException e) {
      sockets.remove(client); // Broken by a test, or by a peer that has ended.
    }
  }

  private void copy(Socket from, Socket to) {
    try (from;
        to) {
      OutputStream out = to.getOutputStream();
      from.getInputStream().transferTo(out);
    } catch (IOException e) {
      sockets.remove(from); // The other direction ends by it too.
    }
  }

  /** Breaks every connection. */
  void breakAll() throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
    sockets.clear();
  }

  @Override
  public void close() throws IOException {
    listener.close();
    breakAll();
  }
}
