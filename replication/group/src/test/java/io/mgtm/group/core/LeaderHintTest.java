package io.mgtm.group.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Connections of a leader that end, in the cores' own time. */
class LeaderHintTest {
  private static final CoreSettings SETTINGS = CoreSettings.defaults();

  private static Cores founded(Agreement agreement) {
    Cores cores = new Cores(agreement, "a", "b", "c");
    cores.startEmpty("a", "b", "c");
    cores.awaitLeader();
    cores.await(
        "all follow",
        () -> List.of("a", "b", "c").stream().allMatch(n -> cores.node(n).core.leader() != null));
    cores.run(SETTINGS.electionTimeoutMs());
    return cores;
  }

  private static List<String> others(String leader) {
    return List.of("a", "b", "c").stream().filter(name -> !name.equals(leader)).toList();
  }

  /** As on one machine whose processors are taken away. */
  @Test
  void leaderThatStoodStillWaitsForOthersAnewBeforeItGivesUp() {
    Cores cores = founded(Agreement.MAJORITY);
    Cores.Node leader = cores.leaders().get(0);
    long term = leader.core.term();
    cores.standStill(3 * SETTINGS.electionTimeoutMs());
    cores.run(2 * SETTINGS.electionTimeoutMs());
    assertThat(cores.leaders()).containsExactly(leader);
    assertThat(leader.core.term()).isEqualTo(term);

    others(leader.self.name()).forEach(cores::crash);
    for (int times = 0; times < 4; times++) {
      cores.standStill(SETTINGS.electionTimeoutMs() / 2);
      cores.run(Cores.STEP_MS);
    }
    assertThat(cores.leaders()).as("it stands still again and again").isEmpty();
  }

  @Test
  void brokenConnectionsElectAtOnce() {
    Cores cores = founded(Agreement.MAJORITY);
    String leader = cores.leaders().get(0).self.name();
    cores.crash(leader);
    // The last one first, so that the one that asks at once finds a vote.
    cores.showBroken(others(leader).get(1), leader);
    cores.showBroken(others(leader).get(0), leader);
    assertThat(cores.leaders())
        .extracting(node -> node.self.name())
        .containsExactly(others(leader).get(0));
  }

  @Test
  void refusedMemberAsksAgainBeforeItsNextCandidacy() {
    Cores cores = founded(Agreement.MAJORITY);
    String leader = cores.leaders().get(0).self.name();
    cores.crash(leader);
    cores.showBroken(others(leader).get(0), leader);
    assertThat(cores.leaders()).as("the other one still trusts in the leader").isEmpty();
    cores.run(Cores.STEP_MS);
    // It would ask of its own accord only later.
    cores.showBroken(others(leader).get(1), leader);
    cores.run(2 * Cores.STEP_MS);
    assertThat(cores.leaders())
        .extracting(node -> node.self.name())
        .containsExactly(others(leader).get(0));
  }

  /** Longer under way than one waits for the other. */
  @Test
  void firstOfTwoThatStandAtOnceStandsAgainAtOnce() {
    Cores cores = founded(Agreement.MAJORITY);
    String leader = cores.leaders().get(0).self.name();
    String first = others(leader).get(0);
    String second = others(leader).get(1);
    cores.crash(leader);
    long underWayMs = 2 * SETTINGS.hintStaggerMs();
    cores.delay(first, second, underWayMs);
    cores.delay(second, first, underWayMs);
    cores.showBroken(first, leader);
    cores.showBroken(second, leader);
    long term = cores.node(first).core.term();
    // Question, vote and that again, and the first entry.
    cores.run(10 * underWayMs + 2 * Cores.STEP_MS);
    assertThat(cores.leaders()).extracting(node -> node.self.name()).containsExactly(first);
    assertThat(cores.node(first).core.term()).isEqualTo(term + 2);
  }

  @Test
  void wrongHintChangesNothing() {
    Cores cores = founded(Agreement.MAJORITY);
    Cores.Node leader = cores.leaders().get(0);
    long term = leader.core.term();
    for (String other : others(leader.self.name())) {
      cores.showBroken(other, leader.self.name());
      cores.run(2 * SETTINGS.electionTimeoutMs());
      assertThat(cores.node(other).core.leader()).isEqualTo(leader.self);
    }
    assertThat(leader.isLeading()).isTrue();
    assertThat(leader.core.term()).isEqualTo(term);
  }

  @Test
  void whoIsGoneIsTheViewsWordWhereNoVotesAreCounted() {
    Cores cores = founded(Agreement.CONNECTED);
    Cores.Node leader = cores.leaders().get(0);
    for (String other : others(leader.self.name())) {
      cores.showBroken(other, leader.self.name());
      assertThat(cores.node(other).core.leader()).isEqualTo(leader.self);
    }
  }
}
