package io.mgtm.block.rdma;

import io.mgtm.flash.AlignedBuffer;
import io.mgtm.rdma.RdmaChannel;
import io.mgtm.rdma.RdmaDomain;
import io.mgtm.rdma.RdmaException;
import io.mgtm.rdma.RdmaListener;
import io.netty.channel.ChannelHandler;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes connections at an RDMA port and gives each to a {@link RdmaLinkChannel} on one event loop.
 *
 * <p>A connection belongs to the thread that accepted it: that thread becomes the connection's pump
 * and another one goes on accepting.
 */
public final class RdmaAcceptor implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RdmaAcceptor.class);
  private static final int CONNECTIONS_MAX = 16;
  private static final long ACCEPT_MS = 2_000;
  private static final long PAUSE_MS = 200;

  private final RdmaDomain domain;
  private final RdmaListener listener;
  private final EventLoop loop;
  private final ChannelHandler initializer;
  private final AtomicInteger connections = new AtomicInteger();
  private final CountDownLatch stopped = new CountDownLatch(1);

  private RdmaAcceptor(
      RdmaDomain domain, RdmaListener listener, EventLoop loop, ChannelHandler initializer) {
    this.domain = domain;
    this.listener = listener;
    this.loop = loop;
    this.initializer = initializer;
  }

  /**
   * Listens at a local address of an interface with an RDMA device.
   *
   * @param initializer fills the pipeline of each channel
   * @throws IOException when the address has no device or the port is taken
   */
  public static RdmaAcceptor listen(
      InetSocketAddress address, EventLoop loop, ChannelHandler initializer) throws IOException {
    RdmaDomain domain = null;
    try {
      domain = RdmaDomain.open(address.getAddress());
      RdmaListener listener = RdmaListener.listen(domain, address.getPort(), CONNECTIONS_MAX);
      RdmaAcceptor acceptor = new RdmaAcceptor(domain, listener, loop, initializer);
      acceptor.acceptNext();
      return acceptor;
    } catch (RdmaException | UnsupportedOperationException e) {
      if (domain != null) {
        domain.close();
      }
      throw new IOException(e.getMessage(), e);
    }
  }

  /** Where it listens. */
  public InetSocketAddress localAddress() {
    return listener.localAddress();
  }

  private boolean isStopped() {
    return stopped.getCount() == 0;
  }

  private void acceptNext() {
    Thread thread = new Thread(this::accept, "rdma-at-" + listener.localAddress().getPort());
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    while (!isStopped()) {
      RdmaMemory memory = null;
      Optional<RdmaChannel> accepted = Optional.empty();
      try {
        memory = new RdmaMemory(domain);
        while (accepted.isEmpty() && !isStopped()) {
          accepted = RdmaChannel.accept(listener, memory.setup(), ACCEPT_MS);
        }
      } catch (RdmaException e) {
        LOG.warn("a source at {} was not taken: {}", localAddress(), e.getMessage());
        pause();
      } catch (IllegalStateException e) {
        if (!isStopped()) {
          LOG.error("RDMA at {} takes no more sources", localAddress(), e);
        }
        close();
      }
      if (accepted.isPresent()) {
        serve(accepted.get(), memory);
        return;
      }
      if (memory != null) {
        memory.close();
      }
    }
  }

  private void serve(RdmaChannel channel, RdmaMemory memory) {
    if (connections.incrementAndGet() > CONNECTIONS_MAX) {
      LOG.warn("a source at {} was not taken: there are {} already", localAddress(), connections);
      connections.decrementAndGet();
      channel.close();
      memory.close();
      acceptNext();
      return;
    }
    acceptNext();
    Registration registration = new Registration();
    RdmaPump pump = new RdmaPump(() -> channel, memory, registration);
    RdmaLinkChannel netty = new RdmaLinkChannel(pump, localAddress());
    registration.events = netty.events();
    var unused = netty.pipeline().addLast(initializer);
    loop.register(netty).syncUninterruptibly();
    try {
      pump.run();
    } finally {
      connections.decrementAndGet();
    }
  }

  /** The channel is made with its pump and so comes after it. */
  private static final class Registration implements RdmaPump.Events {
    private RdmaPump.Events events;

    @Override
    public void connected() {
      // The channel was active from its registration on.
    }

    @Override
    public void received(AlignedBuffer buffer, int length) {
      events.received(buffer, length);
    }

    @Override
    public void roomAgain() {
      events.roomAgain();
    }

    @Override
    public void ended(String failure) {
      events.ended(failure);
    }
  }

  private void pause() {
    try {
      if (stopped.await(PAUSE_MS, TimeUnit.MILLISECONDS)) {
        LOG.debug("stopped while pausing");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Takes no more connections; those that are there stay. */
  @Override
  public void close() {
    stopped.countDown();
    listener.close();
    domain.close();
  }
}
