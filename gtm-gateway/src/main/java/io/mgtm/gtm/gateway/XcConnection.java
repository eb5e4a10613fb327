package io.mgtm.gtm.gateway;

import io.mgtm.common.ConnectionErrors;
import io.mgtm.gtm.command.Reply;
import io.mgtm.gtm.wire.WireException;
import io.mgtm.gtm.wire.xc12.ReplyDecoder;
import io.mgtm.gtm.wire.xc12.ReplyHandler;
import io.mgtm.gtm.wire.xc12.RequestEncoder;
import io.mgtm.gtm.wire.xc12.ResultType;
import io.mgtm.gtm.wire.xc12.Startup;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.concurrent.TimeUnit;

/** A connection to an original GTM, that speaks first and then takes whole frames of replies. */
final class XcConnection extends ChannelInboundHandlerAdapter implements XcFrames.Taker {
  /** From the connection to the accepted startup packet. */
  private static final int OPEN_MS = 3_000;

  /** What a connection tells. */
  interface Listener {
    /** The startup packet was accepted. */
    void accepted();

    /**
     * A long reply begins. Unless it says otherwise, that breaks the protocol.
     *
     * @param head see {@link XcFrames.Taker#takes}
     * @param bytes of the whole reply
     * @return false when it was answered in another way, and the reply is dropped as it comes
     */
    default boolean takes(byte type, ByteBuf head, long bytes) throws WireException {
      throw new WireException("a frame of " + bytes + " bytes");
    }

    /**
     * A reply.
     *
     * @param frame whole, with type and length; valid during the call
     */
    void frame(byte type, ByteBuf frame) throws WireException;

    /** It has ended; comes once, and nothing after it. */
    void closed(String why);
  }

  private final Startup startup;
  private final Listener listener;
  private final XcFrames frames = new XcFrames(this);
  private Channel channel;
  private boolean accepted;
  private boolean closing;
  private boolean told;
  private String why = "the GTM closed it";

  XcConnection(Startup startup, Listener listener) {
    this.startup = startup;
    this.listener = listener;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    channel = ctx.channel();
    if (closing) {
      channel.close();
    }
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    ctx.executor().schedule(this::checkAccepted, OPEN_MS, TimeUnit.MILLISECONDS);
    ByteBuf out = PooledByteBufAllocator.DEFAULT.directBuffer();
    new RequestEncoder().startup(out, startup);
    send(out);
  }

  private void checkAccepted() {
    if (!accepted) {
      close("it did not accept the startup packet within " + OPEN_MS + " ms");
    }
  }

  /** Sends; the buffer is given away. */
  void send(ByteBuf out) {
    channel.writeAndFlush(out, channel.voidPromise());
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf in = (ByteBuf) message;
    try {
      if (!closing) {
        frames.read(in);
      }
    } catch (WireException e) {
      close("the GTM broke the protocol: " + e.getMessage());
    } finally {
      in.release();
    }
  }

  @Override
  public boolean takes(byte type, ByteBuf head, long bytes) throws WireException {
    if (!accepted) {
      throw new WireException("a frame of " + bytes + " bytes");
    }
    return type != 'N' && listener.takes(type, head, bytes);
  }

  @Override
  public void frame(byte type, ByteBuf frame) throws WireException {
    if (accepted) {
      if (type != 'N') {
        listener.frame(type, frame);
      }
    } else if (type == 'R') {
      accepted = true;
      listener.accepted();
    } else if (type != 'N') {
      close("it does not accept the startup packet" + (type == 'E' ? said(frame) : ""));
    }
  }

  /** The sentence of an error, which is for no backend yet. */
  private static String said(ByteBuf frame) throws WireException {
    StringBuilder said = new StringBuilder();
    new ReplyDecoder(
            ReplyDecoder.FRAME_BYTES_MAX,
            false,
            new ReplyHandler() {
              @Override
              public void startupAccepted() {}

              @Override
              public void reply(ResultType type, short backend, Reply reply) {}

              @Override
              public void error(short backend, boolean fatal, String message, String hint) {
                said.append(": ").append(message).append(hint.isEmpty() ? "" : ". " + hint);
              }
            })
        .decode(frame);
    return said.toString();
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    ended();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    close(ConnectionErrors.reason(cause));
  }

  /** Length of the long reply of which a part has come, or 0. */
  long comingBytes() {
    return frames.comingBytes();
  }

  void close(String reason) {
    if (!closing) {
      closing = true;
      why = reason;
      if (channel != null) {
        channel.close();
      }
    }
  }

  /** There is no connection. */
  void unreachable(Throwable cause) {
    why = ConnectionErrors.reason(cause);
    ended();
  }

  private void ended() {
    closing = true;
    frames.release();
    if (!told) {
      told = true;
      listener.closed(why);
    }
  }
}
