package io.mgtm.group.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Mode lazy with two members that keep data, and a witness: one of the two leads, under a lease.
 */
class LeaseTest {
  private static final CoreSettings SETTINGS = CoreSettings.defaults();

  private final Cores cores = new Cores(Agreement.CONNECTED, "a", "b", "w");
  private Cores.Node leader;
  private Cores.Node other;

  @BeforeEach
  void begin() {
    cores.witness = "w";
    cores.startEmpty("a", "b", "w");
    leader = cores.awaitLeader();
    other = cores.node(leader.self.name().equals("a") ? "b" : "a");
    cores.await("the pair", () -> other.core.isInStep());
    cores.run(1_000);
    assertThat(cores.answering()).containsExactly(leader);
  }

  /**
   * The other member is cut off from the leader and knows it; its own promise is over, and it
   * stands. Then the leader loses the witness too, which is started again at that moment.
   *
   * @return who answered, at each step of three election timeouts
   */
  private List<List<Cores.Node>> restartWitnessWithinThePromise(long startedEarlierMs) {
    cores.cut(leader.self.name(), other.self.name());
    cores.run(SETTINGS.promiseMs(Agreement.CONNECTED));
    assertThat(cores.answering()).as("the lease is the witness's").containsExactly(leader);
    cores.showGone(other.self.name(), leader.self.name());
    cores.startedEarlierMs = startedEarlierMs;
    cores.cut(leader.self.name(), "w");
    cores.restart("w");
    List<List<Cores.Node>> answered = new ArrayList<>();
    for (int ms = 0; ms < 3 * SETTINGS.electionTimeoutMs(); ms += Cores.STEP_MS) {
      cores.run(Cores.STEP_MS);
      answered.add(cores.answering());
    }
    return answered;
  }

  @Test
  void aRestartedWitnessKeepsWhatItPromised() {
    List<List<Cores.Node>> answered = restartWitnessWithinThePromise(0);
    assertThat(answered).allSatisfy(at -> assertThat(at).hasSizeLessThan(2));
    assertThat(answered.get(0)).as("the lease goes on").containsExactly(leader);
    assertThat(cores.answering()).as("in the end").containsExactly(other);
  }

  /** Planted: a process that does not count from its start, so that it promised nothing. */
  @Test
  void withoutThatTwoWouldAnswer() {
    assertThat(restartWitnessWithinThePromise(SETTINGS.electionTimeoutMs()))
        .anySatisfy(at -> assertThat(at).containsExactlyInAnyOrder(leader, other));
  }

  @Test
  void aLeaderThatIsCutOffAnswersNobodyBeforeTheOtherLeads() {
    cores.cut(leader.self.name(), other.self.name(), "w");
    cores.showGone(other.self.name(), leader.self.name());
    for (long ms = 0; ms < 3 * SETTINGS.electionTimeoutMs(); ms += Cores.STEP_MS) {
      cores.run(Cores.STEP_MS);
      assertThat(cores.answering()).hasSizeLessThan(2);
    }
    assertThat(cores.answering()).containsExactly(other);
  }

  /** Else replies that were held would wait for the next client that asks for something. */
  @Test
  void whoWasRefusedIsToldWhenTheLeaseHoldsAgain() {
    cores.cut(leader.self.name(), other.self.name(), "w");
    cores.run(SETTINGS.leaseMs(Agreement.CONNECTED) + 100);
    assertThat(cores.answering()).isEmpty();
    int told = leader.confirmed;
    cores.heal();
    cores.run(3 * SETTINGS.heartbeatMs());
    assertThat(cores.answering()).containsExactly(leader);
    assertThat(leader.confirmed).isGreaterThan(told);
    told = leader.confirmed;
    cores.run(1_000);
    assertThat(leader.confirmed).as("and once").isEqualTo(told);
  }

  /** The witness and the other member do not know yet that it is none any more. */
  @Test
  void aWitnessThatIsTakenOutWhileTheLineIsCutLetsNobodyLeadBesideAnother() {
    cores.cut(leader.self.name(), other.self.name());
    assertThat(leader.core.remove("w")).isEmpty();
    cores.showGone(leader.self.name(), other.self.name());
    cores.showGone(other.self.name(), leader.self.name());
    for (long ms = 0; ms < 5 * SETTINGS.electionTimeoutMs(); ms += Cores.STEP_MS) {
      cores.run(Cores.STEP_MS);
      assertThat(cores.answering()).hasSizeLessThan(2);
    }
    assertThat(cores.answering()).containsExactly(other);
    cores.heal();
    cores.await("one group", () -> other.self.equals(leader.core.leader()));
    assertThat(leader.failure).isNull();
  }

  @Test
  void aWitnessThatIsTakenOutLeavesAPair() {
    assertThat(leader.core.remove("w")).isEmpty();
    cores.run(2_000);
    assertThat(leader.core.membership().witness()).isEmpty();
    assertThat(cores.answering()).containsExactly(leader);
    cores.crash(leader.self.name());
    cores.showGone(other.self.name(), leader.self.name());
    cores.run(2_000);
    assertThat(cores.answering()).containsExactly(other);
  }

