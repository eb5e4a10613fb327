package io.mgtm.group.member;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.group.Durability;
import io.mgtm.group.GroupMode;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What the modes promise, on members with real sockets and disks in one JVM; {@link Promise} has
 * the table. {@link LazyModeIT} and the simulations test what is particular to a mode.
 */
@Timeout(120)
class ConformanceIT {
  private static final List<String> THREE = List.of("g1", "g2", "g3");

  @TempDir Path folder;

  private TestGroup three(GroupMode mode) throws Exception {
    TestGroup group = new TestGroup(mode, folder, THREE, Optional.empty());
    THREE.forEach(group::start);
    return group;
  }

  @ParameterizedTest
  @EnumSource
  void membersElectALeaderAndAgree(GroupMode mode) throws Exception {
    Promise.ORDER.assumeMadeBy(mode);
    try (TestGroup group = three(mode)) {
      TestMember leader = group.awaitLeader();
      for (int i = 0; i < 200; i++) {
        leader.add("w" + i, i % 10 == 0 ? Durability.REQUIRED : Durability.BUFFERED);
      }
      List<String> words = leader.add("last", Durability.BUFFERED).get(20, TimeUnit.SECONDS);
      assertThat(words).hasSize(201).endsWith("w199", "last");
      assertThat(leader.read().get(20, TimeUnit.SECONDS)).isEqualTo(words);
      awaitAgreement(group);
      group.members.values().forEach(member -> assertThat(member.indexesOutOfOrder()).isZero());
    }
  }

  @ParameterizedTest
  @EnumSource
  void leadershipMovesWhenTheLeaderIsKilledAndNothingIsLost(GroupMode mode) throws Exception {
    Promise.SURVIVES_A_KILLED_LEADER.assumeMadeBy(mode);
    try (TestGroup group = three(mode)) {
      group.awaitLeader();
      group.add("one");
      long term = 0;
      for (int round = 0; round < 2; round++) {
        String leader = group.nameOf(group.awaitLeader());
        group.kill(leader);
        group.add("without " + leader + round);
        assertThat(group.awaitLeader().ledTerm()).as("terms grow").isGreaterThan(term);
        term = group.awaitLeader().ledTerm();
        group.start(leader);
        group.add("with " + leader + round);
      }
      List<String> words = group.awaitLeader().read().get(20, TimeUnit.SECONDS);
      assertThat(words).contains("one");
      assertThat(words.stream().filter(word -> word.startsWith("with")).distinct()).hasSize(4);
      awaitAgreement(group);
    }
  }

  @ParameterizedTest
  @EnumSource
  @Tag("long")
  void tenKilledLeadersUnderLoadLoseNothing(GroupMode mode) throws Exception {
    Promise.SURVIVES_A_KILLED_LEADER.assumeMadeBy(mode);
    killLeadersUnderLoad(mode, 10);
  }

  @ParameterizedTest
  @EnumSource
  void killedLeadersUnderLoadLoseNothing(GroupMode mode) throws Exception {
    Promise.SURVIVES_A_KILLED_LEADER.assumeMadeBy(mode);
    killLeadersUnderLoad(mode, 3);
  }

  private void killLeadersUnderLoad(GroupMode mode, int kills) throws Exception {
    ConcurrentLinkedQueue<String> acknowledged = new ConcurrentLinkedQueue<>();
    AtomicBoolean enough = new AtomicBoolean();
    try (TestGroup group = three(mode)) {
      group.awaitLeader();
      Thread load =
          new Thread(
              () -> {
                for (int i = 0; !enough.get(); i++) {
                  String word = "w" + i;
                  group.leaders().stream()
                      .findFirst()
                      .ifPresent(
                          leader ->
                              leader
                                  .add(word, Durability.REQUIRED)
                                  .thenAccept(done -> acknowledged.add(word)));
                  LockSupport.parkNanos(1_000_000);
                }
              });
      load.start();
      for (int kill = 0; kill < kills; kill++) {
        int before = acknowledged.size();
        TestGroup.await("acknowledgements", () -> acknowledged.size() > before + 20);
        String leader = group.nameOf(group.awaitLeader());
        group.kill(leader);
        TestGroup.await("the next leader", () -> group.leaders().size() == 1);
        group.start(leader);
        group.awaitVoters(3);
      }
      enough.set(true);
      load.join();
      group.add("last");
      List<String> words = group.awaitLeader().read().get(20, TimeUnit.SECONDS);
      assertThat(words).containsAll(acknowledged);
      assertThat(words.stream().filter(word -> word.startsWith("w")).toList())
          .doesNotHaveDuplicates();
      awaitAgreement(group);
    }
  }

  @ParameterizedTest
  @EnumSource
  void nothingIsLostWhenAllAreKilledAndStartAgain(GroupMode mode) throws Exception {
    Promise.SURVIVES_KILLED_MEMBERS.assumeMadeBy(mode);
    try (TestGroup group = three(mode)) {
      long term = group.awaitLeader().ledTerm();
      fill(group, 100);
      List<String> words = group.awaitLeader().read().get(20, TimeUnit.SECONDS);
      THREE.forEach(group::kill);
      THREE.forEach(group::start);
      TestMember leader = group.awaitLeader();
      assertThat(leader.read().get(20, TimeUnit.SECONDS)).isEqualTo(words);
      assertThat(leader.ledTerm()).isGreaterThan(term);
      awaitAgreement(group);
    }
  }

