package io.mgtm.gtm.node.connection;

import io.mgtm.common.Newcomers;
import io.mgtm.common.Rarely;
import io.mgtm.gtm.config.GtmConfig;
import io.mgtm.gtm.net.InboundWatch;
import io.mgtm.gtm.net.LocalSocket;
import io.mgtm.gtm.net.LoopBuffer;
import io.mgtm.gtm.net.OutboundWatch;
import io.mgtm.gtm.net.PartialBudget;
import io.mgtm.gtm.node.engine.Batch;
import io.mgtm.gtm.node.engine.Client;
import io.mgtm.gtm.node.engine.Engine;
import io.mgtm.gtm.node.engine.RequestMetrics;
import io.mgtm.gtm.wire.WireException;
import io.mgtm.gtm.wire.xc12.ListReply;
import io.mgtm.gtm.wire.xc12.RequestDecoder;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client's connection: bytes in, batches to the engine, replies out. Its methods run on the
 * channel's event loop, those of {@link Client} on the owner's; with one I/O thread the two are
 * one.
 *
 * <p>It is served and read only while no more than about {@code outboundBytesMax} of replies wait
 * for it, in the log or in the socket, and it is read only while few of its requests wait for the
 * owner. So a client that never reads costs no more than that, and is closed in the end. Requests
 * that were read but may not be served yet stand in the backlog.
 */
final class Connection extends ChannelInboundHandlerAdapter implements Client {
  private static final Logger log = LoggerFactory.getLogger(Connection.class);
  private static final Rarely STRANGERS = new Rarely();
  private static final LoopBuffer REPLIES = new LoopBuffer(16 * 1024);

  private final long session;
  private final GtmConfig config;
  private final Engine engine;
  private final EventExecutor owner;
  private final RequestMetrics metrics;
  private final Consumer<Throwable> fatal;
  private final PartialBudget budget;
  private final RequestDecoder decoder;
  private final Batch decoding = new Batch();

  // Event loop.
  private ChannelHandlerContext context;
  private OutboundWatch outbound;
  private InboundWatch inbound;
  private boolean started;
  private boolean failed;

  // Owner thread.
  private final Deque<Batch> backlog = new ArrayDeque<>();
  private int heldBytes;
  private boolean resuming;
  private final ListPump lists;
  private boolean gone;
  private boolean ended;

  // Both: what was handed over and not served yet, and whether the owner wants no more.
  private final HandOver requests;
  private volatile boolean blocked;

  Connection(
      long session,
      GtmConfig config,
      Engine engine,
      EventExecutor owner,
      RequestMetrics metrics,
      PartialBudget budget,
      Consumer<Throwable> fatal) {
    this.session = session;
    this.config = config;
    this.engine = engine;
    this.owner = owner;
    this.metrics = metrics;
    this.budget = budget;
    this.fatal = fatal;
    this.requests = new HandOver(owner, () -> onEventLoop(this::updateReading));
    this.lists = new ListPump(owner, this::updateBlocked);
    this.decoder = new RequestDecoder(config.limits().frameBytesMax(), decoding);
    decoder.session(session);
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    context = ctx;
    lists.sendsTo(ctx);
    if (LocalSocket.isThisMachine(ctx.channel())) {
      decoder.allowOperators();
    }
    outbound = new OutboundWatch(ctx.channel(), config.timeouts().outboundMs(), this::closeUnread);
    inbound = new InboundWatch(ctx.channel(), config.timeouts().frameMs(), budget, this::late);
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    metrics.connected();
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event instanceof Newcomers.TurnAway goes) {
      late(goes.message());
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf in = (ByteBuf) message;
    try {
      if (!failed) {
        read(in);
      }
    } finally {
      in.release();
    }
  }

  private void read(ByteBuf in) {
    ByteBuf joined = inbound.join(in);
    decode(joined);
    if (failed) {
      inbound.release();
    } else {
      inbound.keepRest(joined, started);
    }
  }

  private void decode(ByteBuf in) {
    int from = in.readerIndex();
    decoding.readNanos = System.nanoTime();
    try {
      decoder.decode(in);
    } catch (WireException e) {
      fail(e.getMessage(), e.hint());
    }
    decoding.readBytes = in.readerIndex() - from;
    if (!decoding.isEmpty()) {
      handOver();
    }
  }

  /** The connection is of no use any more; the client is told and it is closed. */
  private void fail(String message, String hint) {
    failed = true;
    closing(message);
    decoding.failed(message, hint);
  }

  private void closing(String why) {
    STRANGERS.run(more -> log.info("Closing {}: {}{}", describe(), why, more));
    metrics.protocolError();
  }

