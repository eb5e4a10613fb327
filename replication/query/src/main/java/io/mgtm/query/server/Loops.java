package io.mgtm.query.server;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;

/** Event loops and sockets of the best kind that the machine has. Any thread. */
final class Loops {
  private static final int BACKLOG = 4_096;

  private Loops() {}

  /** Daemon threads that run event loops. */
  static MultiThreadIoEventLoopGroup start(int threads) {
    IoHandlerFactory factory =
        Epoll.isAvailable() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
    return new MultiThreadIoEventLoopGroup(
        threads, new DefaultThreadFactory("mgtm-query", true), factory);
  }

  private static WriteBufferWaterMark mark(int outboundBytesMax) {
    return new WriteBufferWaterMark(outboundBytesMax / 2, outboundBytesMax);
  }

  /** A listener; its handlers and address are the caller's. */
  static ServerBootstrap listener(EventLoopGroup loops, int outboundBytesMax) {
    Class<? extends ServerChannel> type =
        Epoll.isAvailable() ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
    return new ServerBootstrap()
        .group(loops)
        .channel(type)
        .option(ChannelOption.SO_BACKLOG, BACKLOG)
        .option(ChannelOption.SO_REUSEADDR, true)
        .childOption(ChannelOption.TCP_NODELAY, true)
        .childOption(ChannelOption.SO_KEEPALIVE, true)
        .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, mark(outboundBytesMax));
  }

  /** What connects to a server over this loop; its handler and address are the caller's. */
  static Bootstrap client(EventLoop loop, int outboundBytesMax, int connectMs) {
    Class<? extends Channel> type =
        Epoll.isAvailable() ? EpollSocketChannel.class : NioSocketChannel.class;
    return new Bootstrap()
        .group(loop)
        .channel(type)
        .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, connectMs)
        .option(ChannelOption.TCP_NODELAY, true)
        .option(ChannelOption.SO_KEEPALIVE, true)
        .option(ChannelOption.WRITE_BUFFER_WATER_MARK, mark(outboundBytesMax));
  }
}
