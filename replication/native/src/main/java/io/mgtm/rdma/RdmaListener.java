package io.mgtm.rdma;

import io.mgtm.jni.Errno;
import io.mgtm.jni.Wakeup;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Waits for peers at a port of a domain's address. Any thread; one accepts at a time, and {@link
 * #close()} by another one ends its wait.
 */
public final class RdmaListener implements AutoCloseable {

  private static final Cleaner CLEANER = Cleaner.create();

  private final RdmaDomain domain;
  private final Open open;
  private final Cleaner.Cleanable cleanable;
  private final ReentrantLock lock = new ReentrantLock();
  private final InetSocketAddress address;
  private volatile boolean closed;

  private RdmaListener(RdmaDomain domain, Open open) {
    this.domain = domain;
    this.open = open;
    address = new InetSocketAddress(domain.localAddress(), ListenerCalls.port(open.handle));
    cleanable = CLEANER.register(this, open);
  }

  /**
   * Listens.
   *
   * @param port the port, or 0 for a free one
   * @param backlog how many requests may wait
   * @throws RdmaException EADDRINUSE when the port is taken, or what else the system says
   */
  public static RdmaListener listen(RdmaDomain domain, int port, int backlog) throws RdmaException {
    if (port < 0 || port > 65535 || backlog < 1) {
      throw new IllegalArgumentException("port " + port + " with backlog " + backlog);
    }
    long device = domain.acquire();
    Wakeup wakeup = Wakeup.create();
    long handle = ListenerCalls.open(device, port, backlog, wakeup.fd());
    if (handle < 0 && handle > -4096) {
      wakeup.close();
      domain.release();
      throw new RdmaException("listening at port " + port + " of " + domain, (int) -handle);
    }
    return new RdmaListener(domain, new Open(handle, wakeup, domain));
  }

  /** The address with the real port. */
  public InetSocketAddress localAddress() {
    return address;
  }

  /**
   * Waits for a peer. The connection is prepared: read {@link RdmaConnection#peerData()}, post
   * receives, and {@link RdmaConnection#establish} or {@link RdmaConnection#close} it.
   *
   * @return the connection, or nothing when none came in time
   * @throws RdmaException when the device is gone or a request could not be taken
   * @throws IllegalStateException when the listener is closed, also while this waits
   */
  public Optional<RdmaConnection> accept(RdmaOptions options, long timeoutMs) throws RdmaException {
    RdmaConnection.checkTimeout(timeoutMs);
    lock.lock();
    try {
      if (closed) {
        throw new IllegalStateException("the listener at " + address + " is closed");
      }
      long answer = ListenerCalls.next(open.handle, timeoutMs);
      if (answer == -Errno.ECANCELED.code()) {
        throw new IllegalStateException("the listener at " + address + " is closed");
      }
      if (answer == -Errno.ETIMEDOUT.code()) {
        return Optional.empty();
      }
      if (answer < 0 && answer > -4096) {
        throw new RdmaException("accepting at " + address, (int) -answer);
      }
      return Optional.of(RdmaConnection.build(answer, domain, "a peer at " + address, options));
    } finally {
      lock.unlock();
      Reference.reachabilityFence(this);
    }
  }

  /** Stops listening; connections stay. Further calls do nothing. */
  @Override
  public void close() {
    closed = true;
    open.wakeup.signal();
    lock.lock();
    try {
      cleanable.clean();
    } finally {
      lock.unlock();
    }
  }

  private static final class Open implements Runnable {
    private final long handle;
    private final Wakeup wakeup;
    private final RdmaDomain domain;

    Open(long handle, Wakeup wakeup, RdmaDomain domain) {
      this.handle = handle;
      this.wakeup = wakeup;
      this.domain = domain;
    }

    @Override
    public void run() {
      ListenerCalls.close(handle);
      wakeup.close();
      domain.release();
    }
  }
}
