package io.mgtm.gtm.node.total;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.group.member.GroupAdmin;
import io.mgtm.group.member.GroupStatus;
import io.mgtm.group.storage.LogStats;
import io.mgtm.group.total.OrderedLog;
import io.mgtm.gtm.command.SequenceCommand;
import io.mgtm.gtm.command.SnapshotCommand;
import io.mgtm.gtm.command.TransactionCommand;
import io.mgtm.gtm.command.TransactionRef;
import io.mgtm.gtm.node.engine.EngineParts;
import io.mgtm.gtm.node.engine.EngineTime;
import io.mgtm.gtm.node.engine.GtmStateMachine;
import io.mgtm.gtm.node.engine.LinkWork;
import io.mgtm.gtm.node.engine.RecordingPeer;
import io.mgtm.gtm.node.engine.RequestMetrics;
import io.mgtm.gtm.node.engine.TestSetup;
import io.mgtm.gtm.state.GtmState;
import io.mgtm.gtm.state.Limits;
import io.mgtm.gtm.wire.link.Leadership;
import io.mgtm.gtm.wire.link.LinkCommand;
import io.mgtm.gtm.wire.link.LinkFormat;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.concurrent.Executor;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How much a member of a group in mode total answers at a time; the order is the test's. */
class TotalReplyBoundTest {
  private static final long SESSION = LinkFormat.SESSION_BIT | 1;
  private static final int SNAPSHOT_GXIDS = 250_000;

  /** What is promised for one of them; eight make a batch full, and 32 all batches. */
  private static final int SNAPSHOTS = 100;

  private static final int IN_A_TURN = 9;
  private static final int AT_A_TIME = 36;
  private static final Limits LIMITS =
      new Limits(1_000, SNAPSHOT_GXIDS, 1_000, 10, Long.MIN_VALUE / 2, Long.MIN_VALUE / 2);

  private final Deque<Runnable> tasks = new ArrayDeque<>();
  private final Order order = new Order();
  private final OrderedGtm gtm = new OrderedGtm(new GtmStateMachine(GtmState.empty()));
  private final RecordingPeer peer = new RecordingPeer("p");
  private TotalEngine engine;

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

  @BeforeEach
  void serve() {
    Executor owner = tasks::add;
    EngineTime time = new EngineTime(() -> 1_000, System::nanoTime);
    engine =
        new TotalEngine(
            TestSetup.limited(() -> new Leadership(true, 1, "g1", "g1", "h:1"), LIMITS),
            gtm,
            order,
            new EngineParts(
                owner,
                time,
                new RequestMetrics(new SimpleMeterRegistry()),
                failed -> {
                  throw new AssertionError(failed);
                }));
    gtm.begin(new MemberOpCodec.Header(1_000, LIMITS));
    gtm.state().apply(new TransactionCommand.StartGxids(10_000, 3));
    engine.announce();
    run();
    settleAll();
    engine.submit(new LinkWork.Attach(peer, SESSION, true, false));
    run();
    settleAll();
    peer.told.clear();
  }

  private void run() {
    for (Runnable next = tasks.poll(); next != null; next = tasks.poll()) {
      next.run();
    }
  }

  /** Applies what was proposed, and settles it, then runs what comes of that. */
  private void settleAll() {
    long last = order.numbers;
    long number = last - order.proposed.size();
    for (ByteBuffer next = order.proposed.poll(); next != null; next = order.proposed.poll()) {
      number++;
      gtm.apply(number, number, next);
    }
    engine.committed(last);
    run();
  }

  private void send(LinkCommand command) {
    engine.submit(
        new LinkWork.Commands(peer, SESSION, 0, 1, Collections.nCopies(SNAPSHOTS, command)));
    run();
  }

  private static LinkCommand snapshot() {
    return new LinkCommand((short) 1, new SnapshotCommand.GetSnapshot(TransactionRef.gxid(0)));
  }

  @Test
  void whatSnapshotsMayTakeIsBounded() {
    send(snapshot());
    int answered = 0;
    while (!order.proposed.isEmpty()) {
      assertThat(order.proposed.size()).isLessThanOrEqualTo(AT_A_TIME / (IN_A_TURN - 1));
      settleAll();
      int more = peer.numbers.size() - answered;
      assertThat(more).isPositive().isLessThanOrEqualTo(AT_A_TIME);
      answered = peer.numbers.size();
    }
    assertThat(peer.numbers)
        .containsExactlyElementsOf(LongStream.rangeClosed(1, SNAPSHOTS).boxed().toList());
  }

  @Test
  void shortRepliesAreNot() {
    send(new LinkCommand((short) 1, new SequenceCommand.NextValue("d.s\0")));
    assertThat(order.proposed).hasSize(1);
    settleAll();
    assertThat(peer.numbers).hasSize(SNAPSHOTS);
  }
}
