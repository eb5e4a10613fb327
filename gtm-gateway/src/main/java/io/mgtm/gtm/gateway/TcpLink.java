package io.mgtm.gtm.gateway;

import io.mgtm.common.ConnectionErrors;
import io.mgtm.common.HostPort;
import io.mgtm.gtm.command.GatewayKind;
import io.mgtm.gtm.net.PartialBuffer;
import io.mgtm.gtm.wire.WireException;
import io.mgtm.gtm.wire.link.AdminReplyKind;
import io.mgtm.gtm.wire.link.Leadership;
import io.mgtm.gtm.wire.link.LinkEntries;
import io.mgtm.gtm.wire.link.LinkFormat;
import io.mgtm.gtm.wire.link.LinkWriter;
import io.mgtm.gtm.wire.link.NodeFrameDecoder;
import io.mgtm.gtm.wire.link.NodeFrameHandler;
import io.mgtm.gtm.wire.link.RefusalCode;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.util.concurrent.TimeUnit;

/** A link over TCP, or TLS over it; docs/link.md has the frames. */
final class TcpLink extends ChannelInboundHandlerAdapter implements Link, NodeFrameHandler {
  /** From the connection to the node's leadership. */
  private static final int OPEN_MS = 3_000;

  /** How nodes of before begin what they say to a gateway of a version that they do not know. */
  private static final String VERSION_REFUSED = "a link of version ";

  private static final int OUT_BYTES = 16 * 1024;

  private final TcpLinks.Identity identity;
  private final HostPort address;
  private final int version;
  private final LinkListener listener;
  private final EventLoop loop;
  private final NodeFrameDecoder decoder = new NodeFrameDecoder(LinkFormat.FRAME_BYTES_MAX, this);
  private final PartialBuffer partial = new PartialBuffer();
  private Channel channel;
  private ByteBuf out;
  private boolean reached;
  private boolean silent;
  private boolean isNode;
  private boolean open;
  private boolean versionRefused;
  private boolean told;
  private boolean closing;
  private String why = "the node closed it";

  TcpLink(
      TcpLinks.Identity identity,
      HostPort address,
      int version,
      LinkListener listener,
      EventLoop loop) {
    this.identity = identity;
    this.address = address;
    this.version = version;
    this.listener = listener;
    this.loop = loop;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    channel = ctx.channel();
    if (closing) {
      channel.close();
    } else if (identity.tls() != null) {
      SslHandler tls =
          identity.tls().newHandler(PooledByteBufAllocator.DEFAULT, address.host(), address.port());
      tls.setHandshakeTimeoutMillis(OPEN_MS);
      channel.pipeline().addFirst(tls);
    }
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    reached = true;
    loop.schedule(this::checkOpen, OPEN_MS, TimeUnit.MILLISECONDS);
    if (identity.tls() == null) {
      sayHello();
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event instanceof SslHandshakeCompletionEvent handshake) {
      if (handshake.isSuccess()) {
        sayHello();
      } else {
        close("no TLS with it: " + reason(handshake.cause()));
      }
    }
  }

  private void sayHello() {
    LinkWriter.preface(out(), version);
    LinkWriter.hello(out(), identity.name(), identity.kind());
    flush();
  }

  private void checkOpen() {
    if (!open) {
      silent = true;
      close("it did not say how it stands within " + OPEN_MS + " ms");
    }
  }

