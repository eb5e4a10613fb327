package io.mgtm.group.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A witness that is started on an older copy of its folder. */
class OldWitnessFolderTest {
  private Cores cores;
  private Cores.Node leader;
  private Cores.Node other;
  private Cores.Node witness;

  @BeforeEach
  void begin() {
    begin(Agreement.MAJORITY);
  }

  private void begin(Agreement agreement) {
    cores = new Cores(agreement, "a", "b", "w");
    cores.witness = "w";
    cores.startEmpty("a", "b", "w");
    if (agreement == Agreement.CONNECTED) {
      List.of("a", "b", "w")
          .forEach(
              to ->
                  List.of("a", "b", "w").stream()
                      .filter(name -> !name.equals(to))
                      .forEach(name -> cores.showBack(to, name)));
    }
    leader = cores.awaitLeader();
    other = cores.node(leader.self.name().equals("a") ? "b" : "a");
    witness = cores.node("w");
    cores.await("the pair", () -> other.core.lastIndex() == leader.core.lastIndex());
    cores.run(1_000);
  }

  /** What a copy of its folder is made of. */
  private record Copy(CoreLog.Checkpoint position, TermRecord record) {}

  private Copy copy() {
    return new Copy(((WitnessMemoryLog) witness.log).position(), witness.record);
  }

  private void startOn(Copy copy) {
    cores.crash("w");
    witness.log.install(copy.position());
    witness.record = copy.record();
    cores.restart("w");
  }

  private void writeAlone(int entries) {
    cores.cut(leader.self.name(), other.self.name());
    for (int i = 0; i < entries; i++) {
      leader.append(i);
      cores.run(20);
    }
    cores.await("it is committed", () -> leader.core.commitIndex() == leader.core.lastIndex());
  }

  private boolean isToldOf(Cores.Node node) {
    return node.warned.stream().anyMatch(said -> said.contains("older copy of its data folder"));
  }

  private boolean isWhole() {
    return witness.log.lastIndex() == leader.log.lastIndex()
        && witness.record.durabilityState() == DurabilityState.INTACT;
  }

  /**
   * The other member asks for its vote all the time, and its place is never the first to be heard.
   */
  @Test
  void itVotesForNobodyBeforeItsLeaderCanHaveToldItMore() {
    Copy copy = copy();
    writeAlone(5);
    cores.delay(leader.self.name(), "w", 300);
    startOn(copy);
    cores.run(300);
    cores.delay(leader.self.name(), "w", 0);
    cores.await("it is whole", this::isWhole);
    cores.crash(leader.self.name());
    cores.run(10_000);
    assertThat(cores.leaders()).as("who lacks what was acknowledged").isEmpty();
    cores.restart(leader);
    cores.heal();
    assertThat(cores.awaitLeader()).isSameAs(leader);
  }

  /** Whether the copy is of this process's time, or of the one before, or older. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 3})
  void itIsToldSoAndVouchesAgain(int startsSince) {
    Copy copy = copy();
    for (int start = 0; start < startsSince; start++) {
      cores.restart("w");
      cores.run(1_000);
    }
    writeAlone(5);
    startOn(copy);
    cores.await("the leader tells", () -> isToldOf(leader));
    cores.await("it says so", () -> isToldOf(witness));
    cores.await("it is whole", this::isWhole);
    assertThat(witness.record.votedFor()).isEqualTo(leader.self);
    leader.append(9);
    cores.await("it is committed", () -> leader.core.commitIndex() == leader.core.lastIndex());
    cores.heal();
    cores.run(12_000);
    assertThat(leader.isLeading()).isTrue();
    assertThat(leader.core.warnings()).isEmpty();
    assertThat(witness.core.warnings()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(Agreement.class)
  void itIsGivenAPositionThoughThePairIsWhole(Agreement agreement) {
    begin(agreement);
    Copy copy = copy();
    cores.restart("w");
    cores.run(1_000);
    cores.restart("w");
    cores.run(1_000);
    startOn(copy);
    cores.await("the leader tells", () -> isToldOf(leader));
    cores.await("it is whole", this::isWhole);
    cores.crash(leader.self.name());
    cores.showGone(other.self.name(), leader.self.name());
    assertThat(cores.awaitLeader()).isSameAs(other);
  }

  /** It may be that it had given it to this leader. */
  @Test
  void itsVoteInTheTermIsItsLeaders() {
    startOn(new Copy(CoreLog.Checkpoint.position(0, 0, copy().position().membership()), former()));
    cores.await("it hears", () -> leader.self.equals(witness.core.leader()));
    cores.crash(leader.self.name());
    cores.crash(other.self.name());
    cores.restart("w");
    cores.run(5_000);
    witness.core.receive(
        100_000,
        other.self,
        new Message.Vote(
            leader.record.term(), null, leader.record.term(), Long.MAX_VALUE, false, false));
    assertThat(witness.record.votedFor()).isEqualTo(leader.self);
  }

  private TermRecord former() {
    TermRecord now = witness.record;
    return new TermRecord(
        now.term() - 1,
        null,
        now.incarnation(),
        now.durabilityState(),
        now.initial(),
        now.founding(),
        now.synced());
  }

  @Test
  void anOrdinaryRestartIsNotTakenForOne() {
    writeAlone(5);
    for (int start = 0; start < 3; start++) {
      cores.restart("w");
      cores.run(700);
      leader.append(start);
      cores.run(700);
    }
    assertThat(isToldOf(leader)).isFalse();
    cores.heal();
    cores.run(3_000);
    assertThat(isToldOf(leader)).isFalse();
    assertThat(isToldOf(witness)).isFalse();
  }
}
