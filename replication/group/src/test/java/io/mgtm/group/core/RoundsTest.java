package io.mgtm.group.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Whom a leader of three sends its rounds, and when, in the cores' own time. */
class RoundsTest {
  private static final int WIDE_MS = 300;

  private final Cores cores = new Cores("a", "b", "c");
  private final Map<String, Integer> appends = new HashMap<>();
  private int messages;
  private Cores.Node leader;
  private String chosen;
  private String spare;

  /** The first of the two followers, who would be the next to stand, answers later. */
  @BeforeEach
  void oneFollowerIsFaster() {
    cores.startEmpty("a", "b", "c");
    leader = cores.awaitLeader();
    List<String> others =
        List.of("a", "b", "c").stream().filter(n -> !n.equals(leader.self.name())).toList();
    spare = others.get(0);
    chosen = others.get(1);
    cores.delay(spare, leader.self.name(), 2 * Cores.STEP_MS);
    for (int ms = 0; ms < 2 * WIDE_MS; ms += Cores.STEP_MS) {
      leader.append(1);
      cores.run(Cores.STEP_MS);
    }
    cores.delay(spare, leader.self.name(), 0);
    cores.run(2 * Cores.STEP_MS);
    for (String other : others) {
      cores.lose(leader.self.name(), other, message -> count(other, message));
    }
  }

  private boolean count(String to, Message message) {
    appends.merge(to, Cores.hasEntries(message) ? 1 : 0, Integer::sum);
    messages++;
    return false;
  }

  private int appends(String to) {
    return appends.getOrDefault(to, 0);
  }

  private boolean isAllCommitted() {
    return leader.core.commitIndex() == leader.core.lastIndex();
  }

  @Test
  void spareGetsManyEntriesAtOnce() {
    int steps = 50;
    for (int i = 0; i < steps; i++) {
      for (int j = 0; j < 3; j++) {
        leader.append(1);
        cores.deliver();
        assertThat(isAllCommitted()).isTrue();
      }
      cores.run(Cores.STEP_MS);
    }
    assertThat(appends(chosen)).isEqualTo(3 * steps);
    assertThat(appends(spare)).isBetween(steps / 3, 2 * steps / 3);
    cores.run(2 * Cores.STEP_MS);
    assertThat(cores.node(spare).core.lastIndex()).isEqualTo(leader.core.lastIndex());
  }

  @Test
  void spareThatIsFarBehindGetsItWithARound() {
    for (int i = 0; i < 1_000; i++) {
      leader.append(1);
      cores.deliver();
    }
    assertThat(appends(chosen)).isEqualTo(1_000);
    assertThat(appends(spare)).isEqualTo(1_000 / 64);
  }

  @Test
  void lateAnswerLetsAllBeAsked() {
    cores.cut(leader.self.name(), chosen);
    leader.append(1);
    cores.deliver();
    assertThat(isAllCommitted()).isFalse();
    cores.run(4 * Cores.STEP_MS);
    assertThat(isAllCommitted()).isTrue();
    leader.append(2);
    cores.deliver();
    assertThat(isAllCommitted()).as("the other one is asked at once from now on").isTrue();
    cores.run(2 * WIDE_MS);
    leader.append(3);
    cores.deliver();
    assertThat(isAllCommitted()).as("and was chosen for good").isTrue();
  }

  @Test
  void lostRoundIsSaidAgainBeforeTheNextHeartbeat() {
    cores.cut(leader.self.name(), chosen, spare);
    leader.append(1);
    cores.deliver();
    cores.heal();
    cores.run(4 * Cores.STEP_MS);
    assertThat(isAllCommitted()).isTrue();
  }

  @Test
  void nobodyWaitsForOneThatIsGone() {
    cores.crash(chosen);
    cores.showGone(leader.self.name(), chosen);
    leader.append(1);
    cores.deliver();
    assertThat(isAllCommitted()).isTrue();
  }

  @Test
  void whatComesWhileTwoRoundsAreUnansweredJoinsTheNext() {
    cores.delay(leader.self.name(), chosen, Cores.STEP_MS);
    for (int i = 0; i < 20; i++) {
      leader.append(1);
    }
    cores.run(Cores.STEP_MS);
    assertThat(appends(chosen)).isEqualTo(2);
    cores.run(Cores.STEP_MS);
    assertThat(appends(chosen)).isEqualTo(3);
    assertThat(isAllCommitted()).isTrue();
  }

  @Test
  void readsShareARound() {
    leader.append(1);
    cores.delay(leader.self.name(), chosen, Cores.STEP_MS);
    long first = leader.confirm();
    leader.append(2);
    long second = leader.confirm();
    leader.append(3);
    assertThat(second).isEqualTo(first + 1);
    assertThat(leader.confirm()).as("none is begun before an answer").isEqualTo(second);
    assertThat(leader.core.confirmedReadIndex()).isLessThan(first);
    cores.run(3 * Cores.STEP_MS);
    assertThat(leader.core.confirmedReadIndex()).isGreaterThanOrEqualTo(second);
  }

  @Test
  void spareCanBeHandedTheLeadershipAtOnce() {
    leader.append(1);
    cores.deliver();
    assertThat(cores.node(spare).core.lastIndex()).isLessThan(leader.core.lastIndex());
    assertThat(cores.transfer(leader, spare)).isEmpty();
    cores.deliver();
    assertThat(cores.node(spare).isLeading()).isTrue();
  }

  @Test
  void sparedMemberThatStandsFirstCostsNoWaiting() {
    leader.append(1);
    cores.deliver();
    assertThat(isAllCommitted()).isTrue();
    assertThat(cores.node(spare).core.lastIndex()).isLessThan(leader.core.lastIndex());
    cores.crash(leader.self.name());
    cores.showBroken(chosen, leader.self.name());
    cores.showBroken(spare, leader.self.name());
    cores.run(Cores.STEP_MS);
    assertThat(cores.node(chosen).isLeading()).isTrue();
  }

  @Test
  void groupThatRestsIsToldSeldom() {
    long heartbeatMs = CoreSettings.defaults().heartbeatMs();
    cores.run(3 * heartbeatMs);
    messages = 0;
    cores.run(20 * heartbeatMs);
    assertThat(messages).isBetween(2 * 8, 2 * 11);
  }

  @Test
  void whatIsCommittedIsToldWithinAHeartbeat() {
    cores.run(10 * CoreSettings.defaults().heartbeatMs());
    leader.append(1);
    cores.run(CoreSettings.defaults().heartbeatMs() + Cores.STEP_MS);
    assertThat(cores.node(spare).core.commitIndex()).isEqualTo(leader.core.lastIndex());
    assertThat(cores.node(chosen).core.commitIndex()).isEqualTo(leader.core.lastIndex());
  }

  @Test
  void nothingNeedsTheTimeWhileAllIsSaid() {
    long heartbeatMs = CoreSettings.defaults().heartbeatMs();
    cores.run(heartbeatMs);
    assertThat(leader.core.quietMs()).isBetween(1L, 2 * heartbeatMs);
    assertThat(cores.node(spare).core.quietMs()).isEqualTo(2 * heartbeatMs);
    leader.append(1);
    leader.core.flush(0);
    assertThat(leader.core.quietMs()).isZero();
  }
}
