package io.mgtm.block.link;

import io.mgtm.common.ConnectionErrors;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * What both ends of a connection have in common: frames in, frames out, and watching whether the
 * other side still lives. Runs on the event loop that owns the volume.
 */
public abstract class LinkConnection extends ChannelInboundHandlerAdapter implements FrameHandler {
  /** How long the other side may take to read why a connection ends. */
  static final long PARTING_MS = 1_000;

  private final Compression compression;
  private final long timeoutMs;
  private ChannelHandlerContext context;
  private FrameReader reader;
  private LinkWriter writer;
  private ScheduledFuture<?> watch;
  private ScheduledFuture<?> deadline;
  private long lastHeardNs;
  private boolean closed;
  private String reason = "the other side closed the connection";

  LinkConnection(Compression compression, long timeoutMs) {
    this.compression = compression;
    this.timeoutMs = timeoutMs;
  }

  LinkWriter writer() {
    return writer;
  }

  ChannelHandlerContext context() {
    return context;
  }

  boolean isClosed() {
    return closed;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    context = ctx;
    reader = new FrameReader(ctx.alloc(), this);
    writer = new LinkWriter(ctx.channel(), compression);
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) throws Exception {
    lastHeardNs = System.nanoTime();
    long interval = Math.max(1, timeoutMs / 4);
    watch =
        ctx.executor().scheduleAtFixedRate(this::watch, interval, interval, TimeUnit.MILLISECONDS);
    deadline =
        ctx.executor()
            .schedule(
                this::checkEstablished,
                Math.min(timeoutMs, INTRODUCTION_MS_MAX),
                TimeUnit.MILLISECONDS);
    if (ctx.pipeline().get("tls") == null) {
      ready();
    }
    super.channelActive(ctx);
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) throws Exception {
    if (event instanceof SslHandshakeCompletionEvent handshake) {
      if (handshake.isSuccess()) {
        ready();
      } else {
        fail("no TLS with it: " + PeerText.of(ConnectionErrors.reason(handshake.cause())));
      }
    }
    super.userEventTriggered(ctx, event);
  }

  /** How long the other side may take until it has said who it is. */
  static final long INTRODUCTION_MS_MAX = 10_000;

  /** Whether the two sides have agreed what the connection is for. */
  abstract boolean isEstablished();

  private void checkEstablished() {
    if (!isEstablished()) {
      end("the other side did not introduce itself in time", 0);
    }
  }

  /** The connection may be used. */
  abstract void ready();

  /** The connection is gone. */
  abstract void gone(String why);

  long timeoutMs() {
    return timeoutMs;
  }

  /**
   * For how long nothing has come from the other side, which sends something four times as often.
   */
  long silentMs() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - lastHeardNs);
  }

  private void watch() {
    long silentMs = silentMs();
    if (silentMs > timeoutMs && !isBlocked()) {
      end("nothing was heard for " + silentMs + " ms", 0);
    } else if (!closed) {
      writer.bare(Frame.PING, 0, 0, 0, 0);
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    lastHeardNs = System.nanoTime();
    if (closed) {
      ((ByteBuf) message).release();
      return;
    }
    try {
      reader.feed((ByteBuf) message);
      pauseWhileBlocked();
    } catch (LinkException | RuntimeException e) {
      fail(e.getMessage());
    }
  }

  private void pauseWhileBlocked() {
    context.channel().config().setAutoRead(!isBlocked() || closed);
  }

  /** Goes on reading after {@link #isBlocked} has become false. */
  void resume() {
    try {
      reader.drain();
      pauseWhileBlocked();
    } catch (LinkException | RuntimeException e) {
      fail(e.getMessage());
    }
  }

  /**
   * Tells the other side why, and ends the connection once it has closed its end or a moment has
   * passed. What comes until then is thrown away: closed with bytes unread, the connection would be
   * reset, and the other side might never read the reason.
   */
  void fail(String why) {
    end(why, PARTING_MS);
  }

  private void end(String why, long partingMs) {
    if (!closed) {
      closed = true;
      reason = why == null ? "an internal error" : why;
      String told = reason.length() > PeerText.LENGTH_MAX ? PeerText.of(reason) : reason;
      writer.text(Frame.ERROR, told);
      context.channel().config().setAutoRead(true);
      // After the batch that carries the reason has gone.
      context.executor().schedule(this::close, partingMs, TimeUnit.MILLISECONDS);
    }
  }

  private void close() {
    var unused = context.close();
  }

  /** The other side told why it ends the connection. */
  void endedBecause(String why) {
    reason = why;
    closed = true;
    close();
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) throws Exception {
    closed = true;
    watch.cancel(false);
    deadline.cancel(false);
    reader.close();
    writer.close();
    gone(reason);
    super.channelInactive(ctx);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    fail(ConnectionErrors.reason(cause));
  }

  static byte[] bytes(ByteBuf payload) {
    byte[] bytes = new byte[payload.readableBytes()];
    payload.getBytes(payload.readerIndex(), bytes);
    return bytes;
  }
}
