package io.mgtm.gtm.node.connection;

import io.mgtm.common.Newcomers;
import io.mgtm.common.Rarely;
import io.mgtm.gtm.net.LocalSocket;
import io.mgtm.gtm.net.TurnedAway;
import io.mgtm.gtm.wire.link.RefusalCode;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells by its first byte what a connection is: {@code M} begins a link, 0x16 a TLS handshake with
 * a link inside, and anything else is an XC client. Event loop.
 */
final class ProtocolChoice extends ChannelInboundHandlerAdapter {
  private static final Logger log = LoggerFactory.getLogger(ProtocolChoice.class);

  /** Another member tries again all the time. */
  private static final Rarely WITHOUT_TLS = Rarely.onceAMinute();

  private static final byte LINK = 'M';
  private static final byte TLS_HANDSHAKE = 0x16;

  /**
   * What a connection may become.
   *
   * @param tls null where there are no keys for it
   * @param tlsOnly whether links in the clear are turned away, but those of the node's own socket
   * @param link makes a link's handler
   * @param client adds an XC client's handler at the end of the pipeline
   * @param handshakeMs how long a TLS handshake may take
   */
  record Choices(
      SslContext tls,
      boolean tlsOnly,
      Supplier<ChannelHandler> link,
      Consumer<Channel> client,
      int handshakeMs) {}

  private final Choices choices;

  /** The handler of an XC client that is in the pipeline already, or null. */
  private final Connection direct;

  /**
   * A choice.
   *
   * @param direct a handler for an XC client that stands behind this one already; or null
   */
  ProtocolChoice(Choices choices, Connection direct) {
    this.choices = choices;
    this.direct = direct;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf in = (ByteBuf) message;
    choose(ctx, in.getByte(in.readerIndex()));
    ctx.fireChannelRead(message);
  }

  /** Told as a gateway understands it, so that nobody takes this node for an original GTM. */
  private static ChannelHandler wantsTls() {
    return TurnedAway.gateway(
        RefusalCode.AUTH,
        "this node takes links over TLS only",
        "Set tls.trust of a proxy, links.trust of a node, or give a command --tls and --trust.");
  }

  /** Whoever says nothing is taken for an XC client. */
  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (direct == null && event instanceof Newcomers.TurnAway goes) {
      ctx.pipeline().addLast(TurnedAway.client(goes.message(), ""));
      ctx.pipeline().remove(this);
    } else {
      ctx.fireUserEventTriggered(event);
    }
  }

  private void choose(ChannelHandlerContext ctx, byte first) {
    boolean encrypted = first == TLS_HANDSHAKE;
    if (encrypted || first == LINK) {
      if (direct != null) {
        ctx.pipeline().remove(direct);
      }
      ctx.pipeline().addLast(encrypted ? inTls(ctx.channel()) : inClear(ctx.channel()));
    } else if (direct == null) {
      choices.client().accept(ctx.channel());
    }
    ctx.pipeline().remove(this);
  }

  private ChannelHandler inClear(Channel from) {
    boolean allowed = !choices.tlsOnly() || LocalSocket.is(from);
    return allowed ? choices.link().get() : wantsTls();
  }

  private ChannelHandler inTls(Channel from) {
    if (choices.tls() == null) {
      WITHOUT_TLS.run(
          more ->
              log.warn(
                  "Turned away {}: it begins TLS, and links.certificate is not set here{}",
                  from.remoteAddress(),
                  more));
      return TurnedAway.client("this GTM has no TLS", "Set links.certificate and links.key.");
    }
    SslHandler handler = choices.tls().newHandler(from.alloc());
    handler.setHandshakeTimeoutMillis(choices.handshakeMs());
    from.pipeline().addLast(handler);
    return choices.link().get();
  }
}
