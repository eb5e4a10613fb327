package io.mgtm.gtm.server;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslContext;
import java.util.function.Supplier;

/**
 * Tells by its first byte what a connection is: {@code M} begins a link, 0x16 a TLS handshake with
 * a link inside, and anything else is an XC client, whose handler stands behind this one already.
 * Event loop.
 */
final class ProtocolChoice extends ChannelInboundHandlerAdapter {
  private static final byte LINK = 'M';
  private static final byte TLS_HANDSHAKE = 0x16;

  private final SslContext tls;
  private final boolean tlsOnly;
  private final ChannelHandler client;
  private final Supplier<ChannelHandler> link;

  /**
   * A choice.
   *
   * @param tls null where there are no keys for it
   * @param tlsOnly whether links in the clear are turned away
   * @param client the handler of an XC client, added already
   */
  ProtocolChoice(
      SslContext tls, boolean tlsOnly, ChannelHandler client, Supplier<ChannelHandler> link) {
    this.tls = tls;
    this.tlsOnly = tlsOnly;
    this.client = client;
    this.link = link;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf in = (ByteBuf) message;
    byte first = in.getByte(in.readerIndex());
    boolean encrypted = first == TLS_HANDSHAKE && tls != null;
    if (encrypted || (first == LINK && !tlsOnly)) {
      if (client instanceof Connection connection) {
        connection.dismissed();
      }
      if (encrypted) {
        ctx.pipeline().addAfter(ctx.name(), null, tls.newHandler(ctx.alloc()));
      }
      ctx.pipeline().replace(client, null, link.get());
    }
    ctx.pipeline().remove(this);
    ctx.fireChannelRead(message);
  }
}
