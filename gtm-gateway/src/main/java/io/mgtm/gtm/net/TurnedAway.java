package io.mgtm.gtm.net;

import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.wire.link.LinkWriter;
import io.mgtm.gtm.wire.link.RefusalCode;
import io.mgtm.gtm.wire.xc12.ReplyEncoder;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.function.Consumer;

/** Tells somebody who is not let in why, in its own protocol, and closes. Event loop. */
public final class TurnedAway extends ChannelInboundHandlerAdapter {
  private static final int ERROR_BYTES = 512;

  private final Consumer<ByteBuf> error;
  private boolean told;

  private TurnedAway(Consumer<ByteBuf> error) {
    this.error = error;
  }

  /** For an XC client, and for who has not shown what it is. */
  public static TurnedAway client(String message, String hint) {
    return new TurnedAway(
        out -> new ReplyEncoder().error(out, false, Command.NO_BACKEND, true, message, hint));
  }

  /** For a gateway. */
  public static TurnedAway gateway(RefusalCode code, String message, String hint) {
    return new TurnedAway(out -> LinkWriter.refused(out, 0, code, message, hint));
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    if (ctx.channel().isActive()) {
      tell(ctx);
    }
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    tell(ctx);
  }

  private void tell(ChannelHandlerContext ctx) {
    if (!told) {
      told = true;
      ByteBuf out = ctx.alloc().ioBuffer(ERROR_BYTES);
      error.accept(out);
      ctx.writeAndFlush(out).addListener(ChannelFutureListener.CLOSE);
    }
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
