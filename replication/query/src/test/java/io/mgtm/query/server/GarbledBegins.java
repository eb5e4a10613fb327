package io.mgtm.query.server;

import io.mgtm.common.HostPort;
import io.mgtm.testing.OwnAddress;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Passes on what is sent to a server, of which BEGIN can be made a word that it refuses. */
final class GarbledBegins implements AutoCloseable {
  private static final byte[] BEGIN = "BEGIN".getBytes(StandardCharsets.US_ASCII);

  /** After the type and the length of a Query. */
  private static final int TEXT_AT = 5;

  private final ServerSocket listener;
  private final HostPort server;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private volatile boolean garbles;

  GarbledBegins(HostPort server) throws IOException {
    this.server = server;
    this.listener = new ServerSocket(0, 50, InetAddress.getByName(OwnAddress.HOST));
    threads.execute(this::accept);
  }

  HostPort address() {
    return new HostPort(OwnAddress.HOST, listener.getLocalPort());
  }

  void garble(boolean from) {
    garbles = from;
  }

  private void accept() {
    try {
      while (true) {
        Socket client = listener.accept();
        Socket behind = new Socket(server.host(), server.port());
        for (Socket one : new Socket[] {client, behind}) {
          one.setTcpNoDelay(true);
          open.add(one);
        }
        threads.execute(() -> pass(client, behind, true));
        threads.execute(() -> pass(behind, client, false));
      }
    } catch (IOException e) {
      close(); // the test is over, or its server
    }
  }

  private void pass(Socket from, Socket to, boolean requests) {
    byte[] bytes = new byte[1 << 16];
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int count = in.read(bytes); count > 0; count = in.read(bytes)) {
        if (requests && garbles) {
          garble(bytes, count);
        }
        out.write(bytes, 0, count);
      }
    } catch (IOException e) {
      open.remove(from); // one of both has ended
    }
  }

  private static void garble(byte[] bytes, int count) {
    for (int at = 0; at + TEXT_AT + BEGIN.length <= count; at++) {
      boolean begins = bytes[at] == 'Q' && bytes[at + 1] == 0;
      for (int i = 0; begins && i < BEGIN.length; i++) {
        begins = bytes[at + TEXT_AT + i] == BEGIN[i];
      }
      if (begins) {
        bytes[at + TEXT_AT] = 'P';
      }
    }
  }

  @Override
  public void close() {
    threads.shutdown();
    try {
      listener.close();
      for (Socket one : open) {
        one.close();
      }
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
