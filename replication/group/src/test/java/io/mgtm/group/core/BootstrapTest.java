package io.mgtm.group.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class BootstrapTest {
  private final Cores cores = new Cores("a", "b", "c");

  @Test
  void groupFormsOnceAllHaveMet() {
    cores.startEmpty("a", "b");
    cores.run(5_000);
    assertThat(cores.leaders()).isEmpty();
    cores.startEmpty("c");
    cores.awaitLeader();
    cores.await(
        "all follow",
        () -> List.of("a", "b", "c").stream().allMatch(n -> cores.node(n).core.leader() != null));
    assertThat(cores.node("a").record.founding())
        .isNotNull()
        .isEqualTo(cores.node("b").record.founding())
        .isEqualTo(cores.node("c").record.founding());
  }

  /** The one that leads would decide where gxids go on, and the larger number may be another's. */
  @Test
  void noGroupIsFoundedWhileFoldersHoldOtherBackups() {
    cores.startWith("a", "backup 1, next gxid 100503");
    cores.startWith("b", "backup 1, next gxid 100503");
    cores.startWith("c", "backup 2, next gxid 1003");
    cores.run(30_000);
    assertThat(cores.leaders()).isEmpty();
    assertThat(cores.node("c").warned)
        .anyMatch(s -> s.contains("next gxid 100503") && s.contains("next gxid 1003"));
    cores.startWith("c", "backup 1, next gxid 100503");
    cores.awaitLeader();
  }

  /** It begins nothing itself, so it must not found what the two others would not. */
  @Test
  void witnessFoundsNoGroupOfFoldersThatDiffer() {
    Cores pair = new Cores("a", "b", "c");
    pair.witness = "c";
    pair.startEmpty("c");
    pair.startWith("a", "backup 1, next gxid 503");
    pair.startWith("b", "backup 1, next gxid 100503");
    pair.run(30_000);
    assertThat(pair.leaders()).isEmpty();
    assertThat(pair.node("c").core.warnings())
        .anyMatch(s -> s.contains("next gxid 503") && s.contains("next gxid 100503"));
    pair.startWith("a", "backup 1, next gxid 100503");
    pair.awaitLeader();
    assertThat(pair.node("a").core.warnings()).noneMatch(s -> s.contains("No group is founded"));
  }

  @Test
  void noGroupIsFoundedWhileOneFolderHoldsNone() {
    cores.startWith("a", "backup 1");
    cores.startEmpty("b");
    cores.startWith("c", "backup 1");
    cores.run(30_000);
    assertThat(cores.leaders()).isEmpty();
    assertThat(cores.node("b").warned)
        .anyMatch(s -> s.contains("would begin it with backup 1, and b with nothing"));
  }

  /** "Look whether they run" would send the operator the wrong way. */
  @Test
  void emptiedMemberOfAGroupWithoutLeaderSaysThatThereIsOne() {
    cores.startEmpty("a", "b", "c");
    cores.awaitLeader();
    Cores.Node a = cores.node("a");
    cores.crash("a");
    cores.crash("b");
    cores.startEmpty("b");
    cores.run(30_000);
    assertThat(cores.node("b").core.warnings())
        .anyMatch(s -> s.startsWith("c is of a group already, and this member's folder is new"))
        .noneMatch(s -> s.contains("look whether they run"));
    cores.restart(a);
    cores.awaitLeader();
    cores.run(15_000);
    cores.startEmpty("d", List.of("a", "b", "c", "d"));
    cores.run(15_000);
    assertThat(cores.node("d").core.warnings())
        .as("the leader says what it lacks")
        .noneMatch(s -> s.contains("is let in once that group has a leader"));
  }

  /** Nobody else can lead, so that nobody is waited for. */
  @Test
  void foundedGroupElectsAtOnce() {
    cores.startEmpty("a", "b");
    cores.run(5_000);
    cores.startEmpty("c");
    List.of("a", "b").forEach(name -> cores.showBack(name, "c"));
    cores.run(10 * Cores.STEP_MS);
    assertThat(cores.leaders()).as(cores.describe()).hasSize(1);
  }

  /**
   * c has heard a, which was new, and is cut off; a and b form the group and commit; b's disk is
   * emptied, a crashes, c reaches b.
   */
  @Test
  void oneLostDiskAndOneCrashNeverMakeASecondGroup() {
    cores.startEmpty("a", "c");
    cores.run(1_000);
    cores.startEmpty("b");
    cores.lose("b", "c", message -> message instanceof Message.HelloReply);
    cores.lose(
        "a",
        "c",
        message ->
            message instanceof Message.HelloReply reply
                && !reply.initial().equals(Membership.NONE));
    cores.await(
        "a and b have met all",
        () ->
            !cores.node("a").core.membership().equals(Membership.NONE)
                && !cores.node("b").core.membership().equals(Membership.NONE));
    cores.cut("c", "a", "b");
    Cores.Node leader = cores.awaitLeader();
    leader.append(1);
    cores.run(1_000);
    assertThat(leader.core.commitIndex()).isEqualTo(2);

    cores.crash("b");
    cores.startEmpty("b");
    cores.crash("a");
    cores.heal();
    cores.run(30_000);
    assertThat(cores.leaders()).as(cores.describe()).isEmpty();

    cores.restart("a");
    Cores.Node again = cores.awaitLeader();
    cores.await("b has joined", () -> again.core.membership().isVoter(cores.node("b").self));
    assertThat(again.core.commitIndex()).isGreaterThanOrEqualTo(2);
    assertThat(cores.leaders()).hasSize(1);
  }

  /** The same with a member that has stored what it met, as the faulty version could. */
  @Test
  void memberOfAnotherFoundingIsRefusedAndBothSidesSayIt() {
    cores.startEmpty("a", "b", "c");
    Cores.Node leader = cores.awaitLeader();
    cores.run(1_000);
    Membership other =
        Membership.ofVoters(
            List.of(cores.node("c").self, new Cores("x").new Node("x", List.of()).self));
    Cores.Node c = cores.node("c");
    cores.crash("c");
    c.record = c.record.withInitial(other).withFounding(other.founding());
    cores.restart("c");
    long term = leader.core.term();
    cores.run(5_000);
    assertThat(c.core.leader()).isNull();
    assertThat(c.warned).anyMatch(said -> said.contains("belongs to another group"));
    assertThat(leader.warned).anyMatch(said -> said.startsWith(c.self.toString()));
    assertThat(leader.core.warnings()).anyMatch(said -> said.startsWith(c.self.toString()));
    assertThat(leader.core.term()).as("nobody was disturbed").isEqualTo(term);
    assertThat(leader.isLeading()).isTrue();
  }

  /** It never follows, so whoever has the place would be missed for nothing. */
  @Test
  void memberOfAnotherFoundingTakesNobodysPlace() {
    cores.startEmpty("a", "b", "c");
    Cores.Node leader = cores.awaitLeader();
    cores.run(1_000);
    Membership before = leader.core.membership();
    String name = leader.self.name().equals("c") ? "b" : "c";
    Cores.Node former = cores.node(name);
    cores.crash(name);
    Cores.Node stranger = cores.startOfAnotherGroup(name);
    cores.run(10_000);
    assertThat(leader.core.membership()).isEqualTo(before);
    assertThat(stranger.warned).anyMatch(said -> said.contains("belongs to another group"));
    assertThat(leader.warned).anyMatch(said -> said.startsWith(stranger.self.toString()));
    cores.crash(name);
    cores.restart(former);
    cores.await("it is back", () -> former.core.leader() != null);
    assertThat(leader.core.membership()).isEqualTo(before);
  }

  @Test
  void diskThatIsLostWhileAllMeetCostsNothing() {
    for (int ms = 10; ms < 3_000; ms += 10) {
      Cores group = new Cores("a", "b", "c");
      group.startEmpty("a", "b", "c");
      group.run(ms);
      group.startEmpty("b");
      Cores.Node leader = group.awaitLeader();
      group.await(
          "all vote",
          () ->
              List.of("a", "b", "c").stream()
                  .allMatch(name -> leader.core.membership().isVoter(group.node(name).self)));
    }
  }

  @Test
  void memberThatMissedTheMeetingTakesTheFoundingFromAnother() {
    cores.startEmpty("a", "b", "c");
    cores.cutOneWay("a", "c"); // so c never hears all
    cores.await("b has met all", () -> !cores.node("b").core.membership().equals(Membership.NONE));
    cores.crash("a");
    cores.heal();
    assertThat(cores.awaitLeader().self.name()).isIn("b", "c");
  }

  @Test
  void memberThatMissedTheMeetingMayLeadLater() {
    cores.startEmpty("a", "b", "c");
    cores.lose("a", "c", message -> message instanceof Message.HelloReply);
    cores.lose("b", "c", message -> message instanceof Message.HelloReply);
    Cores.Node c = cores.node("c");
    cores.await("c has the first entry", () -> c.core.lastIndex() > 0);
    assertThat(c.record.initial()).isEqualTo(Membership.NONE);
    cores.crash("a");
    cores.crash("b");
    cores.restart("c"); // what is committed it does not know now
    cores.lose("a", "c", message -> message instanceof Message.PreVote);
    cores.restart("a");
    assertThat(cores.awaitLeader()).isSameAs(c);
  }

  /** Of two others one has lost power, so that its vote is not enough. */
  @Test
  void memberThatHasHeardALeaderAndStoredNothingTakesItsFoundingFromAnother() {
    cores.startEmpty("a", "b", "c");
    cores.await("b has met all", () -> !cores.node("b").core.membership().equals(Membership.NONE));
    cores.cut("c", "a", "b");
    Cores.Node leader = cores.awaitLeader();
    Cores.Node c = cores.node("c");
    assertThat(c.core.lastIndex()).isZero();
    c.record = TermRecord.fresh().withFounding(leader.record.founding());
    Stream.of("a", "b", "c").forEach(cores::crash);
    cores.heal();
    cores.restart("c");
    cores.restart("a");
    cores.restartAfterPowerCut("b");
    assertThat(cores.awaitLeader().self.name()).isIn("a", "c");
    assertThat(c.record.initial().isVoter(c.self)).isTrue();
  }

  /** It would be none of the majority that elected the leader that it has heard. */
  @Test
  void memberThatHasHeardALeaderTakesNoOtherFounding() {
    cores.startEmpty("a", "b", "c");
    cores.await("b has met all", () -> !cores.node("b").core.membership().equals(Membership.NONE));
    cores.cut("c", "a", "b");
    cores.awaitLeader();
    Cores.Node c = cores.node("c");
    c.record = TermRecord.fresh().withFounding(new UUID(1, 2));
    cores.crash("c");
    cores.heal();
    cores.restart("c");
    cores.run(5_000);
    assertThat(c.record.initial()).isEqualTo(Membership.NONE);
  }

  @Test
  void memberThatJoinsLaterBelongsToTheFoundingOfItsLeader() {
    cores.startEmpty("a", "b", "c");
    Cores.Node leader = cores.awaitLeader();
    assertThat(leader.core.add("d")).isEmpty();
    cores.startEmpty("d", List.of("a", "b", "c", "d"));
    cores.await("d votes", () -> leader.core.membership().isVoter(cores.node("d").self));
    assertThat(cores.node("d").record.founding()).isEqualTo(leader.record.founding());
    assertThat(cores.node("d").record.initial()).isEqualTo(Membership.NONE);
  }

  @Test
  void membersStartedWithOtherListsFoundNothingAndSayWhy() {
    cores.startEmpty("a", "b");
    cores.startEmpty("c", List.of("b", "c"));
    cores.run(20_000);
    assertThat(cores.leaders()).isEmpty();
    assertThat(cores.node("a").warned)
        .anyMatch(said -> said.contains("c was started with the members [b, c]"));
    assertThat(cores.node("c").warned).anyMatch(said -> said.contains("[a, b, c]"));
  }

  @Test
  void memberWithoutMembershipDoesNotVote() {
    cores.startEmpty("a", "b", "c");
    cores.cutOneWay("a", "c");
    cores.cutOneWay("b", "c");
    cores.run(1_000);
    MemberId a = cores.node("a").self;
    Cores.Node c = cores.node("c");
    c.core.receive(10_000, a, new Message.Vote(9, null, 0, 0, false, false));
    assertThat(c.record.votedFor()).isNull();
    assertThat(c.record.term()).isZero();
  }

  @Test
  void whoWasMissedIsForgottenWhenTheGroupIsFounded() {
    cores.startEmpty("a", "b");
    cores.await("a misses c", () -> saysNoGroup("a") && saysNoGroup("b"));
    cores.startEmpty("c");
    cores.awaitLeader();
    cores.await(
        "all follow", () -> Stream.of("a", "b").allMatch(n -> cores.node(n).core.leader() != null));
    cores.run(Cores.STEP_MS);
    assertThat(Stream.of("a", "b").filter(this::saysNoGroup)).isEmpty();
  }

  private boolean saysNoGroup(String name) {
    return cores.node(name).core.warnings().stream().anyMatch(w -> w.startsWith("No group"));
  }
}
