package io.mgtm.gtm.server;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslContext;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Tells by its first byte what a connection is: {@code M} begins a link, 0x16 a TLS handshake with
 * a link inside, and anything else is an XC client. Event loop.
 */
final class ProtocolChoice extends ChannelInboundHandlerAdapter {
  private static final byte LINK = 'M';
  private static final byte TLS_HANDSHAKE = 0x16;

  /**
   * What a connection may become.
   *
   * @param tls null where there are no keys for it
   * @param tlsOnly whether links in the clear are turned away
   * @param link makes a link's handler
   * @param client adds an XC client's handler at the end of the pipeline
   * @param firstByteMs how long to wait for the first byte
   */
  record Choices(
      SslContext tls,
      boolean tlsOnly,
      Supplier<ChannelHandler> link,
      Consumer<Channel> client,
      int firstByteMs) {}

  private final Choices choices;

  /** The handler of an XC client that is in the pipeline already, or null. */
  private final Connection direct;

  private Future<?> deadline;

  /**
   * A choice.
   *
   * @param direct a handler for an XC client that stands behind this one already, and watches over
   *     the first byte; or null
   */
  ProtocolChoice(Choices choices, Connection direct) {
    this.choices = choices;
    this.direct = direct;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    if (direct == null) {
      deadline =
          ctx.executor()
              .schedule(() -> choose(ctx, (byte) 0), choices.firstByteMs(), TimeUnit.MILLISECONDS);
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf in = (ByteBuf) message;
    choose(ctx, in.getByte(in.readerIndex()));
    ctx.fireChannelRead(message);
  }

  /** Whoever says nothing is taken for an XC client, whose handler tells it so and closes. */
  private void choose(ChannelHandlerContext ctx, byte first) {
    if (ctx.isRemoved()) {
      return;
    }
    if (deadline != null) {
      deadline.cancel(false);
    }
    boolean encrypted = first == TLS_HANDSHAKE && choices.tls() != null;
    if (encrypted || (first == LINK && !choices.tlsOnly())) {
      if (direct != null) {
        direct.dismissed();
        ctx.pipeline().remove(direct);
      }
      if (encrypted) {
        ctx.pipeline().addLast(choices.tls().newHandler(ctx.alloc()));
      }
      ctx.pipeline().addLast(choices.link().get());
    } else if (direct == null) {
      choices.client().accept(ctx.channel());
    }
    ctx.pipeline().remove(this);
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    if (deadline != null) {
      deadline.cancel(false);
    }
    ctx.fireChannelInactive();
  }
}
