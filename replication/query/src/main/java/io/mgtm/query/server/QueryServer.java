package io.mgtm.query.server;

import io.mgtm.query.config.ConfigException;
import io.mgtm.query.config.HostPort;
import io.mgtm.query.config.QueryConfig;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** A query replicator: its event loops, its listener, its sessions. Any thread. */
public final class QueryServer implements AutoCloseable {
  private static final int CLOSE_MS = 2_000;
  private static final int POLL_MS = 10;

  private final QueryConfig config;
  private final MultiThreadIoEventLoopGroup loops;
  private final AtomicBoolean closed = new AtomicBoolean();
  private Entrance entrance;
  private Channel listener;

  private QueryServer(QueryConfig config) {
    this.config = config;
    this.loops = Loops.start(config.threads());
  }

  /**
   * Listens. No server is connected to before a client comes.
   *
   * @param config validated
   * @throws IOException when the address cannot be listened on, or a key or the password cannot be
   *     read
   * @throws ConfigException when a value is wrong
   */
  public static QueryServer start(QueryConfig config) throws IOException, ConfigException {
    QueryServer server = new QueryServer(config);
    try {
      server.listen();
      return server;
    } catch (IOException | ConfigException | RuntimeException e) {
      server.close();
      throw e;
    }
  }

  private void listen() throws IOException, ConfigException {
    entrance = new Entrance(config, loops.next());
    HostPort at = config.listen();
    ChannelFuture bound =
        Loops.listener(loops, config.limits().outboundBytesMax())
            .childHandler(entrance)
            .bind(at.host(), at.port())
            .awaitUninterruptibly();
    if (!bound.isSuccess()) {
      throw new IOException("cannot listen on " + at + ": " + bound.cause().getMessage());
    }
    listener = bound.channel();
  }

  /** Where clients connect. */
  public InetSocketAddress address() {
    return (InetSocketAddress) listener.localAddress();
  }

  /** How many clients are in. */
  public int sessions() {
    return entrance.sessions().count();
  }

  /**
   * Accepts nobody any more, lets clients finish what runs for at most {@code drainMs}, and closes.
   * A second call does nothing.
   */
  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    if (listener != null) {
      listener.close().awaitUninterruptibly();
      entrance.sessions().all().forEach(Session::drain);
      if (!awaitNoSessions(config.drainMs())) {
        entrance.sessions().all().forEach(Session::stop);
        awaitNoSessions(CLOSE_MS);
      }
      entrance.roles().close();
    }
    loops.shutdownGracefully(0, CLOSE_MS, TimeUnit.MILLISECONDS).awaitUninterruptibly();
  }

  private boolean awaitNoSessions(int withinMs) {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(withinMs);
    while (sessions() > 0) {
      if (System.nanoTime() - end >= 0) {
        return false;
      }
      try {
        Thread.sleep(POLL_MS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
    }
    return true;
  }
}
