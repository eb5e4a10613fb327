package io.mgtm.gtm.net;

import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.wire.xc12.ReplyEncoder;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/** Tells a client beyond the limit so, and closes. */
public final class TurnedAway extends ChannelInboundHandlerAdapter {
  private static final int ERROR_BYTES = 256;

  private final int connectionsMax;

  public TurnedAway(int connectionsMax) {
    this.connectionsMax = connectionsMax;
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    ByteBuf out = ctx.alloc().ioBuffer(ERROR_BYTES);
    new ReplyEncoder()
        .error(
            out,
            false,
            Command.NO_BACKEND,
            true,
            "the limit of " + connectionsMax + " connections is reached",
            "Raise limits.connectionsMax.");
    ctx.writeAndFlush(out).addListener(ChannelFutureListener.CLOSE);
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ((ByteBuf) message).release();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    ctx.close();
  }
}
