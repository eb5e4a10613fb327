package io.mgtm.query.session;

import io.mgtm.query.catalogue.Catalogues;
import io.mgtm.query.connection.Greeting;
import io.mgtm.query.connection.Loops;
import io.mgtm.query.connection.ServerConnection;
import io.mgtm.query.fleet.Node;
import io.mgtm.query.fleet.Slots;
import io.mgtm.query.wire.ErrorFields;
import io.mgtm.query.wire.Frame;
import io.mgtm.query.wire.Messages;
import io.mgtm.query.wire.WireException;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.nio.charset.Charset;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/**
 * A client before several servers. Belongs to one event loop, which runs its connection and those
 * to all servers; the methods of {@link OpenSession} and {@link #execute} may be called by any
 * thread.
 */
public final class ReplicatedSession extends ChannelInboundHandlerAdapter
    implements OpenSession, Backend.Owner {
  private final int pid;
  private final int secret;
  private final Slots.Slot slot;
  private final Channel client;
  private final Shared shared;
  private final LateEntry late;
  private final Turn turn;
  private final Schema schema;
  private final Planner planner;
  private final ServerSet set;
  private final ClientInput input;
  private final Cancels cancels;
  private final Failover failover;
  private final SessionSettings settings = new SessionSettings();
  private UnitRun unit;
  private Backend running;
  private boolean draining;
  private boolean ended;

  /**
   * A session that has not begun.
   *
   * @param key by which servers that come in later are entered
   * @param known of the schema, when it began to enter them
   * @param charset of the client_encoding
   */
  public ReplicatedSession(
      int pid,
      Slots.Slot slot,
      Channel client,
      Shared shared,
      EntryKey key,
      Catalogues.Known known,
      Charset charset) {
    this.pid = pid;
    this.slot = slot;
    this.secret = shared.sessions().secret();
    this.client = client;
    this.shared = shared;
    this.turn = new Turn(shared.limit(), client.eventLoop());
    this.cancels = new Cancels(this);
    this.late = new LateEntry(this, key);
    this.schema = new Schema(this, key.parameters().get("database"), known);
    this.planner = new Planner(known.classifier(), charset);
    this.set = new ServerSet(shared.fleet(), this);
    this.input = new ClientInput(this);
    this.failover = new Failover(this);
  }

  @Override
  public int pid() {
    return pid;
  }

  @Override
  public int secret() {
    return secret;
  }

  Channel client() {
    return client;
  }

  ByteBufAllocator alloc() {
    return client.alloc();
  }

  EventLoop loop() {
    return client.eventLoop();
  }

  Shared shared() {
    return shared;
  }

  Schema schema() {
    return schema;
  }

  Planner planner() {
    return planner;
  }

  ServerSet set() {
    return set;
  }

  /** Its row in position tables. */
  Slots.Slot slot() {
    return slot;
  }

  boolean isEnded() {
    return ended;
  }

  /** What is run for the client now, or null. */
  UnitRun unit() {
    return unit;
  }

  /** Whether a commit must come to its end. */
  boolean isCommitting() {
    return unit != null && unit.isCommitting();
  }

  Failover failover() {
    return failover;
  }

  /** What the values of this session are read by, and what its client has set of its own. */
  SessionSettings settings() {
    return settings;
  }

  void execute(Runnable task) {
    loop().execute(task);
  }

  /** Greets the client with what the first server said, and begins; on the loop. */
  public void begin(Map<Node, ServerConnection> connections) {
    client.write(Messages.authenticationOk(alloc()));
    List<Node> nodes = shared.fleet().sorted(connections.keySet());
    Greeting greeting = new Greeting(nodes.stream().map(connections::get).toList());
    settings.begin(greeting);
    greeting.tell(client::write);
    nodes.forEach(node -> set.add(Backend.over(connections.get(node), node, this)));
    client.write(Messages.backendKeyData(alloc(), pid, secret));
    client.writeAndFlush(Messages.readyForQuery(alloc(), 'I'));
    client.pipeline().addLast(this);
    set.all().stream().filter(b -> !b.channel().isActive()).forEach(this::broken);
    if (!client.isActive()) {
      end(null);
    }
  }

  // ---- what the client sends -------------------------------------------------------------------

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    Frame frame = (Frame) message;
    if (ended) {
      frame.release();
      return;
    }
    input.add(frame);
  }

  /** Whether the next messages can be run. */
  boolean takesMore() {
    return !ended && (unit == null || unit.isWaiting() || copying() != null);
  }

  /** The COPY that takes what the client sends, or null. */
  CopyIn copying() {
    return unit == null ? null : unit.awaited().copying();
  }

  void run(List<Segment> segments, boolean last) {
    if (unit == null) {
      unit = new UnitRun(this);
    }
    unit.add(segments, last);
  }

  /** A Flush was answered, or a COPY wants its data. */
  void paused() {
    client.flush();
    input.pump();
  }

  void unitDone() {
    if (set.home() == null) {
      turn.end();
    }
    unit = null;
    running = null;
    client.flush();
    endIfDrained();
    input.pump();
  }

  void forgetStatements() {
    planner.forget();
    set.all().forEach(backend -> backend.prepared().clear());
  }

  /** Code of users runs at the servers, before whatever they are asked next. */
  void codeRuns() {
    set.all().forEach(Backend::forgetOwn);
    set.timeouts().maySet();
  }

  // ---- what servers do -------------------------------------------------------------------------

  @Override
  public void unasked(Backend backend, Frame frame) {
    if (frame.type() == 'S' && set.all().contains(backend)) {
      setting(frame);
    }
    Backend tells = running != null ? running : set.home() != null ? set.home() : set.leader();
    if (backend == tells && !ended && settings.isTold(frame)) {
      client.write(frame.content());
    } else {
      frame.release();
    }
  }

  private void setting(Frame frame) {
    ErrorFields refused = settings.told(frame);
    if (refused == null) {
      planner.setCharset(settings.charset());
    } else {
      end(refused);
    }
  }

  @Override
  public void broken(Backend backend) {
    failover.broken(backend);
  }

  @Override
  public List<Integer> backendsAt(Node node) {
    return Stream.concat(set.pidsAt(node).stream(), late.pidAt(node).stream()).toList();
  }

  @Override
  public CompletableFuture<Void> serverComes(Node node) {
    CompletableFuture<Void> tried = new CompletableFuture<>();
    execute(() -> late.connect(node, () -> tried.complete(null)));
    return tried;
  }

  @Override
  public void serverOut(Node node) {
    execute(() -> failover.serverOut(node));
  }

  @Override
  public CompletableFuture<Void> runningEnds(String database) {
    return schema.runningEnds(database);
  }

  @Override
  public CompletableFuture<Void> othersFollow() {
    return schema.othersFollow();
  }

  LateEntry late() {
    return late;
  }

  @Override
  public void readComplete() {
    client.flush();
  }

  @Override
  public void writabilityChanged() {
    if (unit != null) {
      unit.awaited().pump();
    }
    updateReading();
  }

  void updateReading() {
    boolean room =
        input.bytes() <= shared.config().limits().outboundBytesMax()
            && (unit == null || !unit.awaited().isBehind());
    client
        .config()
        .setAutoRead(room && set.live().stream().allMatch(b -> b.channel().isWritable()));
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    set.updateReading();
  }

  // ---- its end ---------------------------------------------------------------------------------

  void runsAt(Backend backend) {
    running = backend;
  }

  /** Where the client's statement runs, or null. */
  Backend running() {
    return ended ? null : running;
  }

  /** To run a transaction that may write. */
  Turn turn() {
    return turn;
  }

  Cancels cancels() {
    return cancels;
  }

  /** Reaches what the client's statement runs at, never what the replicator does of itself. */
  @Override
  public Future<?> cancel() {
    return cancels.send();
  }

  @Override
  public void drain() {
    execute(
        () -> {
          draining = true;
          endIfDrained();
        });
  }

  private void endIfDrained() {
    if (draining && unit == null && input.isEmpty() && set.home() == null) {
      stop();
    }
  }

  /** Ends it; a commit that was begun goes to its end first. */
  @Override
  public void end(ErrorFields why) {
    if (!loop().inEventLoop()) {
      execute(() -> end(why));
      return;
    }
    if (ended) {
      return;
    }
    ended = true;
    if (why != null) {
      client.write(Messages.error(alloc(), why));
    }
    Loops.closeAfter(client, alloc().buffer(0));
    input.release();
    if (!isCommitting()) {
      closeBackends();
    }
  }

  void closeBackends() {
    if (unit != null) {
      unit.release();
      unit = null;
    }
    turn.end();
    set.all().stream().filter(b -> !b.isGone()).forEach(cancels::leave);
    late.forgetAll();
    schema.ended();
    slot.sessionEnded();
    shared.sessions().remove(this);
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    end(null);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    String sqlState = cause instanceof WireException wire ? wire.sqlState() : "08006";
    end(ErrorFields.fatal(sqlState, "the client's connection: " + cause.getMessage()));
  }
}
