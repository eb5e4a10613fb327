package io.mgtm.query.session;

import io.mgtm.query.connection.Answer;
import io.mgtm.query.connection.Loops;
import io.mgtm.query.connection.ServerConnection;
import io.mgtm.query.fleet.Node;
import io.mgtm.query.wire.ErrorFields;
import io.mgtm.query.wire.Frame;
import io.mgtm.query.wire.Messages;
import io.mgtm.query.wire.ServerDecoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.Future;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** A session's connection to one server. Belongs to the session's loop. */
public final class Backend extends ChannelInboundHandlerAdapter {
  /** idle_in_transaction_session_timeout and idle_session_timeout. */
  private static final Set<String> IDLE_TIMEOUTS = Set.of("25P03", "57P05");

  /** The session. */
  public interface Owner {
    /** A notice, parameter or notification that belongs to no answer, to be released. */
    void unasked(Backend backend, Frame frame);

    /** The connection has ended and the server is not known to be out. */
    void broken(Backend backend);

    /** What one read brought was taken. */
    void readComplete();

    /** It takes more again, or no more for now. */
    void writabilityChanged();
  }

  /** Longer than it takes a server that waits for nobody; then twice as long each time. */
  private static final int UNDONE_MS = 20;

  private static final int UNDONE_MS_MAX = 1_000;

  /** What is to answer a request, and when that was sent. */
  private record Expected(Answer answer, long sentNanos) {}

  private record Held(ByteBuf request, Expected answer) {}

  private final Node node;
  private final ServerConnection connection;
  private final Owner owner;

  /** Null when the connection has ended already. */
  private final ServerDecoder decoder;

  private final Map<String, Prepared> prepared = new HashMap<>();
  private final ArrayDeque<Expected> expected = new ArrayDeque<>();
  private final ArrayDeque<Runnable> whenAnswered = new ArrayDeque<>();
  private final ArrayDeque<Held> held = new ArrayDeque<>();

  /** Asks the server to cancel, while what it was asked is undone; else null. */
  private Supplier<Future<?>> cancel;

  private boolean isCancelling;

  /** When it is asked next. */
  private Future<?> cancelsNext;

  private boolean inTransaction;
  private boolean gone;
  private long heardNanos = System.nanoTime();
  private String lastWords = "it closed the connection";
  private ErrorFields idleTimeout;

  /** One over a connection that was entered. */
  public static Backend over(ServerConnection connection, Node node, Owner owner) {
    Backend backend = new Backend(node, connection, owner);
    connection.channel().pipeline().addLast(backend);
    return backend;
  }

  Backend(Node node, ServerConnection connection, Owner owner) {
    this.node = node;
    this.connection = connection;
    this.owner = owner;
    this.decoder = connection.channel().pipeline().get(ServerDecoder.class);
  }

  Node node() {
    return node;
  }

  ServerConnection connection() {
    return connection;
  }

  Channel channel() {
    return connection.channel();
  }

  ByteBufAllocator alloc() {
    return channel().alloc();
  }

  boolean isGone() {
    return gone;
  }

  /** Statements that it knows, by their names. */
  Map<String, Prepared> prepared() {
    return prepared;
  }

  /**
   * Code of users runs there, which may remove prepared statements, as DEALLOCATE ALL does: the
   * replicator prepares its own again before it uses them.
   */
  void forgetOwn() {
    prepared.replaceAll(
        (name, statement) -> name.startsWith(Prepared.OWN) ? Prepared.NOT_KNOWN : statement);
  }

  /** Whether a transaction with effects was begun at it, as one of the others. */
  boolean isInTransaction() {
    return inTransaction;
  }

  void setInTransaction(boolean open) {
    inTransaction = open;
  }

  /** When it answered something, if only a part. */
  long heardNanos() {
    return heardNanos;
  }

  /** What it said last before it went. */
  String lastWords() {
    return lastWords;
  }

  /** Why it ended, where its client was idle for longer than that had set; else null. */
  ErrorFields idleTimeout() {
    return idleTimeout;
  }

  /** Whether rows are held from the next answer on. */
  void hold(boolean rows) {
    if (decoder != null) {
      decoder.hold(rows);
    }
  }

  /** Sends a request whose answer ends with ReadyForQuery. */
  void ask(ByteBuf request, Answer answer) {
    if (gone) {
      request.release();
      answer.lost();
      return;
    }
    node.begun();
    Held next = new Held(request, new Expected(answer, System.nanoTime()));
    if (cancel == null) {
      send(next);
    } else {
      held.add(next);
    }
  }

  private void send(Held next) {
    expected.add(next.answer);
    channel().writeAndFlush(next.request);
  }

  /**
   * Holds what it is asked from now on until it has answered what it was asked, where any of that
   * is undone. What is undone may wait for a lock that another has got since where it was done
   * first, and is cancelled then; it takes nothing else with it.
   *
   * @param by asks the server to cancel what it does; completes when it has taken that
   */
  void holdWhileUndone(Supplier<Future<?>> by) {
    if (cancel == null && expected.stream().anyMatch(one -> one.answer.isUndone())) {
      cancel = by;
      cancelAfter(UNDONE_MS);
    }
  }

