package io.mgtm.group.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** When a learner is let vote: once it keeps up, however much goes on meanwhile. */
class LearnerTest {
  private static final int ANSWERS_AFTER_MS = 5 * Cores.STEP_MS;

  /** What it answers is never all that the leader has by then. */
  @ParameterizedTest
  @EnumSource(Agreement.class)
  void learnerIsLetVoteUnderLoadThatNeverPauses(Agreement agreement) {
    Cores cores = new Cores(agreement, "a", "b", "c");
    List.of("a", "b", "c").forEach(cores::startEmpty);
    Cores.Node leader = cores.awaitLeader();
    cores.run(1_000);
    String lost = leader.self.name().equals("c") ? "b" : "c";
    cores.crash(lost);
    cores.showGone(leader.self.name(), lost);
    cores.run(2_000);
    cores.startEmpty(lost);
    cores.delay(lost, leader.self.name(), ANSWERS_AFTER_MS);
    cores.showBack(leader.self.name(), lost);
    cores.await(
        "it votes",
        () -> {
          leader.append(1);
          return leader.core.membership().isVoter(cores.node(lost).self);
        });
  }

  /** One that answers too late to be of use stays a learner until there is nothing to catch up. */
  @Test
  void learnerThatFallsBehindIsNotLetVote() {
    Cores cores = new Cores(Agreement.MAJORITY, "a", "b", "c");
    List.of("a", "b", "c").forEach(cores::startEmpty);
    Cores.Node leader = cores.awaitLeader();
    cores.run(1_000);
    String lost = leader.self.name().equals("c") ? "b" : "c";
    cores.crash(lost);
    cores.run(2_000);
    cores.startEmpty(lost);
    cores.delay(lost, leader.self.name(), 3 * CoreSettings.defaults().electionTimeoutMs() / 2);
    Cores.Node learner = cores.node(lost);
    for (int i = 0; i < 1_000; i++) {
      leader.append(1);
      cores.run(Cores.STEP_MS);
    }
    assertThat(leader.core.membership().learners()).contains(learner.self);
    cores.await("it votes", () -> leader.core.membership().isVoter(learner.self));
  }
}
