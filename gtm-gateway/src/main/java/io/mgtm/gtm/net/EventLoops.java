package io.mgtm.gtm.net;

import io.mgtm.common.Sockets;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultSelectStrategyFactory;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SelectStrategyFactory;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Event loops and sockets of the best kind that the machine has, set up alike. Any thread. */
public final class EventLoops {
  private static final int BACKLOG = 4_096;

  /**
   * A node whose machine has lost its power can register again once its old connection is found
   * dead, after about half a minute; the system's own default is two hours.
   */
  private static final int KEEPALIVE_IDLE_SECONDS = 15;

  private static final int KEEPALIVE_INTERVAL_SECONDS = 5;
  private static final int KEEPALIVE_PROBES = 3;

  private EventLoops() {}

  /**
   * Daemon threads that run event loops, and sleep when there is nothing to do.
   *
   * @param fatal told of what a task of theirs throws; what the loops serve cannot go on
   */
  public static MultiThreadIoEventLoopGroup start(
      int threads, String name, Consumer<Throwable> fatal) {
    return start(threads, name, 0, fatal);
  }

  /**
   * As the other, with loops that look for more before they sleep.
   *
   * @param spinMicros for how long, 0 for not at all; taken where the machine has epoll and more
   *     than one processor
   */
  public static MultiThreadIoEventLoopGroup start(
      int threads, String name, int spinMicros, Consumer<Throwable> fatal) {
    boolean spin = spinMicros > 0 && Runtime.getRuntime().availableProcessors() > 1;
    long spinNanos = TimeUnit.MICROSECONDS.toNanos(spinMicros);
    SelectStrategyFactory strategies =
        spin
            ? () -> new SpinThenWait(spinNanos, System::nanoTime)
            : DefaultSelectStrategyFactory.INSTANCE;
    return new MultiThreadIoEventLoopGroup(
        threads, new DefaultThreadFactory(name, true), Sockets.handlers(strategies)) {
      @Override
      protected IoEventLoop newChild(
          Executor executor, IoHandlerFactory handlers, Object... ignored) {
        return new GuardedLoop(this, executor, handlers, fatal);
      }
    };
  }

  /** Lets a loop do something, and waits until it has; what that throws is thrown here. */
  public static void run(EventLoop loop, Runnable task) {
    try {
      loop.submit(task).get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw new IllegalStateException(e.getCause());
    }
  }

  /** A listener whose connections read what a client sends; the rest is the caller's. */
  public static ServerBootstrap server(EventLoopGroup accepting, EventLoopGroup serving) {
    ServerBootstrap bootstrap =
        new ServerBootstrap()
            .group(accepting, serving)
            .channel(Sockets.server())
            .option(ChannelOption.SO_BACKLOG, BACKLOG)
            .option(ChannelOption.SO_REUSEADDR, true)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.SO_KEEPALIVE, true)
            .childOption(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT)
            .childOption(
                ChannelOption.RECVBUF_ALLOCATOR, new ReadBuffers(ReadBuffers.CLIENT_BYTES));
    if (Epoll.isAvailable()) {
      bootstrap
          .childOption(EpollChannelOption.TCP_KEEPIDLE, KEEPALIVE_IDLE_SECONDS)
          .childOption(EpollChannelOption.TCP_KEEPINTVL, KEEPALIVE_INTERVAL_SECONDS)
          .childOption(EpollChannelOption.TCP_KEEPCNT, KEEPALIVE_PROBES);
    }
    return bootstrap;
  }

  /** A listener at a UNIX socket; null where the machine has no epoll. */
  public static ServerBootstrap local(EventLoopGroup accepting, EventLoopGroup serving) {
    return Epoll.isAvailable()
        ? new ServerBootstrap()
            .group(accepting, serving)
            .channel(EpollServerDomainSocketChannel.class)
            .childOption(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT)
            .childOption(ChannelOption.RECVBUF_ALLOCATOR, new ReadBuffers(ReadBuffers.CLIENT_BYTES))
        : null;
  }

  /** What connects to a server over this loop; the handler and the address are the caller's. */
  public static Bootstrap client(EventLoop loop) {
    Bootstrap bootstrap =
        new Bootstrap()
            .group(loop)
            .channel(Sockets.client())
            .option(ChannelOption.TCP_NODELAY, true)
            .option(ChannelOption.SO_KEEPALIVE, true)
            .option(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT);
    if (Epoll.isAvailable()) {
      bootstrap
          .option(EpollChannelOption.TCP_KEEPIDLE, KEEPALIVE_IDLE_SECONDS)
          .option(EpollChannelOption.TCP_KEEPINTVL, KEEPALIVE_INTERVAL_SECONDS)
          .option(EpollChannelOption.TCP_KEEPCNT, KEEPALIVE_PROBES);
    }
    return bootstrap;
  }
}