  private void cancelAfter(int ms) {
    cancelsNext = channel().eventLoop().schedule(() -> cancelUndone(ms), ms, TimeUnit.MILLISECONDS);
  }

  private void cancelUndone(int ms) {
    if (!isCancelling && expected.peek() != null && expected.peek().answer.isUndone()) {
      isCancelling = true;
      cancel
          .get()
          .addListener(
              taken -> {
                isCancelling = false;
                letGo();
              });
    }
    cancelAfter(Math.min(2 * ms, UNDONE_MS_MAX));
  }

  private void stopCancelling() {
    if (cancel != null) {
      cancel = null;
      cancelsNext.cancel(false);
    }
  }

  /** What was held is sent once nothing is under way that a cancel may reach. */
  private void letGo() {
    if (cancel != null && expected.isEmpty() && !isCancelling) {
      stopCancelling();
      for (Held next = held.poll(); next != null; next = held.poll()) {
        send(next);
      }
    }
  }

  /** Whether it has answered all that it was asked. */
  boolean isIdle() {
    return expected.isEmpty() && held.isEmpty();
  }

  /** A simple query, by which a server forgets the statement without a name. */
  public void ask(String sql, Answer answer) {
    ask(sql, StandardCharsets.UTF_8, answer);
  }

  /** A client's statement, in the encoding that its session has. */
  void ask(String sql, Charset charset, Answer answer) {
    prepared.remove("");
    ask(Messages.query(alloc(), Unpooled.wrappedBuffer(sql.getBytes(charset))), answer);
  }

  /** The client's statement that it was given and has not answered yet, or null. */
  Relay clients() {
    return Stream.concat(expected.stream(), held.stream().map(Held::answer))
        .map(Expected::answer)
        .filter(Relay.class::isInstance)
        .map(Relay.class::cast)
        .findFirst()
        .orElse(null);
  }

  /** Whether it has answered all that came before that. */
  boolean isAt(Relay statement) {
    return !expected.isEmpty() && expected.peek().answer == statement;
  }

  /** Runs it once the request that it is at has its answer, or will have none. */
  void whenAnswered(Runnable task) {
    whenAnswered.add(task);
  }

  /** Runs it when it has answered all that it was asked, or is gone. */
  void whenIdle(Runnable task) {
    if (gone || isIdle()) {
      task.run();
    } else {
      whenAnswered(() -> whenIdle(task));
    }
  }

  private void answered() {
    for (int i = whenAnswered.size(); i > 0; i--) {
      whenAnswered.remove().run();
    }
  }

  /** Gives it up: its server is out, or the session ends. */
  public void fail() {
    if (gone) {
      return;
    }
    List<Expected> lost = abandon();
    channel().close();
    lost.forEach(one -> one.answer.lost());
    answered();
  }

  /** Nothing is asked any more; returns what has no answer. */
  private List<Expected> abandon() {
    gone = true;
    stopCancelling();
    List<Expected> left =
        Stream.concat(expected.stream(), held.stream().map(Held::answer)).toList();
    held.forEach(one -> one.request.release());
    held.clear();
    expected.clear();
    left.forEach(one -> node.ended());
    return left;
  }

  /** Takes leave of a server that is well. */
  public void close() {
    abandon();
    answered();
    Loops.closeAfter(channel(), Messages.terminate(alloc()));
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    Frame frame = (Frame) message;
    heardNanos = System.nanoTime();
    if (gone) {
      frame.release();
      return;
    }
    switch (frame.type()) {
      case 'S', 'A' -> owner.unasked(this, frame);
      case 'Z' -> {
        char status = (char) frame.body().getByte(frame.body().readerIndex());
        frame.release();
        Expected ended = expected.poll();
        if (ended != null) {
          node.ended();
          node.took(heardNanos - ended.sentNanos);
          ended.answer.ready(status);
          answered();
          letGo();
        }
      }
      case 'E' -> error(frame);
      default -> {
        if (expected.isEmpty()) {
          owner.unasked(this, frame);
        } else {
          expected.peek().answer.take(frame);
        }
      }
    }
  }

  /** A fatal one is the connection's end, and no answer. */
  private void error(Frame frame) {
    ErrorFields fields = ErrorFields.read(frame.body());
    if (!fields.severity().equals("ERROR") || expected.isEmpty()) {
      lastWords = fields.message();
      idleTimeout = IDLE_TIMEOUTS.contains(fields.sqlState()) ? fields : null;
      frame.release();
    } else {
      expected.peek().answer.take(frame);
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    owner.readComplete();
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    owner.writabilityChanged();
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    if (!gone) {
      owner.broken(this);
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    lastWords = cause.toString();
    context.close();
  }
}
