package io.mgtm.block.wire;

import io.mgtm.common.Sockets;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;

/** The kinds and settings of connections that carry blocks. */
public final class BlockChannels {
  private static final int READ_BYTES_MIN = 4096;
  private static final int READ_BYTES_BEGIN = 65_536;
  private static final int READ_BYTES_MAX = 1 << 20;

  private BlockChannels() {}

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
    if (!endpoint.isUnix()) {
      return Sockets.server();
    }
    return Epoll.isAvailable()
        ? EpollServerDomainSocketChannel.class
        : NioServerDomainSocketChannel.class;
  }

  /** The kind of connecting channel for {@code endpoint}. */
  public static Class<? extends Channel> clientChannel(Endpoint endpoint) {
    if (!endpoint.isUnix()) {
      return Sockets.client();
    }
    if (!Epoll.isAvailable()) {
      throw new IllegalArgumentException(
          endpoint + ": links over UNIX sockets need epoll, which is missing here");
    }
    return EpollDomainSocketChannel.class;
  }
}
