package io.mgtm.gtm.node.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.group.Durability;
import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.Isolation;
import io.mgtm.gtm.command.SequenceCommand;
import io.mgtm.gtm.command.TransactionCommand;
import io.mgtm.gtm.command.TransactionCommand.BeginKind;
import io.mgtm.gtm.state.GtmState;
import io.mgtm.gtm.state.Limits;
import io.mgtm.gtm.wire.link.Leadership;
import io.mgtm.gtm.wire.link.LinkCommand;
import io.mgtm.gtm.wire.link.LinkFormat;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When a leader applies, appends and answers; the log and the batches are the test's. */
class LinkEngineTest {
  private static final long ONE = LinkFormat.SESSION_BIT | 1;
  private static final long TWO = LinkFormat.SESSION_BIT | 2;

  private final Deque<Runnable> tasks = new ArrayDeque<>();
  private final List<Throwable> fatal = new ArrayList<>();
  private final ReadIndexLog log = new ReadIndexLog();
  private final GtmStateMachine machine = new GtmStateMachine(GtmState.empty());
  private final RecordingPeer p1 = new RecordingPeer("p1");
  private final RecordingPeer p2 = new RecordingPeer("p2");
  private long nowMicros = 1_000;
  private long graceMs = 60_000;
  private Runnable handOver;
  private LinkEngine engine;

  @BeforeEach
  void lead() {
    engine = engine();
    engine.leading();
  }

  private LinkEngine engine() {
    return new LinkEngine(
        new LinkSetup(
            "g1",
            () -> new Leadership(engine.takesGateways(), 1, "g1", "g1", "h:1"),
            () -> "h:1",
            Limits.NONE,
            List.of(new TransactionCommand.StartGxids(10_000, 3)),
            null,
            100,
            graceMs,
            null,
            handOver),
        machine,
        log,
        tasks::add,
        new EngineTime(() -> nowMicros, System::nanoTime),
        new RequestMetrics(new SimpleMeterRegistry()),
        fatal::add);
  }

  private void batch() {
    for (Runnable next = tasks.poll(); next != null; next = tasks.poll()) {
      next.run();
    }
    assertThat(fatal).isEmpty();
  }

  private void settle() {
    batch();
    log.commitAll();
    log.confirmAll();
    engine.release();
  }

  private void attach(RecordingPeer peer, long session, boolean fresh) {
    engine.submit(new LinkWork.Attach(peer, session, fresh, false));
  }

  private void send(RecordingPeer peer, long session, long first, Command... commands) {
    engine.submit(
        new LinkWork.Commands(
            peer,
            session,
            first - 1,
            first,
            Arrays.stream(commands).map(c -> new LinkCommand((short) 1, c)).toList()));
  }

  private static Command begin(long session) {
    return new TransactionCommand.Begin(
        session, (short) 1, Isolation.READ_COMMITTED, false, BeginKind.GXID);
  }

  private static Command ask() {
    return new TransactionCommand.GetNextGxid();
  }

