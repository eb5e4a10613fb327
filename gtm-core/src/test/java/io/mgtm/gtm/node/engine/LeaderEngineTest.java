package io.mgtm.gtm.node.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.group.Durability;
import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.SequenceCommand;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When a leader applies, appends and answers; the log and the batches are the test's. */
class LeaderEngineTest extends LeaderHarness {
  @BeforeEach
  void lead() {
    engine.leading();
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
