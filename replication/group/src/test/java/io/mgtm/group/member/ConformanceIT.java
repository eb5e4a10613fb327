package io.mgtm.group.member;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.group.Durability;
import io.mgtm.group.GroupMode;
import io.mgtm.testing.Await;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What the modes promise, on members with real sockets and disks in one JVM; {@link Promise} has
 * the table. {@link LazyModeIT} and the simulations test what is particular to a mode.
 */
class ConformanceIT {
  private static final List<String> THREE = List.of("g1", "g2", "g3");
  private static final int ROUNDS_MAX = 30;

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
      group.atLeader("all words", ConformanceIT::readsWhatItAdded);
      group.awaitAgreement();
      group.members.values().forEach(member -> assertThat(member.indexesOutOfOrder()).isZero());
    }
  }

  private static List<String> readsWhatItAdded(TestMember leader) throws Exception {
    int before = leader.read().get(20, TimeUnit.SECONDS).size();
    for (int i = 0; i < 200; i++) {
      leader.add("w" + i, i % 10 == 0 ? Durability.REQUIRED : Durability.BUFFERED);
    }
    List<String> words = leader.add("last", Durability.BUFFERED).get(20, TimeUnit.SECONDS);
    assertThat(words).hasSize(before + 201).endsWith("w199", "last");
    assertThat(leader.read().get(20, TimeUnit.SECONDS)).isEqualTo(words);
    return words;
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
      List<String> words = group.read();
      assertThat(words).contains("one");
      assertThat(words.stream().filter(word -> word.startsWith("with")).distinct()).hasSize(4);
      group.awaitAgreement();
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
        Await.until("acknowledgements", () -> acknowledged.size() > before + 20);
        String leader = group.nameOf(group.awaitLeader());
        group.kill(leader);
        Await.until("the next leader", () -> group.leaders().size() == 1);
        group.start(leader);
        group.awaitVoters(3);
      }
      enough.set(true);
      load.join();
      group.add("last");
      List<String> promised = List.copyOf(acknowledged);
      List<String> words = group.read();
      assertThat(words).containsAll(promised);
      assertThat(words.stream().filter(word -> word.startsWith("w")).toList())
          .doesNotHaveDuplicates();
      group.awaitAgreement();
    }
  }

  @ParameterizedTest
  @EnumSource
  void nothingIsLostWhenAllAreKilledAndStartAgain(GroupMode mode) throws Exception {
    Promise.SURVIVES_KILLED_MEMBERS.assumeMadeBy(mode);
    try (TestGroup group = three(mode)) {
      long term = group.awaitLeader().ledTerm();
      fill(group, 100);
      List<String> words = group.read();
      THREE.forEach(group::kill);
      THREE.forEach(group::start);
      assertThat(group.read()).isEqualTo(words);
      assertThat(group.awaitLeader().ledTerm()).isGreaterThan(term);
      group.awaitAgreement();
    }
  }

  @ParameterizedTest
  @EnumSource
  void plannedTransferMovesLeadership(GroupMode mode) throws Exception {
    try (TestGroup group = three(mode)) {
      group.add("before");
      AtomicReference<TestMember> target = new AtomicReference<>();
      Await.until(
          "transfer",
          () -> {
            TestMember leader = group.awaitLeader();
            TestMember other = otherThan(leader, group);
            if (!leader.equals(target.get()) && handsOverTo(leader, other, group)) {
              target.set(other);
            }
            return leader.equals(target.get());
          });
      group.add("after");
      Await.until("both words", () -> target.get().local().containsAll(List.of("before", "after")));
    }
  }

  /** Whether the leader says that it will. */
  private static boolean handsOverTo(TestMember leader, TestMember target, TestGroup group) {
    String name = group.nameOf(target);
    return leader.onOwner(() -> leader.log().transfer(name)).isEmpty();
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
      group.awaitAgreement();
      assertThat(group.members.get(away).restores()).as("by entries").isZero();
      group.stop(away);
      fill(group, 3_000);
      group.start(away);
      group.awaitAgreement();
      group.stop(away);
      TestMember emptied = group.start(away, "-emptied");
      group.awaitVoters(3);
      fill(group, 10);
      group.awaitAgreement();
      for (int again = 0; emptied.restores() == 0; again++) {
        // The log reached back to its beginning still; each time a checkpoint more has cut it.
        assertThat(again).as("tries to need a checkpoint").isLessThan(8);
        group.stop(away);
        fill(group, 2_000);
        emptied = group.start(away, "-emptied" + again);
        group.awaitVoters(3);
        group.awaitAgreement();
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void eachMembersLogIsCutByCheckpoints(GroupMode mode) throws Exception {
    Promise.BOUNDED_LOG.assumeMadeBy(mode);
    try (TestGroup group = three(mode)) {
      String restarted = group.nameOf(otherThanLeader(group));
      for (int round = 0; THREE.stream().anyMatch(group::holdsItsFirstSegment); round++) {
        assertThat(round)
            .as(() -> "rounds without a cut; " + group.logFiles())
            .isLessThan(ROUNDS_MAX);
        // Less than a checkpoint is taken after: what a member finds at its start counts too.
        fill(group, 600);
        group.stop(restarted);
        group.start(restarted);
        group.awaitAgreement();
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
      group.add("before");
      Await.until("all have it", () -> group.haveAll("before"));
      CutOff cut = group.atLeader("a word of a leader that is cut off", this::cutOff);
      TestMember old = cut.leader();
      Await.until(
          "another leader", () -> group.leaders().stream().anyMatch(leader -> !leader.equals(old)));
      Await.until("the old one steps down", () -> !old.isLeading());
      assertThat(cut.lost()).as("acknowledgement").isCompletedExceptionally();
      assertThat(cut.read()).as("read").isCompletedExceptionally();
      group.add("kept");
      Cut.of(group.nameOf(old)).heal();
      group.add("after");
      group.awaitAgreement();
      assertThat(old.local()).contains("before", "kept", "after").doesNotContain("lost");
    }
  }

  /** A leader that is cut off, and what was asked of it then. */
  private record CutOff(
      TestMember leader,
      CompletableFuture<List<String>> lost,
      CompletableFuture<List<String>> read) {}

  /** Cuts a leader off; not for long when it was deposed before it took the word. */
  private CutOff cutOff(TestMember leader) {
    Cut cut = Cut.of(leader.status().name());
    cut.cut();
    CutOff off = new CutOff(leader, leader.add("lost", Durability.BUFFERED), leader.read());
    boolean taken = leader.local().contains("lost");
    if (!taken) {
      cut.heal();
    }
    assertThat(taken).as("a leader applies what it cannot acknowledge yet").isTrue();
    return off;
  }

  @ParameterizedTest
  @EnumSource
  void entriesOfManyFragmentsComeWhole(GroupMode mode) throws Exception {
    Promise.BIG_ENTRIES.assumeMadeBy(mode);
    try (TestGroup group =
        new TestGroup(mode, folder, THREE, Optional.empty()).withSegments(4 << 20)) {
      THREE.forEach(group::start);
      TestMember leader = group.awaitLeader();
      for (int i = 0; i < 5; i++) {
        leader.add(i + "y".repeat(700_000), Durability.BUFFERED);
      }
      group.add("last");
      group.awaitAgreement();
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
      group.awaitMember("g4", true);
      group.awaitVoters(4);
      String gone = group.nameOf(otherThanLeader(group));
      group.stop(gone);
      group.awaitMember(gone, false);
      group.awaitVoters(3);
      group.add("last");
      group.awaitAgreement();
    }
  }

  private static TestMember otherThanLeader(TestGroup group) {
    return otherThan(group.awaitLeader(), group);
  }

  private static TestMember otherThan(TestMember leader, TestGroup group) {
    return group.members.values().stream().filter(m -> !m.equals(leader)).findFirst().get();
  }

  private static void fill(TestGroup group, int words) throws Exception {
    TestMember leader = group.awaitLeader();
    for (int i = 0; i < words; i++) {
      leader.add("x".repeat(100) + i, Durability.BUFFERED);
    }
    group.add("filled");
  }
}
