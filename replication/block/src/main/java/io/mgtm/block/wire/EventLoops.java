package io.mgtm.block.wire;

import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;

/** Event loops by epoll where it works, else by Java's selector. */
public final class EventLoops {
  private static final int READ_BYTES_MIN = 4096;
  private static final int READ_BYTES_BEGIN = 65_536;
  private static final int READ_BYTES_MAX = 1 << 20;

  private EventLoops() {}

  /** A group of {@code threads} loops named {@code name}. */
  public static EventLoopGroup group(int threads, String name) {
    IoHandlerFactory factory =
        Epoll.isAvailable() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
    return new MultiThreadIoEventLoopGroup(threads, new DefaultThreadFactory(name, true), factory);
  }

  /**
   * Settings of a connection that carries blocks: what is small goes at once, and reads are long
   * enough that most frames lie whole in one.
   */
  public static void prepare(Channel channel) {
    if (channel instanceof SocketChannel) {
      channel.config().setOption(ChannelOption.TCP_NODELAY, true);
    }
    channel
        .config()
        .setRecvByteBufAllocator(
            new AdaptiveRecvByteBufAllocator(READ_BYTES_MIN, READ_BYTES_BEGIN, READ_BYTES_MAX));
  }

  /** The kind of listening channel for {@code endpoint}. */
  public static Class<? extends ServerChannel> serverChannel(Endpoint endpoint) {
    if (Epoll.isAvailable()) {
      return endpoint.isUnix()
          ? EpollServerDomainSocketChannel.class
          : EpollServerSocketChannel.class;
    }
    return endpoint.isUnix() ? NioServerDomainSocketChannel.class : NioServerSocketChannel.class;
  }

  /** The kind of connecting channel for {@code endpoint}. */
  public static Class<? extends Channel> clientChannel(Endpoint endpoint) {
    if (Epoll.isAvailable()) {
      return endpoint.isUnix() ? EpollDomainSocketChannel.class : EpollSocketChannel.class;
    }
    if (endpoint.isUnix()) {
      throw new IllegalArgumentException(
          endpoint + ": links over UNIX sockets need epoll, which is missing here");
    }
    return NioSocketChannel.class;
  }
}
