package io.mgtm.group.net;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEventLoop;
import io.netty.channel.SingleThreadEventLoop;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandle;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.util.concurrent.Executor;

/** Sockets of the kind that an event loop takes. Any thread. */
final class LoopSockets {
  private final EventLoop loop;

  /** Of a loop that {@link #suit suits}. */
  LoopSockets(EventLoop loop) {
    this.loop = loop;
  }

  /** Whether an owner can have links: it is an event loop with sockets. */
  static boolean suit(Executor owner) {
    return owner instanceof SingleThreadEventLoop
        && owner instanceof IoEventLoop loop
        && (loop.isCompatible(EpollIoHandle.class) || loop.isCompatible(NioIoHandle.class));
  }

  private boolean hasEpoll() {
    return ((IoEventLoop) loop).isCompatible(EpollIoHandle.class);
  }

  ServerSocketChannel server() {
    return hasEpoll() ? new EpollServerSocketChannel() : new NioServerSocketChannel();
  }

  /**
   * What connections are made with.
   *
   * @param waitingBytesMax past it a connection takes no more until half has left
   */
  Bootstrap bootstrap(int connectTimeoutMs, int waitingBytesMax) {
    return new Bootstrap()
        .group(loop)
        .channel(hasEpoll() ? EpollSocketChannel.class : NioSocketChannel.class)
        .option(ChannelOption.TCP_NODELAY, true)
        .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, connectTimeoutMs)
        .option(
            ChannelOption.WRITE_BUFFER_WATER_MARK,
            new WriteBufferWaterMark(waitingBytesMax / 2, waitingBytesMax));
  }
}
