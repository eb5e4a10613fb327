package io.mgtm.gtm.server;

import io.mgtm.gtm.config.GtmConfig;
import io.mgtm.gtm.wire.WireException;
import io.mgtm.gtm.wire.xc12.RequestDecoder;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client's connection: bytes in, batches to the engine, replies out. Its methods run on the
 * channel's event loop, those of {@link Client} on the owner's; with one I/O thread the two are
 * one.
 *
 * <p>It is read only while no more than {@code outboundBytesMax} of replies wait for it, in the log
 * or in the socket, so that a client that never reads costs no more than that.
 */
final class Connection extends ChannelInboundHandlerAdapter implements Client {
  private static final Logger log = LoggerFactory.getLogger(Connection.class);
  private static final int REPLY_BYTES = 256;

  private final long session;
  private final GtmConfig config;
  private final Engine engine;
  private final EventExecutor owner;
  private final GtmMetrics metrics;
  private final Consumer<Throwable> fatal;
  private final RequestDecoder decoder;
  private final Batch decoding = new Batch();

  private ChannelHandlerContext context;
  private ByteBuf partial;
  private Future<?> deadline;
  private boolean started;
  private boolean failed;

  /** Owner thread: bytes of replies that wait for the log. */
  private int heldBytes;

  /** Owner thread: whether the engine knows of this session. */
  private boolean ended;

  Connection(
      long session,
      GtmConfig config,
      Engine engine,
      EventExecutor owner,
      GtmMetrics metrics,
      Consumer<Throwable> fatal) {
    this.session = session;
    this.config = config;
    this.engine = engine;
    this.owner = owner;
    this.metrics = metrics;
    this.fatal = fatal;
    this.decoder = new RequestDecoder(config.limits().frameBytesMax(), decoding);
    decoder.session(session);
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    context = ctx;
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    metrics.connected();
    setDeadline(config.timeouts().startupMs(), "no startup packet came");
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf in = (ByteBuf) message;
    try {
      if (failed) {
        return;
      }
      if (partial == null) {
        decode(in);
        if (in.isReadable() && !failed) {
          partial = ctx.alloc().ioBuffer(in.readableBytes()).writeBytes(in);
        }
      } else {
        partial.writeBytes(in);
        decode(partial);
        if (failed || !partial.isReadable()) {
          dropPartial();
        } else {
          partial.discardSomeReadBytes();
        }
      }
    } finally {
      in.release();
    }
    watchPartial();
  }

  private void decode(ByteBuf in) {
    decoding.readNanos = System.nanoTime();
    decoding.readBytes = in.readableBytes();
    try {
      decoder.decode(in);
    } catch (WireException e) {
      failed = true;
      log.info("Closing {}: {}", describe(), e.getMessage());
      metrics.protocolError();
      decoding.failed(e.getMessage(), e.hint());
    }
    if (!decoding.isEmpty()) {
      handOver();
    }
  }

  private void handOver() {
    if (!started) {
      started = true;
      cancelDeadline();
    }
    if (owner.inEventLoop()) {
      engine.process(this, decoding);
      decoding.clear();
    } else {
      Batch batch = decoding.handOver();
      owner.execute(() -> process(batch));
    }
  }

  private void process(Batch batch) {
    try {
      engine.process(this, batch);
    } catch (RuntimeException e) {
      fatal.accept(e);
    }
  }

  private void watchPartial() {
    if (!started || failed) {
      return;
    }
    if (partial == null) {
      cancelDeadline();
    } else if (deadline == null) {
      setDeadline(config.timeouts().frameMs(), "the rest of a frame did not come");
    }
  }

  private void setDeadline(int afterMs, String what) {
    deadline =
        context
            .executor()
            .schedule(
                () -> {
                  deadline = null;
                  failed = true;
                  log.info("Closing {}: {} within {} ms", describe(), what, afterMs);
                  metrics.protocolError();
                  decoding.readNanos = System.nanoTime();
                  decoding.readBytes = 0;
                  decoding.failed(what + " within " + afterMs + " ms", "");
                  handOver();
                },
                afterMs,
                TimeUnit.MILLISECONDS);
  }

  private void cancelDeadline() {
    if (deadline != null) {
      deadline.cancel(false);
      deadline = null;
    }
  }

  private void dropPartial() {
    if (partial != null) {
      partial.release();
      partial = null;
    }
  }

  private String describe() {
    return "session " + session + " from " + context.channel().remoteAddress();
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    updateReading();
  }

  private void updateReading() {
    boolean read = context.channel().isWritable() && heldBytes < config.limits().outboundBytesMax();
    if (context.channel().config().isAutoRead() != read) {
      context.channel().config().setAutoRead(read);
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    cancelDeadline();
    dropPartial();
    failed = true;
    metrics.disconnected();
    if (owner.inEventLoop()) {
      endSession();
    } else {
      owner.execute(this::endSession);
    }
  }

  private void endSession() {
    if (!ended) {
      ended = true;
      engine.closeSession(session);
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (cause instanceof IOException) {
      log.debug("{}: {}", describe(), cause.toString());
      ctx.close();
    } else {
      fatal.accept(cause);
    }
  }

  @Override
  public long session() {
    return session;
  }

  @Override
  public boolean proxied() {
    return decoder.proxied();
  }

  @Override
  public ByteBuf newBuffer() {
    return context.alloc().ioBuffer(REPLY_BYTES);
  }

  @Override
  public void send(ByteBuf replies, boolean close) {
    if (close) {
      context.writeAndFlush(replies).addListener(ChannelFutureListener.CLOSE);
    } else if (replies.isReadable()) {
      context.writeAndFlush(replies, context.voidPromise());
    } else {
      replies.release();
    }
  }

  @Override
  public void held(int bytes) {
    heldBytes += bytes;
    updateReading();
  }
}
