package io.mgtm.group.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two members that keep data, and a witness. */
class WitnessTest {
  private final Cores cores = new Cores("a", "b", "w");
  private Cores.Node leader;
  private Cores.Node other;

  @BeforeEach
  void begin() {
    cores.witness = "w";
    cores.startEmpty("a", "b", "w");
    leader = cores.awaitLeader();
    other = cores.node(leader.self.name().equals("a") ? "b" : "a");
    cores.await("the pair", () -> other.core.lastIndex() == leader.core.lastIndex());
    cores.run(1_000);
  }

  private WitnessMemoryLog position() {
    return (WitnessMemoryLog) cores.node("w").log;
  }

  private void write(int entries) {
    for (int i = 0; i < entries; i++) {
      leader.append(i);
      cores.run(20);
    }
  }

  @Test
  void costsNothingWhileBothHaveTheData() {
    int before = position().stored;
    write(100);
    cores.run(10_000);
    assertThat(leader.core.commitIndex()).isEqualTo(leader.core.lastIndex());
    assertThat(position().stored).isEqualTo(before);
    assertThat(cores.node("w").core.role()).isEqualTo(Role.FOLLOWER);
  }

  @Test
  void vouchesForALeaderThatIsAloneAndVotesForNoneThatIsBehind() {
    cores.crash(other.self.name());
    write(10);
    cores.await("all is committed", () -> leader.core.commitIndex() == leader.core.lastIndex());
    assertThat(position().lastIndex()).isEqualTo(leader.core.lastIndex());
    cores.run(2_000);
    assertThat(leader.core.warnings()).anyMatch(said -> said.contains("with the witness w alone"));
    cores.crash(leader.self.name());
    cores.restart(other);
    cores.run(30_000);
    assertThat(cores.leaders()).isEmpty();
    assertThat(other.core.warnings())
        .anyMatch(
            said ->
                said.contains(
                    "w denies its vote, and %s does not answer".formatted(leader.self.name())));
    cores.restart(leader);
    assertThat(cores.awaitLeader()).isSameAs(leader);
    cores.await("the pair", () -> other.core.commitIndex() == leader.core.lastIndex());
    cores.run(2_000);
    assertThat(leader.core.warnings()).isEmpty();
    assertThat(other.core.warnings()).isEmpty();
  }

  @Test
  void votesForTheOtherWhenThatHasAll() {
    write(10);
    cores.crash(leader.self.name());
    assertThat(cores.awaitLeader()).isSameAs(other);
    assertThat(other.warned).as("before it has waited for anybody").isEmpty();
    cores.restart(leader);
    cores.await("it follows", () -> other.self.equals(leader.core.leader()));
    cores.run(2_000);
    int before = position().stored;
    other.append(1);
    cores.run(2_000);
    assertThat(position().stored).isEqualTo(before);
  }

  @Test
  void leaderGoesOnWhenTheOtherAnswersAndGetsNoFurther() {
    cores.lose(leader.self.name(), other.self.name(), Cores::hasEntries);
    write(1);
    cores.await("it is committed", () -> leader.core.commitIndex() == leader.core.lastIndex());
    cores.heal();
    write(10);
    cores.await("the pair", () -> other.core.commitIndex() == leader.core.lastIndex());
    int before = position().stored;
    write(10);
    assertThat(position().stored).isEqualTo(before);
  }

  @Test
  void witnessWithAnEmptyFolderTakesItsPlaceAgain() {
    cores.startEmpty("w");
    Cores.Node anew = cores.node("w");
    cores.await("it votes", () -> leader.core.membership().isVoter(anew.self));
    assertThat(leader.core.membership().witness()).isEqualTo("w");
    cores.await("it knows", () -> anew.core.membership().isVoter(anew.self));
    cores.crash(leader.self.name());
    assertThat(cores.awaitLeader()).isSameAs(other);
  }

  /** Else the pair would be one without a witness for as long as the mistake lasts. */
  @Test
  void witnessOfAnotherGroupTakesNobodysPlace() {
    Membership before = leader.core.membership();
    cores.crash("w");
    Cores.Node stranger = cores.startOfAnotherGroup("w");
    cores.run(10_000);
    assertThat(leader.core.membership()).isEqualTo(before);
    assertThat(stranger.warned).anyMatch(said -> said.contains("belongs to another group"));
    cores.crash(leader.self.name());
    cores.run(30_000);
    assertThat(cores.leaders()).as("its vote is not of this group").isEmpty();
  }

  /** Else a leader that writes all the time would be alone for ever. */
  @Test
  void aMemberThatIsFartherThanTheWitnessIsTheSecondCopyAgain() {
    cores.delay(leader.self.name(), other.self.name(), 30);
    cores.lose(leader.self.name(), other.self.name(), Cores::hasEntries);
    for (int i = 0; i < 200; i++) {
      leader.append(i);
      cores.run(Cores.STEP_MS);
    }
    assertThat(leader.core.warnings()).anyMatch(said -> said.contains("with the witness w alone"));
    cores.heal();
    int stored = position().stored;
    for (int i = 0; i < 200; i++) {
      leader.append(i);
      cores.run(Cores.STEP_MS);
    }
    assertThat(position().stored - stored).isLessThan(50);
    assertThat(leader.core.warnings()).isEmpty();
  }

  @Test
  void isMissedWhenItDoesNotAnswer() {
    cores.crash("w");
    cores.await(
        "a warning",
        () ->
            leader.core.warnings().stream()
                .anyMatch(said -> said.contains("The witness w has not answered for ")));
    write(3);
    assertThat(leader.core.commitIndex()).isEqualTo(leader.core.lastIndex());
    cores.restart("w");
    cores.await("it is back", () -> leader.core.warnings().isEmpty());
  }

  @Test
  void cannotLead() {
    assertThat(leader.core.transfer(0, "w"))
        .hasValueSatisfying(why -> assertThat(why).contains("witness"));
    long term = leader.core.term();
    cores.crash("a");
    cores.crash("b");
    cores.run(20_000);
    assertThat(cores.leaders()).isEmpty();
    assertThat(cores.node("w").core.term()).isEqualTo(term);
  }

  @Test
  void canBeTakenOutAndAddedAgain() {
    cores.await("w goes", () -> leader.core.remove("w").isEmpty());
    cores.await("it has", () -> leader.core.membership().witness().isEmpty());
    cores.await("it knows", () -> !cores.node("w").core.outside().isEmpty());
    cores.await("the change", () -> leader.core.commitIndex() == leader.core.lastIndex());
    assertThat(leader.core.add("w")).isEmpty();
    cores.await("w votes", () -> leader.core.membership().hasWitness());
    cores.await("it knows", () -> cores.node("w").core.outside().isEmpty());
  }

  @Test
  void membersThatDisagreeOnTheWitnessFoundNoGroupAndSaySo() {
    Cores apart = new Cores("a", "b", "w");
    apart.witness = "w";
    apart.startEmpty("a", "w");
    apart.witness = "";
    apart.startEmpty("b");
    apart.run(10_000);
    assertThat(apart.leaders()).isEmpty();
    assertThat(apart.node("a").warned).anyMatch(said -> said.contains("the same group.witness"));
  }

  @Test
  void memberStartedWithAnotherWitnessSaysSo() {
    other.witnessHere = "";
    cores.restart(other);
    cores.await(
        "a warning",
        () -> other.core.warnings().stream().anyMatch(said -> said.contains("was started with")));
    assertThat(leader.core.warnings()).isEmpty();
    assertThat(leader.core.membership().witness()).isEqualTo("w");
  }
}
