package io.mgtm.group.member;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.group.Durability;
import io.mgtm.group.GroupMode;
import io.mgtm.testing.Await;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What only mode lazy does. */
class LazyModeIT {
  private static final List<String> TWO = List.of("g1", "g2");

  @TempDir Path folder;

  private TestGroup two() throws Exception {
    TestGroup group = new TestGroup(GroupMode.LAZY, folder, TWO, Optional.empty());
    TWO.forEach(group::start);
    return group;
  }

  @Test
  void oneOfTwoGoesOnAloneAndSaysThatRepliesMayBeLost() throws Exception {
    try (TestGroup group = two()) {
      TestMember first = group.awaitLeader();
      assertThat(first.repliesMayBeLost()).isFalse();
      group.add("together");
      awaitBothInStep(group);
      group.stop(group.nameOf(first));
      TestMember second = group.awaitLeader();
      assertThat(second.repliesMayBeLost()).isTrue();
      assertThat(second.ledTerm()).isGreaterThan(first.ledTerm());
      assertThat(second.add("alone", Durability.REQUIRED).get(180, TimeUnit.SECONDS))
          .contains("together", "alone");
      Await.until("only one voter", () -> voters(second) == 1);
    }
  }

  @Test
  void memberThatWasAwayDoesNotLeadWithoutTheOneThatKnowsMore() throws Exception {
    try (TestGroup group = two()) {
      TestMember first = group.awaitLeader();
      String leader = group.nameOf(first);
      String other = TWO.stream().filter(name -> !name.equals(leader)).findFirst().get();
      group.add("together");
      group.stop(other);
      Await.until("goes on alone", () -> voters(first) == 1);
      group.add("alone");
      group.stop(leader);
      TestMember stale = group.start(other);
      Await.until("the other is looked for", () -> stale.status().term() > 0);
      group.start(leader);
      TestMember now = group.awaitLeader();
      assertThat(group.nameOf(now)).isEqualTo(leader);
      List<String> words = now.read().get(180, TimeUnit.SECONDS);
      assertThat(words).contains("together", "alone");
      Await.until("agreement", () -> stale.local().equals(words));
    }
  }

  @Test
  void plannedTransferLosesNothingAndSaysSo() throws Exception {
    try (TestGroup group = two()) {
      TestMember first = group.awaitLeader();
      group.add("before");
      String target =
          TWO.stream().filter(name -> !name.equals(group.nameOf(first))).findFirst().get();
      Await.until(
          "transfer accepted",
          () -> first.onOwner(() -> first.log().admin().transfer(target)).isEmpty());
      Await.until("transfer", () -> group.members.get(target).isLeading());
      assertThat(group.members.get(target).repliesMayBeLost()).isFalse();
    }
  }

  /** A word that has come to both in time for the leader to have told the other about it. */
  private static void awaitBothInStep(TestGroup group) {
    Await.until(
        "agreement",
        () -> group.members.values().stream().allMatch(m -> m.local().contains("together")));
  }

  private static long voters(TestMember member) {
    return member.status().members().stream().filter(GroupStatus.Member::voter).count();
  }
}
