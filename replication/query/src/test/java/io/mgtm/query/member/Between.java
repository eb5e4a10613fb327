package io.mgtm.query.member;

import io.mgtm.common.HostPort;
import io.mgtm.testing.Await;
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
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Passes on what is sent to a server. BEGIN can be made a word that the server refuses, and what
 * has a text in it can be held, with all that follows on its connection.
 */
final class Between implements AutoCloseable {
  private static final byte[] BEGIN = "BEGIN".getBytes(StandardCharsets.US_ASCII);

  /** After the type and the length of a Query. */
  private static final int TEXT_AT = 5;

  private final ServerSocket listener;
  private final HostPort server;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private volatile boolean garbles;
  private volatile String held;
  private final CountDownLatch holding = new CountDownLatch(1);
  private final CountDownLatch released = new CountDownLatch(1);

  Between(HostPort server) throws IOException {
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

  /** Holds the first request with this text. */
  void hold(String text) {
    held = text;
  }

  /** Waits until something is held. */
  void awaitHeld() {
    Await.until("a request to be held", () -> holding.getCount() == 0);
  }

  void release() {
    held = null;
    released.countDown();
  }

  private void holdIfAsked(byte[] bytes, int count) throws InterruptedException {
    String text = held;
    if (text != null && new String(bytes, 0, count, StandardCharsets.US_ASCII).contains(text)) {
      holding.countDown();
      released.await();
    }
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
        if (requests) {
          holdIfAsked(bytes, count);
        }
        out.write(bytes, 0, count);
      }
    } catch (IOException e) {
      open.remove(from); // one of both has ended
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
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
    release();
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