  private ByteBuf out() {
    if (out == null) {
      out = PooledByteBufAllocator.DEFAULT.directBuffer(OUT_BYTES);
    }
    return out;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf in = (ByteBuf) message;
    try {
      if (!closing) {
        ByteBuf whole = partial.join(in);
        decoder.decode(whole);
        partial.keepRest(whole);
      }
    } catch (WireException e) {
      listener.garbled();
      close("the node broke the protocol: " + e.getMessage());
    } finally {
      in.release();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    ended();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    close(reason(cause));
  }

  private String reason(Throwable cause) {
    boolean node = identity.kind() == GatewayKind.NODE;
    return ConnectionErrors.reason(cause, node ? "links." : "tls.");
  }

  private void close(String reason) {
    if (!closing) {
      closing = true;
      why = reason;
      if (channel != null) {
        channel.close();
      }
    }
  }

  private void ended() {
    closing = true;
    partial.release();
    if (out != null) {
      out.release();
      out = null;
    }
    if (!told) {
      told = true;
      listener.closed(why);
    }
  }

  /**
   * Whether something was there that took the connection and then showed, by what it said or by
   * closing it, that it is no node. One that is only silent may be a node that is slow.
   */
  boolean wasRejected() {
    return reached && !silent && !isNode;
  }

  /** Whether something was there that spoke as a node does, whatever it said. */
  boolean isNode() {
    return isNode;
  }

  /** Whether the node may be one of before that refuses what it does not know. */
  boolean wasVersionRefused() {
    return versionRefused;
  }

  /** The version that the gateway speaks on it. */
  int version() {
    return version;
  }

  /** There is no connection. */
  void unreachable(Throwable cause) {
    why = reason(cause);
    ended();
  }

  @Override
  public void attach(long session, boolean fresh, long acked, boolean proxied) {
    if (open) {
      LinkWriter.attach(out(), session, fresh, acked, proxied);
    }
  }

  @Override
  public void commands(long session, long acked, long first, int count, ByteBuf commands) {
    if (open) {
      LinkWriter.commands(out(), session, acked, first, count, commands);
    }
  }

  @Override
  public void present(LinkEntries entries) {
    if (open) {
      LinkWriter.present(out(), entries);
    }
  }

  @Override
  public void pull(long id, boolean more) {
    if (open && !closing) {
      LinkWriter.pull(out(), id, more);
    }
  }

  @Override
  public void closeSession(long session) {
    if (open) {
      LinkWriter.close(out(), session);
    }
  }

  @Override
  public void ping(long nonce) {
    if (open) {
      LinkWriter.ping(out(), nonce);
    }
  }

  @Override
  public void flush() {
    if (out != null && !closing) {
      ByteBuf bytes = out;
      out = null;
      channel.writeAndFlush(bytes, channel.voidPromise());
    }
  }

  @Override
  public void close() {
    flush();
    close("this gateway closed it");
  }

  @Override
  public void challenge(byte[] nonce) {
    isNode = true;
    if (identity.secret() == null) {
      close("its nodes ask for a secret, and none is configured here; set secretFile");
      return;
    }
    LinkWriter.auth(out(), identity.secret().answer(nonce, identity.name()));
    flush();
  }

  @Override
  public void leadership(Leadership leadership) {
    isNode = true;
    open = true;
    listener.leadership(leadership);
  }

  @Override
  public void attached(long session, long last) {
    listener.attached(session, last);
  }

  @Override
  public void refused(long session, RefusalCode code, String message, String hint) {
    isNode = true;
    if (session == 0) {
      versionRefused = code == RefusalCode.PROTOCOL && message.startsWith(VERSION_REFUSED);
      why =
          versionRefused
              ? "it is of an earlier version; a link of that one is tried next"
              : "it refuses the link: " + message + (hint.isEmpty() ? "" : ". " + hint);
    }
    if (session == 0 && code == RefusalCode.PROTOCOL) {
      listener.garbled();
    }
    listener.refused(session, code, message, hint);
  }

  @Override
  public void reply(long session, long number, boolean close, ByteBuf bytes) {
    listener.reply(session, number, close, bytes);
  }

  @Override
  public void pieces(long session, long number, long id, long bytes) {
    listener.pieces(session, number, id, bytes);
  }

  @Override
  public void piece(long id, ByteBuf bytes) {
    listener.piece(id, bytes);
  }

  @Override
  public void entries(LinkEntries entries) {
    listener.entries(entries);
  }

  @Override
  public void pong(long nonce) {
    listener.pong(nonce);
  }

  @Override
  public void adminReply(long id, AdminReplyKind kind, ByteBuf bytes) throws WireException {
    listener.adminReply(id, kind, bytes);
  }
}