  @ParameterizedTest
  @EnumSource
  void plannedTransferMovesLeadership(GroupMode mode) throws Exception {
    try (TestGroup group = three(mode)) {
      TestMember leader = group.awaitLeader();
      group.add("before");
      String target =
          THREE.stream().filter(name -> !name.equals(group.nameOf(leader))).findFirst().get();
      if (Promise.notMadeBy(mode).contains(Promise.TRANSFER)) {
        assertThat(leader.onOwner(() -> leader.log().transfer(target))).isPresent();
        return;
      }
      TestGroup.await(
          "transfer accepted", () -> leader.onOwner(() -> leader.log().transfer(target)).isEmpty());
      TestGroup.await("transfer", () -> group.members.get(target).isLeading());
      group.add("after");
      assertThat(group.members.get(target).local()).contains("before", "after");
    }
  }

  @ParameterizedTest
  @EnumSource
  void memberFarBehindOrWithAnEmptiedFolderCatchesUp(GroupMode mode) throws Exception {
    Promise.CATCHES_UP.assumeMadeBy(mode);
    Promise.EMPTIED_REJOINS.assumeMadeBy(mode);
    try (TestGroup group = three(mode)) {
      group.awaitLeader();
      group.add("first");
      String away = group.nameOf(otherThanLeader(group));
      group.stop(away);
      fill(group, 20);
      group.start(away);
      awaitAgreement(group);
      assertThat(group.members.get(away).restores()).as("by entries").isZero();
      group.stop(away);
      fill(group, 3_000);
      group.start(away);
      awaitAgreement(group);
      group.stop(away);
      TestMember emptied = group.start(away, "-emptied");
      group.awaitVoters(3);
      fill(group, 10);
      awaitAgreement(group);
      for (int again = 0; emptied.restores() == 0; again++) {
        // The log reached back to its beginning still; each time a checkpoint more has cut it.
        assertThat(again).as("tries to need a checkpoint").isLessThan(8);
        group.stop(away);
        fill(group, 2_000);
        emptied = group.start(away, "-emptied" + again);
        group.awaitVoters(3);
        awaitAgreement(group);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void leaderThatIsCutOffAcknowledgesNothingAndItsStateIsUndone(GroupMode mode) throws Exception {
    Promise.NOTHING_WITHOUT_A_MAJORITY.assumeMadeBy(mode);
    Promise.UNACKNOWLEDGED_IS_UNDONE.assumeMadeBy(mode);
    try (TestGroup group = new TestGroup(mode, folder, THREE, Optional.empty()).cuttable()) {
      THREE.forEach(group::start);
      TestMember old = group.awaitLeader();
      String name = group.nameOf(old);
      group.add("before");
      TestGroup.await("all have it", () -> group.haveAll("before"));
      Cut.of(name).cut();
      CompletableFuture<List<String>> lost = old.add("lost", Durability.BUFFERED);
      CompletableFuture<List<String>> read = old.read();
      assertThat(old.local()).contains("lost");
      TestGroup.await(
          "another leader", () -> group.leaders().stream().anyMatch(leader -> !leader.equals(old)));
      TestMember next =
          group.leaders().stream().filter(leader -> !leader.equals(old)).findFirst().get();
      next.add("kept", Durability.REQUIRED).get(20, TimeUnit.SECONDS);
      TestGroup.await("the old one steps down", () -> !old.isLeading());
      assertThat(lost).as("acknowledgement").isCompletedExceptionally();
      assertThat(read).as("read").isCompletedExceptionally();
      Cut.of(name).heal();
      group.add("after");
      awaitAgreement(group);
      assertThat(old.local()).contains("before", "kept", "after").doesNotContain("lost");
    }
  }

  @ParameterizedTest
  @EnumSource
  void entriesOfManyFragmentsComeWhole(GroupMode mode) throws Exception {
    Promise.BIG_ENTRIES.assumeMadeBy(mode);
    try (TestGroup group =
        new TestGroup(mode, folder, THREE, Optional.empty()).withSegments(1 << 20)) {
      THREE.forEach(group::start);
      TestMember leader = group.awaitLeader();
      for (int i = 0; i < 5; i++) {
        leader.add(i + "y".repeat(700_000), Durability.BUFFERED);
      }
      leader.add("last", Durability.REQUIRED).get(20, TimeUnit.SECONDS);
      awaitAgreement(group);
    }
  }

  @ParameterizedTest
  @EnumSource
  void membersAreAddedAndRemoved(GroupMode mode) throws Exception {
    Promise.MEMBERS_CHANGE.assumeMadeBy(mode);
    try (TestGroup group = three(mode)) {
      group.awaitLeader();
      group.add("first");
      group.start("g4");
      TestGroup.await(
          "joining",
          () -> {
            TestMember now = group.awaitLeader();
            return now.onOwner(() -> now.log().add("g4")).isEmpty();
          });
      group.awaitVoters(4);
      String gone = group.nameOf(otherThanLeader(group));
      group.stop(gone);
      TestGroup.await(
          "removal",
          () -> {
            TestMember now = group.awaitLeader();
            return now.onOwner(() -> now.log().remove(gone)).isEmpty();
          });
      group.awaitVoters(3);
      group.add("last");
      awaitAgreement(group);
    }
  }

  private static TestMember otherThanLeader(TestGroup group) {
    TestMember leader = group.awaitLeader();
    return group.members.values().stream().filter(m -> !m.equals(leader)).findFirst().get();
  }

  private static void fill(TestGroup group, int words) throws Exception {
    TestMember leader = group.awaitLeader();
    for (int i = 0; i < words; i++) {
      leader.add("x".repeat(100) + i, Durability.BUFFERED);
    }
    leader.add("filled", Durability.REQUIRED).get(20, TimeUnit.SECONDS);
  }

  private static void awaitAgreement(TestGroup group) throws Exception {
    List<String> words = group.awaitLeader().read().get(20, TimeUnit.SECONDS);
    TestGroup.await(
        "agreement", () -> group.members.values().stream().allMatch(m -> m.local().equals(words)));
  }
}
