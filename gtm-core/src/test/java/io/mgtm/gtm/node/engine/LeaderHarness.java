package io.mgtm.gtm.node.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.Isolation;
import io.mgtm.gtm.command.TransactionCommand;
import io.mgtm.gtm.command.TransactionCommand.BeginKind;
import io.mgtm.gtm.state.GtmState;
import io.mgtm.gtm.wire.link.Leadership;
import io.mgtm.gtm.wire.link.LinkCommand;
import io.mgtm.gtm.wire.link.LinkFormat;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** A leader's engine; the log and the batches are the test's. */
abstract class LeaderHarness {
  static final long ONE = LinkFormat.SESSION_BIT | 1;
  static final long TWO = LinkFormat.SESSION_BIT | 2;

  final Deque<Runnable> tasks = new ArrayDeque<>();
  final List<Throwable> fatal = new ArrayList<>();
  final ReadIndexLog log = new ReadIndexLog();
  final GtmStateMachine machine = new GtmStateMachine(GtmState.empty());
  final RecordingPeer p1 = new RecordingPeer("p1");
  final RecordingPeer p2 = new RecordingPeer("p2");
  long nowMicros = 1_000;
  long graceMs = 60_000;
  Runnable handOver;
  long term = 1;
  final List<Runnable> timers = new ArrayList<>();
  LinkEngine engine = engine();

  LinkEngine engine() {
    return new LeaderEngine(
        TestSetup.of(
            () -> new Leadership(engine.takesGateways(), term, "g1", "g1", "h:1", null),
            graceMs,
            new LazyLeader.Settings(2_000, (ms, task) -> timers.add(task)),
            handOver),
        machine,
        log,
        new EngineParts(
            tasks::add,
            new EngineTime(() -> nowMicros, System::nanoTime),
            new RequestMetrics(new SimpleMeterRegistry()),
            fatal::add));
  }

  void batch() {
    for (Runnable next = tasks.poll(); next != null; next = tasks.poll()) {
      next.run();
    }
    assertThat(fatal).isEmpty();
  }

  void settle() {
    batch();
    log.commitAll();
    log.confirmAll();
    engine.release();
  }

  void attach(RecordingPeer peer, long session, boolean fresh) {
    engine.submit(new LinkWork.Attach(peer, session, fresh, false));
  }

  void send(RecordingPeer peer, long session, long first, Command... commands) {
    send(peer, session, first, List.of(commands));
  }

  void send(RecordingPeer peer, long session, long first, List<Command> commands) {
    engine.submit(
        new LinkWork.Commands(
            peer,
            session,
            first - 1,
            first,
            commands.stream().map(c -> new LinkCommand((short) 1, c)).toList()));
  }

  static Command begin(long session) {
    return new TransactionCommand.Begin(
        session, (short) 1, Isolation.READ_COMMITTED, false, BeginKind.GXID);
  }

  static Command ask() {
    return new TransactionCommand.GetNextGxid();
  }

  void attachBoth() {
    attach(p1, ONE, true);
    attach(p2, TWO, true);
    settle();
    assertThat(p1.told).containsExactly("attached 0");
    assertThat(p2.told).containsExactly("attached 0");
    p1.told.clear();
    p2.told.clear();
    p1.flushes = 0;
    p1.writes = 0;
  }
}
