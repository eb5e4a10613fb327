package io.mgtm.group.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class AcceptedLossTest {
  private final Cores cores = new Cores("a", "b", "c");

  private void found() {
    cores.startEmpty("a", "b", "c");
    cores.awaitLeader();
    cores.await(
        "all follow",
        () -> List.of("a", "b", "c").stream().allMatch(n -> cores.node(n).core.leader() != null));
  }

  @Test
  void isRefusedWhileSomebodyLeads() {
    found();
    String leader = cores.leaders().get(0).self.name();
    for (String name : List.of("a", "b", "c")) {
      assertThat(cores.node(name).core.acceptLoss())
          .contains(leader + " leads, and waits for nobody");
    }
  }

  @Test
  void isForOneElectionOnly() {
    found();
    cores.crash("c");
    cores.restartAfterPowerCut("a");
    cores.restartAfterPowerCut("b");
    cores.run(20_000);
    assertThat(cores.leaders()).as("while c is missing").isEmpty();
    assertThat(cores.node("a").core.acceptLoss()).isEmpty();
    assertThat(cores.awaitLeader().self.name()).isEqualTo("a");

    cores.crash("b");
    cores.await("a leads no more", () -> cores.leaders().isEmpty());
    cores.restartAfterPowerCut("b");
    cores.run(20_000);
    assertThat(cores.leaders()).as("while c is missing once more").isEmpty();
    assertThat(cores.node("b").core.acceptLoss()).isEmpty();
    cores.awaitLeader();
  }

  /** Its term start says that entries may be missing, and goes with it. */
  @Test
  void whoDiesBeforeItsTermStartIsCommittedDoesNotClaimToHaveAll() {
    found();
    cores.crash("c");
    cores.restartAfterPowerCut("a");
    cores.restartAfterPowerCut("b");
    cores.lose("a", "b", Cores::hasEntries);
    cores.run(1_000);
    assertThat(cores.node("a").core.acceptLoss()).isEmpty();
    Cores.Node elected = cores.node("a");
    cores.await("it is elected", () -> elected.core.role() == Role.LEADER);
    cores.crash("a");
    elected.log.truncate(elected.log.lastIndex());
    cores.restart("a");
    assertThat(elected.core.durabilityState()).isEqualTo(DurabilityState.SYNCED_ONLY);

    cores.heal();
    cores.run(1_000);
    assertThat(elected.core.acceptLoss()).isEmpty();
    cores.awaitLeader();
    assertThat(elected.core.durabilityState()).isEqualTo(DurabilityState.INTACT);
  }

  /** It is slow to stand itself. */
  @Test
  void whoIsThereAndHasMoreIsNotGivenUp() {
    found();
    Cores.Node has = cores.awaitLeader();
    List<String> others =
        Stream.of("a", "b", "c").filter(name -> !name.equals(has.self.name())).toList();
    cores.run(1_000);
    others.forEach(
        name ->
            cores.lose(
                has.self.name(), name, m -> m instanceof Message.PreVote || Cores.hasEntries(m)));
    long before = has.log.lastIndex();
    has.append(1);
    cores.crash(has.self.name());
    for (String name : others) {
      cores.node(name).log.truncate(before + 1);
      cores.restartAfterPowerCut(name);
    }
    cores.restart(has);
    cores.run(5_000);
    others.forEach(name -> assertThat(cores.node(name).core.acceptLoss()).isEmpty());
    cores.run(10_000);
    assertThat(cores.leaders()).isEmpty();
    cores.heal();
    assertThat(cores.awaitLeader()).isSameAs(has);
    assertThat(has.log.lastIndex()).as("with the entry").isGreaterThan(before + 1);
  }

  private boolean isTold(String member, String what) {
    return cores.node(member).core.warnings().stream().anyMatch(w -> w.contains(what));
  }

  @Test
  void whoWaitsForAMemberThatMayKnowMoreSaysWhatToType() {
    found();
    cores.crash("c");
    cores.restartAfterPowerCut("a");
    cores.restartAfterPowerCut("b");
    cores.await("a says so", () -> isTold("a", "c has not answered"));
    assertThat(isTold("a", "./mgtm gtm accept-loss --yes")).isTrue();
    assertThat(cores.node("a").core.acceptLoss()).isEmpty();
    cores.awaitLeader();
    cores.run(1_000);
    assertThat(isTold("a", "No leader")).isFalse();
    assertThat(isTold("b", "No leader")).isFalse();
  }

  @Test
  void acceptingTheLossIsNotOfferedWhereItWouldNotHelp() {
    found();
    cores.crash("c");
    cores.crash("b");
    cores.await("a says so", () -> isTold("a", "b, c have not answered"));
    cores.await("and what can be done", () -> isTold("a", "restore a backup"));
    assertThat(isTold("a", "accept-loss")).isFalse();
    assertThat(cores.node("a").core.acceptLoss().orElseThrow())
        .startsWith("Accepting a loss would not help: without more of the members a, b, c");
  }

  @Test
  void whoComesBackWithoutItsFolderIsNotCalledSilent() {
    found();
    cores.crash("b");
    cores.crash("c");
    cores.startEmpty("b");
    cores.await(
        "a says so",
        () ->
            isTold(
                "a",
                "c has not answered, and b is not on the data folder that belongs to the group"));
  }

  /** Whoever has never been let in has nothing to go on with. */
  @Test
  void aMemberWithoutAVoteSaysWhoCanLead() {
    found();
    List.of("a", "b", "c").forEach(cores::crash);
    cores.startEmpty("d", List.of("a", "b", "c", "d"));
    cores.run(1_000);
    assertThat(cores.node("d").core.acceptLoss())
        .hasValueSatisfying(why -> assertThat(why).contains("./mgtm gtm restore --from FILE"));
  }

  @Test
  void aPairThatWaitsForTheOtherSaysWhatToType() {
    Cores pair = new Cores(Agreement.CONNECTED, "a", "b");
    pair.startEmpty("a", "b");
    pair.awaitLeader();
    pair.run(1_000);
    pair.crash("a");
    pair.crash("b");
    pair.restart("b");
    pair.await(
        "it says so",
        () -> pair.node("b").core.warnings().stream().anyMatch(w -> w.contains("accept-loss")));
    assertThat(pair.node("b").core.acceptLoss()).isEmpty();
    assertThat(pair.awaitLeader()).isEqualTo(pair.node("b"));
    pair.restart("a");
    pair.await("the pair", () -> pair.node("a").core.isInStep());
  }

  private static Cores besideAWitness() {
    Cores lazy = new Cores(Agreement.CONNECTED, "a", "b", "w");
    lazy.witness = "w";
    lazy.startEmpty("a", "b", "w");
    return lazy;
  }

  private static String otherThan(String leader) {
    return leader.equals("a") ? "b" : "a";
  }

  /** The other member of a pair that was in step dies, and the leader sees it go. */
  private static void loseOther(Cores lazy, String leader) {
    String other = otherThan(leader);
    lazy.await("the pair", () -> lazy.node(other).core.isInStep());
    lazy.crash(other);
    lazy.showGone(leader, other);
  }

  /** Beside a witness: it is slow to stand itself, and would be outvoted. */
  @Test
  void whoIsThereAndHasMoreIsNotGivenUpBesideAWitness() {
    Cores lazy = besideAWitness();
    Cores.Node has = lazy.awaitLeader();
    String other = otherThan(has.self.name());
    lazy.await("the pair", () -> lazy.node(other).core.isInStep());
    lazy.lose(has.self.name(), other, Cores::hasEntries);
    has.append(1);
    lazy.deliver();
    long last = has.log.lastIndex();
    lazy.restart(has);
    lazy.restart(other);
    lazy.lose(has.self.name(), other, m -> m instanceof Message.PreVote);
    lazy.lose(has.self.name(), "w", m -> m instanceof Message.PreVote);
    assertThat(lazy.node(other).core.acceptLoss()).isEmpty();
    lazy.run(10_000);
    assertThat(lazy.leaders()).isEmpty();
    lazy.heal();
    assertThat(lazy.awaitLeader()).isSameAs(has);
    assertThat(has.log.lastIndex()).as("with the entry").isGreaterThan(last);
  }

  /** Beside a witness: a folder is lost before the witness has heard who is left out. */
  @Test
  void twoFaultsWithinAHeartbeatEndByIt() {
    Cores lazy = besideAWitness();
    String leader = lazy.awaitLeader().self.name();
    String other = otherThan(leader);
    loseOther(lazy, leader);
    lazy.replace(other);
    lazy.crash(leader);
    lazy.run(100);
    lazy.restart(leader);
    lazy.run(10_000);
    assertThat(lazy.leaders()).isEmpty();
    Cores.Node waits = lazy.node(leader);
    assertThat(waits.core.warnings())
        .anySatisfy(w -> assertThat(w).contains("./mgtm gtm accept-loss --yes"));
    assertThat(waits.core.acceptLoss()).isEmpty();
    assertThat(lazy.awaitLeader()).isEqualTo(waits);
    lazy.await("the pair", () -> lazy.node(other).core.isInStep());
  }

  /** Beside a witness: the other member's folder is lost, and then the leader. */
  @Test
  void whereNobodyIsLeftWithACopyItSaysSo() {
    Cores lazy = besideAWitness();
    String leader = lazy.awaitLeader().self.name();
    String other = otherThan(leader);
    loseOther(lazy, leader);
    lazy.run(300);
    lazy.replace(other);
    lazy.run(300);
    lazy.crash(leader);
    lazy.run(5_000);
    assertThat(lazy.node(other).core.acceptLoss())
        .hasValueSatisfying(why -> assertThat(why).contains("./mgtm gtm restore --from FILE"));
    assertThat(lazy.node("w").core.acceptLoss())
        .hasValueSatisfying(why -> assertThat(why).contains("w is the witness"));
    lazy.restart(leader);
    assertThat(lazy.awaitLeader().self.name()).as("it has its folder").isEqualTo(leader);
  }
}