  private void attachBoth() {
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

  @Test
  void aNewLeaderStartsTheGxidsAndTellsWhereItIs() {
    assertThat(machine.state().started()).isTrue();
    assertThat(machine.state().memberAddresses()).containsEntry("g1", "h:1");
    assertThat(log.replayed().state().counts()).isEqualTo(machine.state().counts());
    assertThat(log.durabilities.get(0)).isEqualTo(Durability.REQUIRED);
    long before = log.lastIndex();
    engine.following();
    engine.leading();
    assertThat(log.lastIndex()).as("it is there still").isEqualTo(before);
  }

  @Test
  void whatOneTurnBroughtIsOneEntryAndOneWriteForEachLink() {
    attachBoth();
    long before = log.lastIndex();
    send(p1, ONE, 1, begin(ONE), begin(ONE));
    send(p2, TWO, 1, begin(TWO));
    send(p1, ONE, 3, begin(ONE), ask());
    batch();
    assertThat(log.lastIndex()).isEqualTo(before + 1);
    assertThat(p1.told).isEmpty();
    assertThat(p1.heldBytes).isPositive();
    log.commitAll();
    engine.release();
    assertThat(p1.told).containsExactly("1:S", "2:S", "3:S", "4:S");
    assertThat(p2.told).containsExactly("1:S");
    assertThat(p1.writes).isEqualTo(1);
    assertThat(p1.heldBytes).isZero();
    assertThat(log.replayed().state().counts()).isEqualTo(machine.state().counts());
  }

  @Test
  void repliesWaitForTheirEntryAndLeaveInOrder() {
    attachBoth();
    send(p1, ONE, 1, begin(ONE));
    batch();
    long first = log.lastIndex();
    send(p1, ONE, 2, begin(ONE));
    batch();
    log.committed = first;
    engine.release();
    assertThat(p1.told).containsExactly("1:S");
    log.commitAll();
    engine.release();
    assertThat(p1.told).containsExactly("1:S", "2:S");
  }

  @Test
  void anAnswerThatChangesNothingWaitsUntilTheLeaderIsConfirmed() {
    attachBoth();
    log.confirmAll();
    long before = log.lastIndex();
    send(p1, ONE, 1, ask());
    send(p2, TWO, 1, ask());
    batch();
    engine.release();
    assertThat(log.lastIndex()).isEqualTo(before);
    assertThat(p1.told).isEmpty();
    long readIndex = log.readIndexes;
    log.confirmed = readIndex - 1;
    engine.release();
    assertThat(p1.told).isEmpty();
    log.confirmed = readIndex;
    engine.release();
    assertThat(p1.told).containsExactly("1:S");
    assertThat(p2.told).containsExactly("1:S");
  }

  @Test
  void anAnswerShowsNothingThatIsNotCommitted() {
    attachBoth();
    send(p1, ONE, 1, begin(ONE));
    batch();
    send(p2, TWO, 1, ask());
    batch();
    log.confirmAll();
    engine.release();
    assertThat(p2.told).isEmpty();
    log.commitAll();
    engine.release();
    assertThat(p2.told).containsExactly("1:S");
  }

  @Test
  void aDeposedLeaderSaysNothingMoreAndAppliesNothing() {
    attachBoth();
    send(p1, ONE, 1, begin(ONE));
    batch();
    engine.following();
    log.commitAll();
    log.confirmAll();
    engine.release();
    assertThat(p1.told).isEmpty();
    assertThat(p1.heldBytes).isZero();
    long before = log.lastIndex();
    send(p1, ONE, 2, begin(ONE));
    attach(p2, TWO, false);
    batch();
    assertThat(p1.told).containsExactly("refused NOT_LEADING", "leading false");
    assertThat(p2.told).containsExactly("refused NOT_LEADING", "leading false");
    assertThat(log.lastIndex()).isEqualTo(before);
  }

  @Test
  void whoLeadsAgainServesOnlyWhatIsAttachedAnew() {
    attachBoth();
    engine.following();
    engine.leading();
    send(p1, ONE, 1, begin(ONE));
    settle();
    assertThat(p1.told).containsExactly("refused NOT_LEADING", "leading true");
    p1.told.clear();
    attach(p1, ONE, false);
    send(p1, ONE, 1, begin(ONE));
    settle();
    assertThat(p1.told).containsExactly("attached 0", "1:S");
  }

  @Test
  void repeatedCommandsAreAnsweredAlikeAndLoggedOnce() {
    attachBoth();
    send(p1, ONE, 1, begin(ONE));
    settle();
    long before = log.lastIndex();
    attach(p1, ONE, false);
    send(p1, ONE, 1, begin(ONE));
    settle();
    assertThat(p1.told).containsExactly("1:S", "attached 1", "1:S");
    assertThat(log.lastIndex()).isEqualTo(before);
    assertThat(machine.state().counts().transactions()).isEqualTo(1);
  }

  @Test
  void aGapInTheNumbersEndsTheLink() {
    attachBoth();
    send(p1, ONE, 1, begin(ONE));
    send(p1, ONE, 3, begin(ONE));
    settle();
    assertThat(p1.told).containsExactly("1:S", "refused PROTOCOL");
    assertThat(p1.disconnected).isTrue();
    assertThat(machine.state().counts().transactions()).isEqualTo(1);
  }

  @Test
  void anUnknownSessionIsLostUnlessItIsFresh() {
    attach(p1, ONE, false);
    settle();
    assertThat(p1.told).containsExactly("refused SESSION_LOST");
  }

  @Test
  void aNameThatIsInUseIsRefusedAndTheSessionOfOneThatHasGoneEnds() {
    attachBoth();
    send(p1, ONE, 1, begin(ONE));
    RecordingPeer again = new RecordingPeer("p1");
    attach(again, LinkFormat.SESSION_BIT | 3, true);
    settle();
    assertThat(again.told).containsExactly("refused NAME_IN_USE");
    engine.submit(new LinkWork.Gone(p1));
    attach(again, LinkFormat.SESSION_BIT | 3, true);
    settle();
    assertThat(again.told).containsExactly("refused NAME_IN_USE", "attached 0");
    assertThat(machine.state().gateway(ONE)).isNull();
    assertThat(machine.state().counts().transactions()).isZero();
    assertThat(log.replayed().state().gateways()).isEqualTo(machine.state().gateways());
  }

  @Test
  void nobodyTakesAnothersSession() {
    attachBoth();
    attach(p2, ONE, false);
    settle();
    assertThat(p2.told).containsExactly("refused PROTOCOL");
    send(p2, ONE, 1, begin(ONE));
    settle();
    assertThat(p2.told).contains("refused NOT_LEADING");
    assertThat(machine.state().counts().transactions()).isZero();
  }

  @Test
  void aSessionWithoutALinkEndsAfterItsTimeOfGrace() {
    graceMs = 0;
    engine = engine();
    engine.leading();
    attachBoth();
    send(p1, ONE, 1, begin(ONE));
    settle();
    engine.tick();
    assertThat(machine.state().gateways()).hasSize(2);
    engine.submit(new LinkWork.Gone(p1));
    batch();
    engine.tick();
    assertThat(machine.state().gateways()).hasSize(1);
    assertThat(machine.state().counts().transactions()).isZero();
  }

  @Test
  void aNewLeaderGivesAllSessionsTheirTimeOfGraceAnew() {
    attachBoth();
    engine.following();
    engine.leading();
    engine.tick();
    assertThat(machine.state().gateways()).hasSize(2);
  }

  @Test
  void aClosedSessionEndsAtOnce() {
    attachBoth();
    send(p1, ONE, 1, begin(ONE));
    engine.submit(new LinkWork.Close(p1, ONE));
    settle();
    assertThat(machine.state().gateway(ONE)).isNull();
    assertThat(machine.state().counts().transactions()).isZero();
  }

  @Test
  void withoutRoomQuestionsAreAnsweredAndNothingChanges() {
    attachBoth();
    log.full = true;
    send(p1, ONE, 1, begin(ONE), ask());
    settle();
    assertThat(p1.told).containsExactly("1:E", "2:S");
    assertThat(machine.state().counts().transactions()).isZero();
    log.full = false;
    send(p1, ONE, 3, begin(ONE));
    settle();
    assertThat(p1.told).containsExactly("1:E", "2:S", "3:S");
  }

  @Test
  void withoutRoomACommandThatHadItsEffectIsAnsweredWhenItIsRepeated() {
    attachBoth();
    send(p1, ONE, 1, begin(ONE));
    settle();
    RecordingPeer again = new RecordingPeer("p1");
    attach(again, ONE, false);
    settle();
    log.full = true;
    send(again, ONE, 1, begin(ONE), begin(ONE));
    settle();
    assertThat(again.told).containsExactly("attached 1", "1:S", "2:E");
    assertThat(machine.state().counts().transactions()).isEqualTo(1);
  }

  private void leadWithoutRoom(Runnable asksAnother) {
    handOver = asksAnother;
    engine = engine();
    engine.leading();
    attachBoth();
    log.full = true;
    send(p1, ONE, 1, begin(ONE));
    settle();
  }

  @Test
  void withoutRoomAnotherMemberIsAskedToLeadAndCommandsWaitAtTheirGateways() {
    leadWithoutRoom(() -> {});
    assertThat(p1.told).containsExactly("refused NOT_LEADING", "leading false");
    assertThat(engine.takesGateways()).isFalse();
    log.full = false;
    engine.tick();
    assertThat(engine.takesGateways()).isTrue();
    send(p1, ONE, 1, begin(ONE));
    settle();
    assertThat(p1.told).containsExactly("refused NOT_LEADING", "leading false", "1:S");
  }

  @Test
  void withoutRoomAnotherMemberIsAskedAgainWheneverCommandsCome() {
    int[] asked = {0};
    leadWithoutRoom(() -> asked[0]++);
    int first = asked[0];
    send(p1, ONE, 1, begin(ONE));
    settle();
    assertThat(first).isPositive();
    assertThat(asked[0]).isGreaterThan(first);
    assertThat(p1.told).doesNotContain("1:E", "1:S");
  }

  @Test
  void aLeaderWithoutRoomServesOnceThereIsSome() {
    engine.following();
    log.full = true;
    engine.leading();
    assertThat(engine.isServing()).isFalse();
    log.full = false;
    engine.tick();
    assertThat(engine.isServing()).isTrue();
  }

  @Test
  void moreThanOneEntryHoldsIsSplit() {
    attachBoth();
    long before = log.lastIndex();
    String longName = "x".repeat(30_000);
    Command[] many = new Command[12];
    for (int i = 0; i < many.length; i++) {
      many[i] = new SequenceCommand.Init(longName + i, 1, 1, 9, 1, false);
    }
    send(p1, ONE, 1, many);
    batch();
    assertThat(log.lastIndex()).isGreaterThan(before + 1);
    log.committed = before + 1;
    engine.release();
    assertThat(p1.told).isEmpty();
    settle();
    assertThat(p1.numbers).hasSize(many.length);
    assertThat(log.replayed().state().counts()).isEqualTo(machine.state().counts());
  }

  @Test
  void timeNeverGoesBack() {
    attachBoth();
    send(p1, ONE, 1, begin(ONE));
    settle();
    long before = machine.state().changedMicros();
    nowMicros = 5;
    send(p1, ONE, 2, begin(ONE));
    settle();
    assertThat(machine.state().changedMicros()).isEqualTo(before);
  }
}
