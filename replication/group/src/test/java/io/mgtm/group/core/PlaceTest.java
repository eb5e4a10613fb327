package io.mgtm.group.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.group.Durability;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PlaceTest {
  private final Cores cores = new Cores("a", "b", "c");
  private Cores.Node leader;
  private String other;

  @BeforeEach
  void begin() {
    cores.startEmpty("a", "b", "c");
    leader = cores.awaitLeader();
    other = List.of("a", "b", "c").stream().filter(n -> !isLeader(n)).findFirst().orElseThrow();
    cores.await("a follower", () -> cores.node(other).core.leader() != null);
    cores.run(500);
  }

  private boolean isLeader(String name) {
    return leader.self.name().equals(name);
  }

  private void remove(String name) {
    cores.await(name + " is removed", () -> leader.core.remove(name).isEmpty());
    cores.await("that is committed", () -> leader.core.membership().named(name).isEmpty());
  }

  @Test
  void memberThatIsRemovedLearnsItAndIsNoCandidateAnyMore() {
    Cores.Node removed = cores.node(other);
    remove(other);
    cores.await("it knows", () -> !removed.core.outside().isEmpty());
    assertThat(removed.warned).anyMatch(said -> said.contains("is not a member of the group"));
    long term = leader.core.term();
    for (int i = 0; i < 100; i++) {
      cores.run(100);
      assertThat(removed.core.outside()).isEqualTo("is not a member of the group");
      assertThat(removed.core.role()).isEqualTo(Role.FOLLOWER);
      assertThat(removed.core.warnings()).hasSize(1);
      assertThat(removed.core.acceptLoss().orElseThrow()).contains("has no place in the group");
    }
    assertThat(leader.core.term()).isEqualTo(term);
  }

  /** A node without a group looks at the time only when something needs it. */
  @Test
  void loneLeaderThatDoesNotLookAtTheTimeHasItsPlace() {
    Cores alone = new Cores("a");
    alone.startEmpty("a");
    Cores.Node a = alone.awaitLeader();
    a.core.append(ByteBuffer.allocate(1), Durability.BUFFERED);
    a.core.flush(3_600_000);
    assertThat(a.core.outside()).isEmpty();
  }

  @Test
  void memberThatIsRemovedWhileItIsDownLearnsItWhenItIsBack() {
    Cores.Node removed = cores.node(other);
    cores.crash(other);
    remove(other);
    cores.restart(other);
    cores.await("it knows", () -> !removed.core.outside().isEmpty());
  }

  @Test
  void memberThatIsAddedAgainJoinsOnTheFolderThatItHas() {
    Cores.Node removed = cores.node(other);
    remove(other);
    leader.append(1);
    cores.await("it knows", () -> !removed.core.outside().isEmpty());
    assertThat(leader.core.add(other)).isEmpty();
    assertThat(leader.core.awaited()).containsExactly(other);
    cores.await("it votes again", () -> leader.core.membership().isVoter(removed.self));
    cores.await("it has all", () -> removed.core.commitIndex() == leader.core.commitIndex());
    assertThat(removed.core.outside()).isEmpty();
    assertThat(removed.core.warnings()).isEmpty();
    assertThat(leader.core.awaited()).isEmpty();
  }

  @Test
  void memberWhosePlaceAnotherTookIsToldAndTakesItBackWhenThatIsGone() {
    Cores.Node real = cores.node(other);
    cores.crash(other);
    cores.run(2_000);
    cores.startEmpty(other);
    cores.await(
        "the other is let in", () -> leader.core.membership().isVoter(cores.node(other).self));
    assertThat(leader.warned)
        .singleElement()
        .asString()
        .startsWith(real.self + " does not answer")
        .contains("takes its place: " + cores.node(other).self);
    cores.restart(real);
    cores.await(
        "it is told", () -> real.warned.stream().anyMatch(s -> s.contains("has lost its place")));
    assertThat(real.core.role()).isEqualTo(Role.FOLLOWER);
    cores.await("it is back", () -> leader.core.membership().isVoter(real.self));
  }

  /** As after a pause, while which another process has taken its place. */
  @Test
  void memberThatTheOthersDoNotHearSaysWhoseWordCounts() {
    Cores.Node real = cores.node(other);
    cores.cut(other, "a", "b", "c");
    real.core.rival("10.0.0.4:1");
    cores.run(12_000);
    assertThat(real.core.warnings()).singleElement().asString().contains("at 10.0.0.4:1");
    assertThat(real.core.outside()).isNotEmpty();
    real.core.rival("");
    cores.run(12_000);
    assertThat(real.core.outside()).isEmpty();
    assertThat(real.core.warnings()).singleElement().asString().contains("No leader is elected");
  }

  @Test
  void memberThatHearsItsLeaderHasItsPlaceWhoeverElseHasItsName() {
    Cores.Node real = cores.node(other);
    real.core.rival("10.0.0.4:1");
    leader.core.rival("10.0.0.5:1");
    cores.run(20_000);
    assertThat(real.core.outside() + leader.core.outside()).isEmpty();
    assertThat(real.warned).isEmpty();
    assertThat(leader.warned).isEmpty();
  }

  @Test
  void whatIsLostForGoodIsSpokenOfWhenNobodyHasLedForLong() {
    Cores.Node alone = cores.node(other);
    cores.cut(other, "a", "b", "c");
    cores.await("it says whom it misses", () -> !alone.core.warnings().isEmpty());
    assertThat(alone.core.warnings()).singleElement().asString().endsWith("Start them");
    cores.await(
        "and what remains to be done",
        () -> alone.core.warnings().stream().anyMatch(w -> w.contains("lost for good")));
  }

  /** What the former process acknowledged says nothing of the one that has its name now. */
  @Test
  void processOnAnotherFolderDoesNotCountAsTheMemberThatWasThere() {
    MemberId former = cores.node(other).self;
    leader.append(1);
    cores.await("it has all", () -> leader.core.matchedIndex(former) == leader.core.lastIndex());
    assertThat(leader.core.isUnheard(former)).isFalse();
    cores.showBroken(leader.self.name(), other);
    assertThat(leader.core.isUnheard(former)).isTrue();
    cores.await("it has answered again", () -> !leader.core.isUnheard(former));
    cores.replace(other);
    assertThat(leader.core.isUnheard(former)).isTrue();
    MemberId now = cores.node(other).self;
    cores.await("the new one has its place", () -> leader.core.membership().contains(now));
    cores.await("and all", () -> leader.core.matchedIndex(now) == leader.core.lastIndex());
    assertThat(leader.core.isUnheard(now)).isFalse();
  }

  @Test
  void memberThatIsNotAddedYetSaysSo() {
    cores.startEmpty("d", List.of("a", "b", "c", "d"));
    cores.await("it says so", () -> !cores.node("d").warned.isEmpty());
    assertThat(cores.node("d").warned).singleElement().asString().contains("or not added yet");
  }

  @Test
  void memberThatIsStartedWithOtherMembersSaysSo() {
    Cores.Node stray = cores.node(other);
    cores.crash(other);
    stray.configuredHere = List.of(other, "x", "y");
    cores.restart(other);
    cores.await("it says so", () -> !stray.warned.isEmpty());
    assertThat(stray.warned)
        .singleElement()
        .asString()
        .startsWith("The group has the members [a, b, c], and this one was started with [" + other)
        .contains("the group's own list counts");
    cores.run(10_000);
    assertThat(stray.core.warnings()).as("as long as it lasts").hasSize(1);
    assertThat(leader.core.warnings()).isEmpty();
    assertThat(leader.core.membership().voters()).hasSize(3);
  }

  /** What a leader says to a member may come to another process, which has its name now. */
  @Test
  void aMemberOfAnotherGroupTakesNoWordThatWasForTheRightOne() {
    Cores.Node stranger = cores.startOfAnotherGroup(other);
    cores.restartAfterPowerCut(other);
    long term = leader.core.term();
    leader.send(List.of(other), new Message.CaughtUp(term, stranger.core.incarnation()));
    cores.deliver();
    assertThat(stranger.core.durabilityState()).isEqualTo(DurabilityState.SYNCED_ONLY);
  }

  @Test
  void lagThatDoesNotShrinkIsToldWithItsCause() {
    cores.crash(other);
    cores.run(10_000);
    assertThat(leader.core.warnings()).as("nothing is missing there").isEmpty();
    leader.append(1);
    cores.await("a warning", () -> !leader.core.warnings().isEmpty());
    assertThat(leader.core.warnings())
        .singleElement()
        .asString()
        .startsWith(other + " is 1 entries behind")
        .contains("it has not answered for 1");
    cores.restart(other);
    cores.await("it is over", () -> leader.core.warnings().isEmpty());
  }

  /** As one does whose disk is full. */
  @Test
  void memberThatAnswersSeldomAndStoresNothingIsNotCalledSilent() {
    AtomicInteger answers = new AtomicInteger();
    cores.lose(leader.self.name(), other, Cores::hasEntries);
    cores.lose(other, leader.self.name(), m -> answers.incrementAndGet() % 15 > 0);
    leader.append(1);
    cores.await("a warning", () -> !leader.core.warnings().isEmpty());
    assertThat(leader.core.warnings())
        .singleElement()
        .asString()
        .startsWith(other + " is 1 entries behind")
        .contains("it answers");
  }

  @Test
  void memberThatCatchesUpIsNotWarnedOf() {
    cores.cut(other, "a", "b", "c");
    leader.append(1);
    cores.run(2_000);
    cores.heal();
    cores.run(20_000);
    assertThat(leader.warned).isEmpty();
  }
}