  private void late(String what) {
    if (failed) {
      return;
    }
    inbound.release();
    decoding.readNanos = System.nanoTime();
    decoding.readBytes = 0;
    fail(what, "");
    handOver();
  }

  private void handOver() {
    if (!started) {
      started = true;
      Newcomers.admitted(context.pipeline());
    }
    if (owner.inEventLoop()) {
      serve(decoding);
      decoding.clear();
      return;
    }
    Batch batch = decoding.handOver();
    requests.submit(batch.readBytes, () -> serve(batch));
    updateReading();
  }

  /** Owner thread. */
  private void serve(Batch batch) {
    try {
      if (backlog.isEmpty()) {
        run(batch);
      }
    } catch (RuntimeException | Error e) {
      gone = true;
      fatal.accept(e);
    }
    if (!batch.isDone() && !gone) {
      backlog.addLast(batch == decoding ? batch.handOver() : batch);
    }
    updateBlocked();
  }

  private void run(Batch batch) {
    while (!batch.isDone() && !gone && mayAnswer()) {
      gone = !engine.process(this, batch);
    }
  }

  private boolean mayAnswer() {
    return !lists.isBusy()
        && heldBytes < config.limits().outboundBytesMax()
        && context.channel().isWritable();
  }

  /** Owner thread: goes on with the backlog. */
  private void resume() {
    resuming = false;
    try {
      while (!backlog.isEmpty() && !gone && mayAnswer()) {
        run(backlog.peekFirst());
        if (backlog.peekFirst().isDone()) {
          backlog.removeFirst();
        }
      }
    } catch (RuntimeException | Error e) {
      gone = true;
      fatal.accept(e);
    }
    if (gone) {
      backlog.clear();
    }
    updateBlocked();
  }

  /**
   * Owner thread. The event loop makes the socket writable and then looks at {@code blocked}; here
   * it is the other way round, so that one of the two sees that the backlog can go on.
   */
  private void updateBlocked() {
    boolean now =
        lists.isBusy() || heldBytes >= config.limits().outboundBytesMax() || !backlog.isEmpty();
    if (now != blocked) {
      blocked = now;
      onEventLoop(this::updateReading);
    }
    if (!backlog.isEmpty() && mayAnswer()) {
      resumeSoon();
    }
    if (context.channel().isWritable()) {
      lists.goOn();
    }
  }

  /** Owner thread. Never at once: the engine may be in the middle of something. */
  private void resumeSoon() {
    if (!resuming) {
      resuming = true;
      owner.execute(this::resume);
    }
  }

  private void onEventLoop(Runnable task) {
    if (context.executor().inEventLoop()) {
      task.run();
    } else {
      context.executor().execute(task);
    }
  }

  private String describe() {
    return "session " + session + " from " + context.channel().remoteAddress();
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    if (!ctx.channel().isWritable()) {
      outbound.start();
    } else if (blocked) {
      owner.execute(this::updateBlocked);
    }
    updateReading();
  }

  private void updateReading() {
    inbound.setReading(!blocked && context.channel().isWritable() && !requests.isFull());
  }

  private void closeUnread() {
    failed = true;
    int ms = config.timeouts().outboundMs();
    closing("it has read nothing for %d ms while replies wait for it".formatted(ms));
    context.close();
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    inbound.release();
    failed = true;
    metrics.disconnected();
    if (owner.inEventLoop()) {
      endSession();
    } else {
      owner.execute(this::endSession);
    }
  }

  private void endSession() {
    if (ended) {
      return;
    }
    ended = true;
    gone = true;
    backlog.clear();
    lists.drop();
    try {
      engine.closeSession(session);
    } catch (RuntimeException | Error e) {
      fatal.accept(e);
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (cause instanceof IOException) {
      log.debug("{}: {}", describe(), cause.toString());
    } else {
      log.error("Closing {} for an error in its handler", describe(), cause);
    }
    ctx.close();
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
    return REPLIES.take();
  }

  @Override
  public void send(ByteBuf replies, boolean close) {
    if (close) {
      context.writeAndFlush(replies).addListener(ChannelFutureListener.CLOSE);
      onEventLoop(outbound::closing);
    } else if (replies.isReadable()) {
      context.writeAndFlush(outbound.fitted(replies), context.voidPromise());
    } else {
      replies.release();
    }
  }

  @Override
  public void listBegins() {
    lists.await();
  }

  @Override
  public void list(ListReply of, Runnable done) {
    if (ended) {
      done.run();
      return;
    }
    lists.begin(of, done);
  }

  @Override
  public void held(int bytes) {
    heldBytes += bytes;
    updateBlocked();
  }
}
