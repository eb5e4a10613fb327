package io.mgtm.group.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
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
    cores.run(SETTINGS.promiseMs());
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
    cores.run(SETTINGS.leaseMs() + 100);
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

  private boolean says(String what) {
    return leader.core.warnings().stream().anyMatch(said -> said.contains(what));
  }
}
