package io.mgtm.group.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A leader of three that need a majority, and answers reads under a lease. */
class QueryLeaseTest {
  private static final long PROMISE_MS = 350;
  private static final CoreSettings SETTINGS = CoreSettings.defaults().withQueryLeaseMs(PROMISE_MS);
  private static final long LEASE_MS = SETTINGS.leaseMs(Agreement.MAJORITY);

  private final Cores cores = new Cores("a", "b", "c");
  private Cores.Node leader;
  private Cores.Node other;
  private Cores.Node third;

  @BeforeEach
  void begin() {
    cores.settings = SETTINGS;
    cores.startEmpty("a", "b", "c");
    leader = cores.awaitLeader();
    List<Cores.Node> others =
        Stream.of("a", "b", "c").map(cores::node).filter(node -> node != leader).toList();
    other = others.get(0);
    third = others.get(1);
    cores.run(1_000);
    renew();
  }

  /** A round that all answer. */
  private void renew() {
    leader.append(1);
    cores.deliver();
  }

  private boolean reads() {
    return cores.reading().contains(leader);
  }

  @Test
  void readAsksNobodyForAsLongAsOthersHavePromised() {
    cores.lose(leader.self.name(), other.self.name(), message -> true);
    cores.lose(leader.self.name(), third.self.name(), message -> true);
    for (long ms = 0; ms < LEASE_MS; ms += Cores.STEP_MS) {
      assertThat(reads()).as("after %d ms", ms).isTrue();
      cores.run(Cores.STEP_MS);
    }
    assertThat(reads()).isFalse();
    cores.heal();
    cores.await("the next answer", this::reads);
  }

  @Test
  void withoutItEachReadAsks() {
    cores.settings = CoreSettings.defaults();
    for (String name : List.of("a", "b", "c")) {
      cores.restart(name);
    }
    leader = cores.awaitLeader();
    renew();
    assertThat(reads()).isFalse();
    assertThat(leader.core.warnings()).isEmpty();
  }

  @Test
  void nobodyLeadsBesideALeaderThatReads() {
    cores.cut(leader.self.name(), other.self.name(), third.self.name());
    cores.showBroken(other.self.name(), leader.self.name());
    cores.showBroken(third.self.name(), leader.self.name());
    assertThat(isReadBesideAnother()).isFalse();
    assertThat(cores.reading()).doesNotContain(leader);
    assertThat(cores.leaders()).anyMatch(node -> node != leader);
  }

  /** Else all would stand at the moment when their promises are over. */
  @Test
  void thoseThatArePromisedStandOneAfterTheOther() {
    long term = leader.core.term();
    cores.run(1_000); // both have heard all at once
    cores.crash(leader.self.name());
    cores.delay(other.self.name(), third.self.name(), Cores.STEP_MS);
    cores.delay(third.self.name(), other.self.name(), Cores.STEP_MS);
    cores.showBroken(other.self.name(), leader.self.name());
    cores.showBroken(third.self.name(), leader.self.name());
    cores.await("another leads", () -> !cores.leaders().isEmpty());
    assertThat(cores.leaders()).containsExactly(other);
    assertThat(other.core.term()).isEqualTo(term + 1);
    assertThat(third.core.role()).isEqualTo(Role.FOLLOWER);
  }

  /** Whether the leader ever reads while another leads. */
  private boolean isReadBesideAnother() {
    boolean both = false;
    for (long ms = 0; ms < 2 * SETTINGS.electionTimeoutMs(); ms += Cores.STEP_MS) {
      cores.run(Cores.STEP_MS);
      both |= cores.leaders().size() > 1 && reads();
    }
    return both;
  }

  /**
   * The third member is cut off first, and its promise is over; the other has just answered when it
   * is started again, and forgets it.
   */
  private boolean restartWhoHasJustPromised(CoreSettings with, long startedEarlierMs) {
    cores.cut(leader.self.name(), third.self.name());
    cores.run(PROMISE_MS);
    cores.showBroken(third.self.name(), leader.self.name());
    renew();
    assertThat(reads()).isTrue();
    cores.settings = with;
    cores.startedEarlierMs = startedEarlierMs;
    cores.cut(leader.self.name(), other.self.name());
    cores.restart(other.self.name());
    boolean both = isReadBesideAnother();
    assertThat(cores.leaders()).anyMatch(node -> node != leader);
    return both;
  }

  @Test
  void restartedMemberKeepsItsPromise() {
    assertThat(restartWhoHasJustPromised(SETTINGS, 0)).isFalse();
  }

  @Test
  void restartedMemberThatIsToPromiseNothingKeepsItToo() {
    assertThat(restartWhoHasJustPromised(CoreSettings.defaults(), 0)).isFalse();
  }

  /** Planted: a process that does not count from its start, so that it promised nothing. */
  @Test
  void withoutThatTwoWouldLead() {
    assertThat(restartWhoHasJustPromised(SETTINGS, SETTINGS.electionTimeoutMs())).isTrue();
  }

  @Test
  void leaderThatHasHandedOverAsksForEachRead() {
    cores.lose(leader.self.name(), other.self.name(), m -> m instanceof Message.TransferNow);
    assertThat(cores.transfer(leader, other.self.name())).isEmpty();
    cores.deliver();
    renew();
    assertThat(reads()).isFalse();
    cores.run(2 * SETTINGS.electionTimeoutMs());
    assertThat(leader.isLeading()).as("the transfer has failed").isTrue();
    renew();
    assertThat(reads()).as("though it may come late").isFalse();
  }

  @Test
  void newLeaderAfterATransferReadsOnceItWasAnswered() {
    assertThat(cores.transfer(leader, other.self.name())).isEmpty();
    cores.await("the other leads", other::isLeading);
    leader = other;
    renew();
    assertThat(reads()).isTrue();
  }

  @Test
  void changeOfTheMembersEndsIt() {
    assertThat(leader.core.remove(third.self.name())).isEmpty();
    assertThat(reads()).isFalse();
    cores.deliver();
    renew();
    assertThat(reads()).isTrue();
  }

  @Test
  void clockThatMayHaveStoodStillEndsIt() {
    assertThat(reads()).isTrue();
    leader.core.interrupted();
    assertThat(reads()).isFalse();
    renew();
    assertThat(reads()).isTrue();
  }

  @Test
  void membersThatPromiseLessAreNotCountedOnAndToldOf() {
    cores.settings = SETTINGS.withQueryLeaseMs(PROMISE_MS / 2);
    cores.restart(third.self.name());
    cores.run(500);
    renew();
    assertThat(reads()).as("one other is enough").isTrue();
    assertThat(leader.core.warnings())
        .anyMatch(said -> said.contains("%s promises".formatted(third.self.name())));
    cores.restart(other.self.name());
    cores.run(500);
    renew();
    assertThat(reads()).isFalse();
  }
}
