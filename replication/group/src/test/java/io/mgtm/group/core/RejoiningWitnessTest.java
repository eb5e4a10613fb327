package io.mgtm.group.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Mode lazy: what a pair does from when its witness was lost until it votes again. Neither of the
 * two leads without the other, but with the witness's vote when an operator says so.
 */
class RejoiningWitnessTest {
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
  }

  /** The witness is let in on an empty folder, and what it answers is lost. */
  private void loseDiskOfWitness() {
    cores.startEmpty("w");
    cores.lose("w", leader.self.name(), m -> m instanceof Message.AppendReply);
    cores.await(
        "both know",
        () ->
            Stream.of(leader, other)
                .allMatch(
                    node ->
                        node.core.membershipAt(node.core.commitIndex()).learners().size() == 1));
    assertThat(cores.answering()).containsExactly(leader);
    assertThat(cores.node("w").core.membership().learners()).hasSize(1);
  }

  private void cutInTwo() {
    cores.cut(leader.self.name(), other.self.name());
    cores.showGone(leader.self.name(), other.self.name());
    cores.showGone(other.self.name(), leader.self.name());
  }

  private void mend() {
    cores.heal();
    cores.showBack(leader.self.name(), other.self.name());
    cores.showBack(other.self.name(), leader.self.name());
  }

  private void awaitWhole() {
    cores.await(
        "w votes",
        () ->
            Stream.of(leader, other)
                .allMatch(node -> node.core.membershipAt(node.core.commitIndex()).hasWitness()));
    cores.await("one leads", () -> cores.answering().size() == 1);
    assertThat(Stream.of(leader, other).map(node -> node.failure)).containsOnlyNulls();
  }

  /** At no time two answer; who did so in the end. */
  private List<Cores.Node> whoAnswers(long ms) {
    for (long passed = 0; passed < ms; passed += Cores.STEP_MS) {
      cores.run(Cores.STEP_MS);
      assertThat(cores.answering()).hasSizeLessThan(2);
    }
    return cores.answering();
  }

  @Test
  void aPairThatIsCutInTwoBeforeItVotesLeadsOnce() {
    loseDiskOfWitness();
    cutInTwo();
    assertThat(whoAnswers(10 * SETTINGS.electionTimeoutMs())).isEmpty();
    mend();
    awaitWhole();
  }

  @Test
  void itIsGivenItsVoteByTheLeaderAloneOnceTheOtherKnowsThatItIsNew() {
    loseDiskOfWitness();
    cutInTwo();
    cores.lose("w", leader.self.name(), m -> false);
    assertThat(whoAnswers(10 * SETTINGS.electionTimeoutMs())).containsExactly(leader);
    assertThat(leader.core.membership().isVoter(other.self)).isFalse();
    mend();
    awaitWhole();
  }

  @Test
  void whoIsCutOffBeforeItKnowsThatItIsNewDoesNotLeadWithoutTheOther() {
    cores.lose(leader.self.name(), other.self.name(), Cores::hasEntries);
    cores.startEmpty("w");
    cores.await("it is taken out", () -> !leader.core.membership().hasWitness());
    cutInTwo();
    assertThat(whoAnswers(10 * SETTINGS.electionTimeoutMs())).isEmpty();
    mend();
    awaitWhole();
  }

  @Test
  void theDiskIsLostTwice() {
    loseDiskOfWitness();
    MemberId second = cores.node("w").self;
    cores.startEmpty("w");
    cores.await("the third", () -> !leader.core.membership().contains(second));
    cutInTwo();
    assertThat(whoAnswers(10 * SETTINGS.electionTimeoutMs())).isEmpty();
    mend();
    awaitWhole();
    assertThat(leader.core.membership().isVoter(cores.node("w").self)).isTrue();
  }

  @Test
  void theLeaderDiesAndComesBack() {
    loseDiskOfWitness();
    cores.crash(leader.self.name());
    cores.showGone(other.self.name(), leader.self.name());
    assertThat(whoAnswers(10 * SETTINGS.electionTimeoutMs())).isEmpty();
    assertThat(says(other, leader.self.name() + " has not answered")).isTrue();
    assertThat(says(other, "accept-loss --yes")).isTrue();
    cores.restart(leader);
    mend();
    awaitWhole();
  }

  @Test
  void theOtherIsStartedAgain() {
    loseDiskOfWitness();
    cores.restart(other);
    assertThat(whoAnswers(10 * SETTINGS.electionTimeoutMs())).hasSize(1);
    mend();
    awaitWhole();
  }

  @Test
  void bothAreStartedAgainAndCutOffFromEachOther() {
    loseDiskOfWitness();
    cores.crash(leader.self.name());
    cores.crash(other.self.name());
    cores.cut(leader.self.name(), other.self.name());
    cores.restart(leader);
    cores.restart(other);
    assertThat(whoAnswers(10 * SETTINGS.electionTimeoutMs())).isEmpty();
    mend();
    awaitWhole();
  }

  @Test
  void theWitnessDiesWhileItLearns() {
    loseDiskOfWitness();
    Cores.Node witness = cores.node("w");
    cores.crash("w");
    assertThat(whoAnswers(10 * SETTINGS.electionTimeoutMs())).containsExactly(leader);
    assertThat(says(leader, "The witness w has not answered for ")).isTrue();
    cores.crash(other.self.name());
    cores.showGone(leader.self.name(), other.self.name());
    assertThat(whoAnswers(10 * SETTINGS.electionTimeoutMs())).isEmpty();
    assertThat(says(leader, "without more of them nobody may lead")).isTrue();
    assertThat(leader.core.acceptLoss().orElseThrow())
        .startsWith("Accepting a loss would not help");
    assertThat(whoAnswers(10 * SETTINGS.electionTimeoutMs())).isEmpty();
    cores.heal();
    cores.restart(witness);
    cores.await("the witness answers", () -> leader.core.acceptLoss().isEmpty());
    cores.await("with the witness", () -> cores.answering().equals(List.of(leader)));
    cores.restart(other);
    mend();
    awaitWhole();
  }

  /** It has the witness's vote, which binds the other too, whatever that one is told. */
  @Test
  void anOperatorLetsOneGoOnWithTheWitness() {
    loseDiskOfWitness();
    cutInTwo();
    cores.run(5 * SETTINGS.electionTimeoutMs());
    cores.lose("w", leader.self.name(), m -> false);
    assertThat(leader.core.acceptLoss()).isEmpty();
    assertThat(other.core.acceptLoss()).isEmpty();
    assertThat(whoAnswers(10 * SETTINGS.electionTimeoutMs())).hasSize(1);
    assertThat(cores.answering().get(0).missing).isTrue();
    mend();
    awaitWhole();
  }

  /** It was not let in, so that its vote would say nothing. */
  @Test
  void anOperatorDoesNotLetOneGoOnAlone() {
    loseDiskOfWitness();
    cores.crash("w");
    cutInTwo();
    cores.run(5 * SETTINGS.electionTimeoutMs());
    assertThat(leader.core.acceptLoss().orElseThrow())
        .startsWith("Accepting a loss would not help");
    assertThat(other.core.acceptLoss().orElseThrow()).startsWith("Accepting a loss would not help");
    assertThat(whoAnswers(10 * SETTINGS.electionTimeoutMs())).isEmpty();
  }

  @Test
  void oneThatDoesNotVoteForLongIsToldOf() {
    cores.crash("w");
    cores.run(SETTINGS.electionTimeoutMs());
    cores.showGone(leader.self.name(), other.self.name());
    cores.startEmpty("w");
    cores.await("it is told of", () -> says(leader, "does not vote yet"));
    assertThat(cores.answering()).containsExactly(leader);
    mend();
    awaitWhole();
    cores.await("it is over", () -> leader.core.warnings().isEmpty());
  }

  @Test
  void aFirstWitnessBindsThePairFromWhenBothKnowOfIt() {
    assertThat(leader.core.remove("w")).isEmpty();
    cores.await("a pair", () -> leader.core.membership().witness().isEmpty());
    cores.crash("w");
    cores.run(1_000);
    assertThat(leader.core.add("w")).isEmpty();
    loseDiskOfWitness();
    cutInTwo();
    assertThat(whoAnswers(10 * SETTINGS.electionTimeoutMs())).isEmpty();
    mend();
    awaitWhole();
  }

  @Test
  void aFirstWitnessIsNotLetInWhileTheOtherIsAway() {
    assertThat(leader.core.remove("w")).isEmpty();
    cores.await("a pair", () -> leader.core.membership().witness().isEmpty());
    cores.run(1_000);
    cores.crash("w");
    cores.crash(other.self.name());
    cores.showGone(leader.self.name(), other.self.name());
    cores.run(1_000);
    assertThat(cores.answering()).containsExactly(leader);
    assertThat(leader.core.add("w")).hasValueSatisfying(why -> assertThat(why).contains("both"));
    cores.startEmpty("w");
    cores.run(1_000);
    assertThat(cores.answering()).containsExactly(leader);
  }

  @Test
  void withoutItThePairIsOneWithoutAWitness() {
    loseDiskOfWitness();
    assertThat(leader.core.remove("w")).isEmpty();
    cores.run(1_000);
    cores.crash(leader.self.name());
    cores.showGone(other.self.name(), leader.self.name());
    cores.await("the other leads", () -> cores.answering().equals(List.of(other)));
  }

  private static boolean says(Cores.Node node, String what) {
    return node.core.warnings().stream().anyMatch(said -> said.contains(what));
  }
}
