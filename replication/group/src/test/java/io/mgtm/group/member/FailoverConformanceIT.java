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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What the modes promise when a leader is killed, cut off or hands over, as {@link ConformanceIT}.
 */
class FailoverConformanceIT {
  @TempDir Path folder;

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
    try (TestGroup group = TestGroup.three(mode, folder)) {
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
        long term = group.awaitLeader().ledTerm();
        group.kill(leader);
        Await.until("the next leader", () -> group.leaders().size() == 1);
        assertThat(group.awaitLeader().ledTerm()).as("terms grow").isGreaterThan(term);
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
    try (TestGroup group = TestGroup.three(mode, folder)) {
      long term = group.awaitLeader().ledTerm();
      group.fill(100);
      List<String> words = group.read();
      TestGroup.THREE.forEach(group::kill);
      TestGroup.THREE.forEach(group::start);
      assertThat(group.read()).isEqualTo(words);
      assertThat(group.awaitLeader().ledTerm()).isGreaterThan(term);
      group.awaitAgreement();
    }
  }

  @ParameterizedTest
  @EnumSource
  void plannedTransferMovesLeadership(GroupMode mode) throws Exception {
    try (TestGroup group = TestGroup.three(mode, folder)) {
      group.add("before");
      AtomicReference<TestMember> target = new AtomicReference<>();
      Await.until(
          "transfer",
          () -> {
            TestMember leader = group.awaitLeader();
            TestMember other = group.otherThan(leader);
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
    return leader.onOwner(() -> leader.log().admin().transfer(name)).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void leaderThatIsCutOffAcknowledgesNothingAndItsStateIsUndone(GroupMode mode) throws Exception {
    Promise.NOTHING_WITHOUT_A_MAJORITY.assumeMadeBy(mode);
    Promise.UNACKNOWLEDGED_IS_UNDONE.assumeMadeBy(mode);
    try (TestGroup group =
        new TestGroup(mode, folder, TestGroup.THREE, Optional.empty()).cuttable()) {
      TestGroup.THREE.forEach(group::start);
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
}
