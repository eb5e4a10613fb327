package io.mgtm.group.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LagWatchTest {
  private final Cores cores = new Cores("a", "b", "c");
  private Cores.Node leader;
  private String other;

  @BeforeEach
  void found() {
    cores.startEmpty("a", "b", "c");
    leader = cores.awaitLeader();
    leader.append(1);
    cores.run(1_000);
    other = leader.self.name().equals("a") ? "b" : "a";
  }

  private boolean isTold() {
    return leader.core.warnings().stream()
        .anyMatch(told -> told.startsWith(other + " is 1 entries behind and comes no nearer"));
  }

  @Test
  void whoMayBeAwayIsNotToldUntilItMayNot() {
    leader.core.excuse(Set.of(other));
    cores.crash(other);
    leader.append(2);
    cores.run(30_000);
    assertThat(isTold()).isFalse();

    leader.core.excuse(Set.of());
    cores.await("the leader tells", this::isTold);
    leader.core.excuse(Set.of(other));
    cores.await("nothing is told any more", () -> !isTold());
  }

  @Test
  void aFullDiskIsNamedAsTheCause() {
    MemoryLog log = (MemoryLog) cores.node(other).log;
    log.entriesMax = log.lastIndex();
    leader.append(2);
    cores.await("the leader tells", this::isTold);
    assertThat(leader.core.warnings().toString())
        .contains("the disk of its data folder has no room");
    log.entriesMax = Long.MAX_VALUE;
    cores.await("nothing is told any more", () -> !isTold());
  }

  @Test
  void whoMayBeAwayAndAnswersIsTold() {
    leader.core.excuse(Set.of(other));
    cores.lose(leader.self.name(), other, Cores::hasEntries);
    leader.append(2);
    cores.await("the leader tells", this::isTold);
  }
}
