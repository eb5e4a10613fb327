package io.mgtm.group.net;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A server socket whose {@link #accept} gives connections that have their TLS handshake behind
 * them. Handshakes run on threads of their own, so that neither a slow or hostile peer nor a caller
 * that is busy keeps others from ending theirs. What goes beyond the bounds is closed.
 *
 * <p>One thread calls {@link #accept}; any thread may close.
 */
final class HandshakingServerSocket extends ServerSocket {
  private static final Logger log = LoggerFactory.getLogger(HandshakingServerSocket.class);

  private static final int HANDSHAKES_MAX = 32;
  private static final int READY_MAX = 64;
  private static final long LOOK_MS = 200;
  private static final long IDLE_S = 10;

  private final SSLSocketFactory factory;
  private final SSLParameters parameters;
  private final int handshakeMs;
  private final BlockingQueue<Socket> ready = new LinkedBlockingQueue<>(READY_MAX);
  private final ThreadPoolExecutor handshakes =
      new ThreadPoolExecutor(
          0,
          HANDSHAKES_MAX,
          IDLE_S,
          TimeUnit.SECONDS,
          new SynchronousQueue<>(),
          task -> daemon(task, "mgtm-tls-handshake"));
  private Thread listener;

  /**
   * A socket that is not bound yet.
   *
   * @param handshakeMs after which a handshake is given up
   */
  HandshakingServerSocket(SSLSocketFactory factory, SSLParameters parameters, int handshakeMs)
      throws IOException {
    this.factory = factory;
    this.parameters = parameters;
    this.handshakeMs = handshakeMs;
  }

  private static Thread daemon(Runnable task, String name) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }

  @Override
  public Socket accept() throws IOException {
    if (listener == null && !isClosed()) {
      listener = daemon(this::listen, "mgtm-tls-accept-" + getLocalPort());
      listener.start();
    }
    while (!isClosed()) {
      try {
        Socket next = ready.poll(LOOK_MS, TimeUnit.MILLISECONDS);
        if (next != null) {
          return next;
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new SocketException("interrupted while it waited for a connection");
      }
    }
    throw new SocketException("the socket is closed");
  }

  private void listen() {
    while (!isClosed()) {
      try {
        Socket plain = super.accept();
        try {
          handshakes.execute(() -> shakeHands(plain));
        } catch (RejectedExecutionException e) {
          log.warn("Too many handshakes at once, {} is sent away", plain.getRemoteSocketAddress());
          close(plain);
        }
      } catch (IOException e) {
        if (!isClosed()) {
          log.warn("No connection could be accepted at port {}: {}", getLocalPort(), e.toString());
          LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(LOOK_MS));
        }
      }
    }
  }

  private void shakeHands(Socket plain) {
    try {
      plain.setSoTimeout(handshakeMs);
      SSLSocket secure = (SSLSocket) factory.createSocket(plain, null, plain.getPort(), true);
      secure.setUseClientMode(false);
      secure.setSSLParameters(parameters);
      secure.startHandshake();
      secure.setSoTimeout(0);
      if (!ready.offer(secure) || isClosed()) {
        close(plain);
      }
    } catch (IOException e) {
      log.info("No connection with {}: {}", plain.getRemoteSocketAddress(), e.getMessage());
      close(plain);
    }
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      log.debug("A connection was not closed cleanly: {}", e.toString());
    }
  }

  @Override
  public void close() throws IOException {
    super.close();
    handshakes.shutdownNow();
    for (Socket left = ready.poll(); left != null; left = ready.poll()) {
      close(left);
    }
  }
}
