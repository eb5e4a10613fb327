package io.mgtm.group.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A member that is started on an older copy of its folder, as from a snapshot of its disk. */
class OldFolderTest {
  private final Cores cores = new Cores("a", "b", "c");

  private static boolean isToldOf(Cores.Node leader, String what) {
    return leader.warned.stream().anyMatch(warning -> warning.contains(what));
  }

  @Test
  void theLeaderSaysThatItsFolderIsAnOlderCopy() {
    cores.startEmpty("a", "b", "c");
    Cores.Node leader = cores.awaitLeader();
    leader.append(1);
    cores.run(1_000);
    String name =
        Stream.of("a", "b", "c")
            .filter(each -> !each.equals(leader.self.name()))
            .findFirst()
            .orElseThrow();
    Cores.Node old = cores.node(name);
    long copied = old.log.lastIndex();
    TermRecord record = old.record;
    cores.restart(name);
    for (int i = 0; i < 9; i++) {
      leader.append(i);
    }
    cores.await("it has all", () -> old.log.lastIndex() == leader.log.lastIndex());
    cores.run(1_000);
    old.log.truncate(copied + 1);
    old.record = record;
    cores.restart(name);
    cores.await("the leader tells", () -> isToldOf(leader, "older copy of its data folder"));
    assertThat(leader.isLeading()).isTrue();
  }

  @Test
  void aMemberThatStoresNothingIsNoneOfThem() {
    cores.startEmpty("a", "b", "c");
    Cores.Node leader = cores.awaitLeader();
    leader.append(1);
    cores.run(1_000);
    String other = leader.self.name().equals("a") ? "b" : "a";
    cores.lose(leader.self.name(), other, Cores::hasEntries);
    leader.append(2);
    cores.await("the leader tells", () -> isToldOf(leader, "comes no nearer"));
    assertThat(isToldOf(leader, "older copy")).isFalse();
  }
}
