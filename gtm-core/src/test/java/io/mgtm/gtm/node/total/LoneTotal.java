package io.mgtm.gtm.node.total;

import io.mgtm.group.member.GroupAdmin;
import io.mgtm.group.member.GroupStatus;
import io.mgtm.group.storage.LogStats;
import io.mgtm.group.total.OrderedLog;
import io.mgtm.gtm.command.TransactionCommand;
import io.mgtm.gtm.node.engine.EngineParts;
import io.mgtm.gtm.node.engine.EngineTime;
import io.mgtm.gtm.node.engine.GtmStateMachine;
import io.mgtm.gtm.node.engine.LinkWork;
import io.mgtm.gtm.node.engine.RequestMetrics;
import io.mgtm.gtm.node.engine.TestSetup;
import io.mgtm.gtm.state.GtmState;
import io.mgtm.gtm.state.Limits;
import io.mgtm.gtm.wire.link.Leadership;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;

/** A member of a group in mode total that serves; the order is the test's. */
final class LoneTotal {
  private final Limits limits;
  private final Deque<Runnable> tasks = new ArrayDeque<>();
  private final Order order = new Order();
  private final TotalEngine engine;
  final OrderedGtm gtm = new OrderedGtm(new GtmStateMachine(GtmState.empty()));

  /** Keeps what is proposed until the test gives it its place. */
  private static final class Order implements OrderedLog {
    private final Deque<ByteBuffer> proposed = new ArrayDeque<>();
    private long numbers;

    @Override
    public boolean canPropose(int bytes) {
      return true;
    }

    @Override
    public long propose(ByteBuffer payload) {
      proposed.add(ByteBuffer.allocate(payload.remaining()).put(payload.duplicate()).flip());
      return ++numbers;
    }

    @Override
    public boolean isServing() {
      return true;
    }

    @Override
    public boolean isLeading() {
      return false;
    }

    @Override
    public boolean hasRoom(int bytes) {
      return true;
    }

    @Override
    public LogStats stats() {
      throw new UnsupportedOperationException("nobody asks");
    }

    @Override
    public String noRoomReason() {
      return "";
    }

    @Override
    public GroupAdmin admin() {
      throw new UnsupportedOperationException("nobody asks");
    }

    @Override
    public GroupStatus status() {
      throw new UnsupportedOperationException("only who makes the order asks");
    }

    @Override
    public void close() {}
  }

  LoneTotal(Limits limits) {
    this.limits = limits;
    engine =
        new TotalEngine(
            TestSetup.limited(() -> new Leadership(true, 1, "g1", "g1", "h:1", null), limits),
            gtm,
            order,
            new EngineParts(
                tasks::add,
                new EngineTime(() -> 1_000, System::nanoTime),
                new RequestMetrics(new SimpleMeterRegistry()),
                failed -> {
                  throw new AssertionError(failed);
                }));
    gtm.begin(new MemberOpCodec.Header(1_000, limits));
    gtm.state().apply(new TransactionCommand.StartGxids(10_000, 3));
    engine.announce();
    run();
    settleAll();
  }

  private void run() {
    for (Runnable next = tasks.poll(); next != null; next = tasks.poll()) {
      next.run();
    }
  }

  void submit(LinkWork work) {
    engine.submit(work);
    run();
  }

  boolean isServing() {
    return engine.isServing();
  }

  /** What is proposed and has no place yet, the oldest first. */
  Deque<ByteBuffer> proposed() {
    return order.proposed;
  }

  /** An operation of another member at a place. */
  void other(long index, MemberOp op) {
    gtm.begin(new MemberOpCodec.Header(1_000, limits));
    gtm.apply(index, op, OpResults.NONE);
    run();
  }

  /** Applies what was proposed at a place that it may lose again. */
  void apply() {
    long number = order.numbers - order.proposed.size();
    for (ByteBuffer next : order.proposed) {
      number++;
      gtm.apply(number, number, next);
    }
  }

  /** What was applied has lost its place. */
  void withdraw() {
    engine.withdrawn(order.numbers - order.proposed.size() + 1);
  }

  /** The state is another member's, which has all that was proposed. */
  void skip() {
    order.proposed.clear();
    engine.skipped(order.numbers);
    run();
  }

  /** Applies what was proposed, and settles it, then runs what comes of that. */
  void settleAll() {
    apply();
    settleApplied();
  }

  /** What was applied keeps its place. */
  void settleApplied() {
    order.proposed.clear();
    engine.committed(order.numbers);
    run();
  }
}
