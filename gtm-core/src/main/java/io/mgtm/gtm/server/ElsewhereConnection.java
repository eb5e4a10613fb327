package io.mgtm.gtm.server;

import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.wire.xc12.ReplyEncoder;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.EventExecutor;

/** Tells an XC client that came to a member of a group without a front where to go. */
final class ElsewhereConnection extends ChannelInboundHandlerAdapter {
  private static final int ERROR_BYTES = 512;

  private final GroupControl control;
  private final EventExecutor owner;
  private final GtmMetrics metrics;
  private boolean told;

  ElsewhereConnection(GroupControl control, EventExecutor owner, GtmMetrics metrics) {
    this.control = control;
    this.owner = owner;
    this.metrics = metrics;
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    metrics.connected();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ((ByteBuf) message).release();
    if (!told) {
      told = true;
      owner.execute(() -> tell(ctx, control.status()));
    }
  }

  private static void tell(ChannelHandlerContext ctx, NodeStatus status) {
    ByteBuf out = ctx.alloc().ioBuffer(ERROR_BYTES);
    new ReplyEncoder()
        .error(
            out,
            false,
            Command.NO_BACKEND,
            true,
            "this node is member %s of a group, whose leader is %s"
                .formatted(
                    status.member(),
                    status.leader().isEmpty()
                        ? "not known now"
                        : status.leader() + " at " + status.leaderAddress()),
            "Connect through a proxy: mgtm proxy start.");
    ctx.writeAndFlush(out).addListener(ChannelFutureListener.CLOSE);
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    metrics.disconnected();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    ctx.close();
  }
}
