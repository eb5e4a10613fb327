package io.mgtm.group.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.group.DurabilityMode;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A member that is started on an older copy of its folder, as from a snapshot of its disk. */
class OldFolderTest {
  private final Cores cores = new Cores("a", "b", "c");

  private static boolean isToldOf(Cores.Node leader, String what) {
    return leader.warned.stream().anyMatch(warning -> warning.contains(what));
  }

  /** What a copy of a folder is made of. */
  private record Copy(Cores.Node of, long lastIndex, TermRecord record) {}

  private Copy copy(String name) {
    Cores.Node of = cores.node(name);
    return new Copy(of, of.log.lastIndex(), of.record);
  }

  /** Starts a member on a copy, as if it had been killed. */
  private void startOn(Copy copy) {
    cores.crash(copy.of().self.name());
    copy.of().log.truncate(copy.lastIndex() + 1);
    copy.of().record = copy.record();
    cores.restart(copy.of());
  }

  private static void append(Cores.Node leader, int entries) {
    for (int i = 0; i < entries; i++) {
      leader.append(i);
    }
  }

  private List<String> others(Cores.Node leader) {
    return Stream.of("a", "b", "c").filter(each -> !each.equals(leader.self.name())).toList();
  }

  private boolean hasAll(Cores.Node leader, Cores.Node member) {
    return member.log.lastIndex() == leader.log.lastIndex()
        && member.record.durabilityState() == DurabilityState.INTACT;
  }

  /** Whether the copy is of this process's time, or of the one before, or older. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void aMemberOnAnOlderCopyIsToldSoAndGivenWhatItLacks(int startsSince) {
    cores.startEmpty("a", "b", "c");
    Cores.Node leader = cores.awaitLeader();
    append(leader, 1);
    cores.run(1_000);
    String name = others(leader).get(0);
    Cores.Node old = cores.node(name);
    Copy copy = copy(name);
    for (int start = 0; start < startsSince; start++) {
      cores.restart(name);
      append(leader, 5);
      cores.await("it has all", () -> hasAll(leader, old));
    }
    append(leader, 5);
    cores.await("it has all", () -> hasAll(leader, old));
    long known = old.record.incarnation();
    startOn(copy);
    cores.await("the leader tells", () -> isToldOf(leader, "older copy of its data folder"));
    assertThat(isToldOf(old, "older copy of its data folder")).isTrue();
    cores.await("it has all again", () -> hasAll(leader, old));
    assertThat(old.record.incarnation()).isGreaterThan(known);
    assertThat(old.record.votedFor()).isEqualTo(leader.self);
    assertThat(leader.isLeading()).isTrue();
    cores.run(12_000);
    assertThat(leader.core.warnings()).isEmpty();
    assertThat(old.core.warnings()).isEmpty();
  }

  /** Beside the leader it alone has had what the third member lacks. */
  private Cores.Node leaderWhoseOnlyOtherCopyIsForgotten() {
    cores.startEmpty("a", "b", "c");
    Cores.Node leader = cores.awaitLeader();
    append(leader, 1);
    cores.run(1_000);
    String name = others(leader).get(0);
    String behind = others(leader).get(1);
    Copy copy = copy(name);
    cores.cut(behind, leader.self.name(), name);
    append(leader, 5);
    cores.await("it is committed", () -> leader.core.commitIndex() == leader.log.lastIndex());
    // What the leader sends it after it was told is lost.
    cores.lose(leader.self.name(), name, Cores::hasEntries);
    startOn(copy);
    cores.await(
        "it is told", () -> copy.of().record.durabilityState() == DurabilityState.OLDER_COPY);
    cores.crash(leader.self.name());
    cores.heal();
    return leader;
  }

  @Test
  void whoHasForgottenWhatItAcknowledgedElectsNobodyWhoLacksIt() {
    Cores.Node leader = leaderWhoseOnlyOtherCopyIsForgotten();
    Cores.Node old = cores.node(others(leader).get(0));
    cores.run(10_000);
    assertThat(cores.leaders()).isEmpty();
    cores.restart(old.self.name());
    cores.run(10_000);
    assertThat(cores.leaders()).as("it remembers that it has forgotten").isEmpty();
    cores.restart(leader.self.name());
    cores.await("it leads again", leader::isLeading);
    cores.await("it has all again", () -> hasAll(leader, old));
  }

  @Test
  void anOperatorMayGoOnWithoutWhatIsForgotten() {
    Cores.Node leader = leaderWhoseOnlyOtherCopyIsForgotten();
    cores.run(3_000);
    others(leader).forEach(name -> cores.node(name).core.acceptLoss());
    assertThat(cores.awaitLeader().core.durabilityState()).isEqualTo(DurabilityState.INTACT);
  }

  /** The leader's machine has lost power: all vote, and what was synced may be gone too. */
  @Test
  void allVotesDoNotDoWhenOneIsOfAMemberThatHasForgotten() {
    Cores.Node leader = leaderWhoseOnlyOtherCopyIsForgotten();
    leader.log.truncate(leader.log.lastIndex());
    cores.restartAfterPowerCut(leader.self.name());
    cores.run(10_000);
    assertThat(cores.leaders()).isEmpty();
    Stream.of("a", "b", "c").forEach(name -> cores.node(name).core.acceptLoss());
    assertThat(cores.awaitLeader()).isEqualTo(leader);
  }

  @Test
  void anAnswerThatComesLateShowsNothing() {
    cores.startEmpty("a", "b", "c");
    Cores.Node leader = cores.awaitLeader();
    append(leader, 1);
    cores.run(1_000);
    String name = others(leader).get(0);
    // The refusals and answers of the former process come when the next one has answered.
    cores.delay(name, leader.self.name(), 300);
    cores.restart(name);
    cores.run(100);
    cores.restart(name);
    append(leader, 5);
    cores.await("it has all", () -> hasAll(leader, cores.node(name)));
    cores.run(2_000);
    assertThat(isToldOf(leader, "older copy")).isFalse();
    assertThat(isToldOf(cores.node(name), "older copy")).isFalse();
  }

  /** What it had not synced nobody counted on, so it is intact after a power cut. */
  @Test
  void norDoesWhatAPowerCutTookAndNobodyCountedOn() {
    cores.startEmpty("a", "b", "c");
    Cores.Node leader = cores.awaitLeader();
    append(leader, 1);
    assertThat(leader.core.durability(DurabilityMode.ALL)).isEmpty();
    cores.run(1_000);
    Cores.Node cut = cores.node(others(leader).get(0));
    cut.synced();
    MemoryLog log = (MemoryLog) cut.log;
    log.syncedAtMost = log.lastIndex();
    append(leader, 5);
    cores.await("all is committed", () -> leader.core.commitIndex() == leader.log.lastIndex());
    assertThat(log.lastIndex()).isEqualTo(leader.log.lastIndex());

    cores.crash(cut.self.name());
    log.truncate(log.syncedAtMost + 1);
    log.syncedAtMost = Long.MAX_VALUE;
    cores.restartAfterPowerCut(cut.self.name());
    assertThat(cut.core.durabilityState()).isEqualTo(DurabilityState.INTACT);
    cores.await("it has all", () -> hasAll(leader, cut));
    assertThat(isToldOf(leader, "older copy")).isFalse();
    assertThat(isToldOf(cut, "older copy")).isFalse();
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
