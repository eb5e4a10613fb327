package io.mgtm.common;

import io.netty.channel.DefaultSelectStrategyFactory;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SelectStrategyFactory;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;

/** Event loops and TCP sockets of the best kind that the machine has. Any thread. */
public final class Sockets {
  private Sockets() {}

  /** Daemon threads that run event loops. */
  public static MultiThreadIoEventLoopGroup loops(int threads, String name) {
    return new MultiThreadIoEventLoopGroup(
        threads,
        new DefaultThreadFactory(name, true),
        handlers(DefaultSelectStrategyFactory.INSTANCE));
  }

  /**
   * What event loops wait by.
   *
   * @param strategies how, where the machine has epoll
   */
  public static IoHandlerFactory handlers(SelectStrategyFactory strategies) {
    return Epoll.isAvailable()
        ? EpollIoHandler.newFactory(0, strategies)
        : NioIoHandler.newFactory();
  }

  /** What listens. */
  public static Class<? extends ServerSocketChannel> server() {
    return Epoll.isAvailable() ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
  }

  /** What connects. */
  public static Class<? extends SocketChannel> client() {
    return Epoll.isAvailable() ? EpollSocketChannel.class : NioSocketChannel.class;
  }
}
