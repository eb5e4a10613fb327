package io.mgtm.group.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A pair with a witness becomes three members with data, and three become such a pair. */
class PairGrowsTest {
  private final Cores cores = new Cores("a", "b", "w");
  private Cores.Node leader;
  private Cores.Node other;

  @BeforeEach
  void begin() {
    cores.witness = "w";
    cores.startEmpty("a", "b", "w");
    find(List.of("a", "b"));
    settle();
  }

  /** The leader, and another of some. */
  private void find(List<String> of) {
    leader = cores.awaitLeader();
    other = cores.node(of.stream().filter(name -> !name.equals(name(leader))).findFirst().get());
  }

  private static String name(Cores.Node node) {
    return node.self.name();
  }

  private void settle() {
    cores.await("the end", () -> leader.core.commitIndex() == leader.core.lastIndex());
    cores.run(1_000);
  }

  private Membership now() {
    return leader.core.membership();
  }

  private boolean votes(String name) {
    return now().voters().stream().anyMatch(voter -> voter.name().equals(name));
  }

  private void startThird() {
    cores.witness = "";
    cores.startEmpty("c", List.of("a", "b", "c"));
  }

  private void learns() {
    assertThat(leader.core.add("c", false)).isEmpty();
    startThird();
    cores.await("c has all", () -> cores.node("c").core.commitIndex() == leader.core.lastIndex());
    settle();
  }

  private void grow() {
    learns();
    cores.await("w goes", () -> leader.core.remove("w").isEmpty());
    cores.await("c votes", () -> votes("c"));
    settle();
  }

  @Test
  void whoComesLearnsUntilTheWitnessHasLeft() {
    learns();
    cores.run(10_000);
    assertThat(votes("c")).isFalse();
    assertThat(votes("w")).isTrue();
    assertThat(leader.core.warnings()).anyMatch(said -> said.contains("c learns, and votes once"));
    assertThat(cores.node("c").warned).noneMatch(said -> said.contains("Correct"));
    cores.crash(name(other));
    leader.append(1);
    cores.await("w stands in", () -> leader.core.commitIndex() == leader.core.lastIndex());

    cores.restart(other);
    cores.await("w goes", () -> leader.core.remove("w").isEmpty());
    cores.await("c votes", () -> votes("c"));
    assertThat(now().witness()).isEmpty();
    assertThat(now().voters()).hasSize(3);
    cores.await("nothing is told", () -> leader.core.warnings().isEmpty());
  }

  @Test
  void theThirdVotesInThePlaceOfTheWitness() {
    grow();
    cores.crash(name(leader));
    Cores.Node gone = leader;
    leader = cores.awaitLeader();
    leader.append(1);
    cores.await("both", () -> leader.core.commitIndex() == leader.core.lastIndex());
    cores.crash(name(leader));
    cores.run(30_000);
    assertThat(cores.leaders()).as("the witness's vote counts no more").isEmpty();
    cores.restart(gone);
    cores.awaitLeader();
  }

  /** Its entry may be nowhere else: then the other leads by the witness's vote, as before. */
  @Test
  void aLeaderThatDiesAsTheWitnessLeavesTakesNobodyElseAlong() {
    learns();
    cores.lose(name(leader), name(other), Cores::hasEntries);
    cores.await("w goes", () -> leader.core.remove("w").isEmpty());
    cores.run(20);
    assertThat(now().witness()).isEmpty();
    Cores.Node gone = leader;
    cores.crash(name(gone));
    cores.heal();
    leader = cores.awaitLeader();
    assertThat(leader).isSameAs(other);
    assertThat(votes("w")).isTrue();

    cores.restart(gone);
    settle();
    cores.await("w goes", () -> leader.core.remove("w").isEmpty());
    cores.await("c votes", () -> votes("c"));
  }

  /** Between the two steps both of the pair are needed; whoever comes back ends it. */
  @Test
  void betweenTheStepsThePairIsNeededAndTheNextLeaderGoesOn() {
    learns();
    cores.lose("c", name(leader), message -> true);
    cores.await("w goes", () -> leader.core.remove("w").isEmpty());
    cores.await("it has", () -> leader.core.commitIndex() == leader.core.lastIndex());
    assertThat(votes("c")).isFalse();
    Cores.Node gone = leader;
    cores.crash(name(gone));
    cores.heal();
    cores.run(20_000);
    assertThat(cores.leaders()).isEmpty();

    cores.restart(gone);
    leader = cores.awaitLeader();
    cores.await("c votes", () -> votes("c"));
  }

  @Test
  void threeBecomeAPairWithAnotherWitness() {
    grow();
    if (name(leader).equals("c")) {
      assertThat(leader.core.transfer(0, "a")).isEmpty();
      cores.await("another leads", () -> !leader.isLeading());
      leader = cores.awaitLeader();
      settle();
    }
    assertThat(leader.core.add("x", true)).isEmpty();
    cores.witness = "x";
    cores.startEmpty("x", List.of("a", "b", "x"));
    cores.await("x learns", () -> now().named("x").isPresent());
    cores.run(10_000);
    assertThat(votes("x")).isFalse();
    assertThat(votes("c")).isTrue();

    cores.await("c goes", () -> leader.core.remove("c").isEmpty());
    cores.await("x votes", () -> now().hasWitness());
    settle();
    cores.crash("c");
    find(List.of("a", "b"));
    cores.crash(name(other));
    leader.append(1);
    cores.await("x stands in", () -> leader.core.commitIndex() == leader.core.lastIndex());
  }

  @Test
  void oneOfThePairIsReplacedWhileTheWitnessVotes() {
    learns();
    cores.await("it goes", () -> leader.core.remove(name(other)).isEmpty());
    cores.await("c votes", () -> votes("c"));
    assertThat(votes("w")).isTrue();
    cores.crash(name(other));
    cores.crash("w");
    leader.append(1);
    cores.await("c has it", () -> leader.core.commitIndex() == leader.core.lastIndex());
  }

  @Test
  void oneWitnessAtATime() {
    assertThat(leader.core.add("x", true))
        .hasValueSatisfying(why -> assertThat(why).contains("remove that first"));
    cores.await("w goes", () -> leader.core.remove("w").isEmpty());
    settle();
    assertThat(leader.core.add("x", true)).isEmpty();
    assertThat(leader.core.add("y", true))
        .hasValueSatisfying(why -> assertThat(why).contains("remove that first"));
  }

  /** Without votes it could not wait. */
  @Test
  void inModeLazyAWitnessGoesWithTwo() {
    Cores lazy = new Cores(Agreement.CONNECTED, "a", "b", "w");
    lazy.witness = "w";
    lazy.startEmpty("a", "b", "w");
    Cores.Node leads = lazy.awaitLeader();
    assertThat(leads.core.add("d", false))
        .hasValueSatisfying(why -> assertThat(why).contains("remove one first"));
  }
}