  @Test
  void whoIsAwayIsToldOf() {
    cores.crash("w");
    cores.await("a warning", () -> says("The witness w has not answered for "));
    assertThat(cores.answering()).containsExactly(leader);
    cores.restart("w");
    cores.await("it is back", () -> leader.core.warnings().isEmpty());
    cores.crash(other.self.name());
    cores.await("a warning", () -> says("with the witness w alone"));
    assertThat(cores.answering()).containsExactly(leader);
    cores.restart(other);
    cores.await("the pair", () -> leader.core.warnings().isEmpty() && other.core.isInStep());
    cores.crash(leader.self.name());
    cores.await("the other leads", () -> cores.answering().equals(List.of(other)));
  }

  /** Else the leader would count on a folder that is gone, to leave out one that comes back. */
  @Test
  void aMemberThatIsAwayWhenTheWitnessIsLostIsNotLeftOut() {
    cores.crash("w");
    cores.run(SETTINGS.electionTimeoutMs());
    cores.crash(other.self.name());
    cores.showGone(leader.self.name(), other.self.name());
    cores.run(2_000);
    assertThat(cores.answering()).isEmpty();
    cores.startEmpty("w");
    cores.restart(other);
    cores.showBack(leader.self.name(), other.self.name());
    cores.await("one leads", () -> cores.answering().size() == 1);
    Cores.Node now = cores.answering().get(0);
    cores.await("w votes", () -> now.core.membership().isVoter(cores.node("w").self));
  }

  /** The leader leaves the other out just as the witness loses its disk. */
  private void loseTheWitnessBeforeItHearsWhoIsLeftOut() {
    cores.cut(leader.self.name(), "w");
    cores.showGone(leader.self.name(), other.self.name());
    assertThat(leader.core.membership().isVoter(other.self)).as("left out").isFalse();
    cores.startEmpty("w");
    cores.cut(leader.self.name(), other.self.name());
    cores.await("nobody answers", () -> cores.answering().isEmpty());
    cores.heal();
    cores.showBack(leader.self.name(), other.self.name());
    cores.run(10 * SETTINGS.electionTimeoutMs());
    assertThat(cores.answering()).isEmpty();
  }

  @Test
  void anOperatorGivesUpAWitnessThatWasLostBeforeItHeardWhoIsLeftOut() {
    leader.append(1);
    loseTheWitnessBeforeItHearsWhoIsLeftOut();
    long had = leader.log.lastIndex();
    assertThat(says("accept-loss --yes")).isTrue();
    assertThat(leader.core.acceptLoss()).isEmpty();
    cores.await("it leads", () -> cores.answering().equals(List.of(leader)));
    assertThat(leader.log.lastIndex()).isGreaterThan(had);
    assertThat(leader.missing).as("entries may be missing").isFalse();
    cores.await("the pair", () -> other.core.isInStep());
    cores.await("w votes", () -> leader.core.membership().isVoter(cores.node("w").self));
    cores.crash(leader.self.name());
    cores.showGone(other.self.name(), leader.self.name());
    cores.await("the other leads", () -> cores.answering().equals(List.of(other)));
  }

  /** Its vote is one of the two of three that are needed. */
  @Test
  void aWitnessIsNotGivenUpWithoutTheOtherMember() {
    loseTheWitnessBeforeItHearsWhoIsLeftOut();
    cores.crash(other.self.name());
    assertThat(leader.core.acceptLoss()).isEmpty();
    for (long ms = 0; ms < 10 * SETTINGS.electionTimeoutMs(); ms += Cores.STEP_MS) {
      cores.run(Cores.STEP_MS);
      assertThat(leader.core.role()).isNotEqualTo(Role.LEADER);
    }
    assertThat(cores.answering()).isEmpty();
    cores.restart(other);
    cores.await("it leads", () -> cores.answering().equals(List.of(leader)));
  }

  /** The operator was wrong: it comes back on the folder that it had, and votes for the other. */
  @Test
  void aWitnessThatWasGivenUpAndComesBackLetsNobodyLeadBesideAnother() {
    Cores.Node witness = cores.node("w");
    loseTheWitnessBeforeItHearsWhoIsLeftOut();
    cores.lose(leader.self.name(), other.self.name(), Cores::hasEntries);
    assertThat(leader.core.acceptLoss()).isEmpty();
    cores.await("it is elected", () -> leader.core.role() == Role.LEADER);
    assertThat(cores.answering()).isEmpty();
    cores.cut(leader.self.name(), other.self.name(), "w");
    cores.restart(witness);
    for (long ms = 0; ms < 10 * SETTINGS.electionTimeoutMs(); ms += Cores.STEP_MS) {
      cores.run(Cores.STEP_MS);
      assertThat(cores.answering()).as("it has not stored that it is the second copy").isEmpty();
    }
    cores.heal();
    cores.await("one leads", () -> cores.answering().size() == 1);
    cores.await("the other follows", () -> !cores.answering().isEmpty() && other.core.isInStep());
  }

  /** Nobody can be left out before the pair knows that it has no witness. */
  @Test
  void aMemberThatIsRestartedWhileTheWitnessIsTakenOutIsWaitedFor() {
    cores.lose(leader.self.name(), other.self.name(), Cores::hasEntries);
    assertThat(leader.core.remove("w")).isEmpty();
    long removal = leader.core.lastIndex();
    cores.restart(other);
    cores.run(200);
    cores.heal();
    cores.await(
        "both know",
        () -> Stream.of(leader, other).allMatch(node -> node.core.commitIndex() >= removal));
    assertThat(leader.core.membership().witness()).isEmpty();
  }

  private boolean says(String what) {
    return leader.core.warnings().stream().anyMatch(said -> said.contains(what));
  }
}
