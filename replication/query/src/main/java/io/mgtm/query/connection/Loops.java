package io.mgtm.query.connection;

import io.mgtm.common.Sockets;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Event loops and sockets of the best kind that the machine has. Any thread. */
public final class Loops {
  private static final int BACKLOG = 4_096;

  /** For an end that does not take what is on its way to it. */
  private static final int CLOSE_MS = 10_000;

  private Loops() {}

  /** Daemon threads that run event loops. */
  public static MultiThreadIoEventLoopGroup start(int threads) {
    return Sockets.loops(threads, "mgtm-query");
  }

  private static WriteBufferWaterMark mark(int outboundBytesMax) {
    return new WriteBufferWaterMark(outboundBytesMax / 2, outboundBytesMax);
  }

  /** A listener; its handlers and address are the caller's. */
  public static ServerBootstrap listener(EventLoopGroup loops, int outboundBytesMax) {
    return new ServerBootstrap()
        .group(loops)
        .channel(Sockets.server())
        .option(ChannelOption.SO_BACKLOG, BACKLOG)
        .option(ChannelOption.SO_REUSEADDR, true)
        .childOption(ChannelOption.TCP_NODELAY, true)
        .childOption(ChannelOption.SO_KEEPALIVE, true)
        .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, mark(outboundBytesMax));
  }

  /** What connects to a server over this loop; its handler and address are the caller's. */
  public static Bootstrap client(EventLoop loop, int outboundBytesMax, int connectMs) {
    return new Bootstrap()
        .group(loop)
        .channel(Sockets.client())
        .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, connectMs)
        .option(ChannelOption.TCP_NODELAY, true)
        .option(ChannelOption.SO_KEEPALIVE, true)
        .option(ChannelOption.WRITE_BUFFER_WATER_MARK, mark(outboundBytesMax));
  }

  /** Closes a connection when the last bytes, which are taken over, are sent, or in ten seconds. */
  public static void closeAfter(Channel channel, ByteBuf last) {
    channel.writeAndFlush(last).addListener(ChannelFutureListener.CLOSE);
    Future<?> late =
        channel.eventLoop().schedule(() -> channel.close(), CLOSE_MS, TimeUnit.MILLISECONDS);
    channel.closeFuture().addListener(closed -> late.cancel(false));
  }
}
