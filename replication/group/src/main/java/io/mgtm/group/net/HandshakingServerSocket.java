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
 * A server socket whose {@link #accept} gives connections that a {@link Gate} has admitted and that
 * have their handshake behind them: that of TLS, or a {@link PeerSocket}'s. Handshakes run on
 * threads of their own, so that neither a slow or hostile peer nor a caller that is busy keeps
 * others from ending theirs. What goes beyond the bounds is closed.
 *
 * <p>One thread calls {@link #accept}; any thread may close.
 */
final class HandshakingServerSocket extends ServerSocket {
  private static final Logger log = LoggerFactory.getLogger(HandshakingServerSocket.class);

  /** More than one address may have, see {@link Gate}. */
  private static final int HANDSHAKES_MAX = 2 * Gate.OF_ONE_ADDRESS_MAX;

  private static final int READY_MAX = 64;
  private static final long LOOK_MS = 200;
  private static final long IDLE_S = 10;

  /** What a connection is accepted into. */
  interface Fresh {
    Socket make() throws SocketException;
  }

  /** Gives a connection as its user sees it; ends within a bounded time. */
  interface Handshake {
    Socket of(Socket accepted) throws IOException;
  }

  private final Gate gate;
  private final Fresh fresh;
  private final Handshake handshake;
  private final Rarely failures = new Rarely();
  private final BlockingQueue<Socket> ready = new LinkedBlockingQueue<>(READY_MAX);
  private final ThreadPoolExecutor handshakes =
      new ThreadPoolExecutor(
          0,
          HANDSHAKES_MAX,
          IDLE_S,
          TimeUnit.SECONDS,
          new SynchronousQueue<>(),
          task -> daemon(task, "mgtm-group-handshake"));
  private Thread listener;

  /** A socket that is not bound yet. */
  HandshakingServerSocket(Gate gate, Fresh fresh, Handshake handshake) throws IOException {
    this.gate = gate;
    this.fresh = fresh;
    this.handshake = handshake;
  }

  /**
   * One whose handshakes are TLS.
   *
   * @param handshakeMs after which a handshake is given up
   */
  HandshakingServerSocket(
      Gate gate, SSLSocketFactory factory, SSLParameters parameters, int handshakeMs)
      throws IOException {
    this(gate, Socket::new, plain -> secure(plain, factory, parameters, handshakeMs));
  }

  private static Thread daemon(Runnable task, String name) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }

  @Override
  public Socket accept() throws IOException {
    if (listener == null && !isClosed()) {
      listener = daemon(this::listen, "mgtm-group-accept-" + getLocalPort());
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
        Socket plain = fresh.make();
        implAccept(plain);
        if (!gate.admits(plain.getRemoteSocketAddress(), () -> !plain.isClosed())) {
          close(plain);
          continue;
        }
        try {
          handshakes.execute(() -> shakeHands(plain));
        } catch (RejectedExecutionException e) {
          failures.run(
              more ->
                  log.warn(
                      "Too many handshakes at once, {} is sent away{}",
                      plain.getRemoteSocketAddress(),
                      more));
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
      if (!ready.offer(handshake.of(plain)) || isClosed()) {
        close(plain);
      }
    } catch (IOException e) {
      failures.run(
          more -> log.info("No connection with {}: {}{}", plain.getRemoteSocketAddress(), e, more));
      close(plain);
    }
  }

  private static Socket secure(
      Socket plain, SSLSocketFactory factory, SSLParameters parameters, int handshakeMs)
      throws IOException {
    plain.setSoTimeout(handshakeMs);
    SSLSocket secure = (SSLSocket) factory.createSocket(plain, null, plain.getPort(), true);
    secure.setUseClientMode(false);
    secure.setSSLParameters(parameters);
    secure.startHandshake();
    secure.setSoTimeout(0);
    return secure;
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
