package io.mgtm.group.member;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.group.Durability;
import io.mgtm.group.GroupMode;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What every mode promises, on members with real sockets and disks in one JVM. {@link LazyModeIT}
 * and the simulations test what is particular to a mode.
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
    try (TestGroup group = three(mode)) {
      TestMember leader = group.awaitLeader();
      for (int i = 0; i < 200; i++) {
        leader.add("w" + i, i % 10 == 0 ? Durability.REQUIRED : Durability.BUFFERED);
      }
      List<String> words = leader.add("last", Durability.BUFFERED).get(20, TimeUnit.SECONDS);
      assertThat(words).hasSize(201).endsWith("w199", "last");
      assertThat(leader.read().get(20, TimeUnit.SECONDS)).isEqualTo(words);
      TestGroup.await(
          "agreement",
          () -> group.members.values().stream().allMatch(m -> m.local().equals(words)));
    }
  }

  @ParameterizedTest
  @EnumSource
  void leadershipMovesWhenTheLeaderStopsAndNothingIsLost(GroupMode mode) throws Exception {
    try (TestGroup group = three(mode)) {
      group.awaitLeader();
      group.add("one");
      long term = 0;
      for (int round = 0; round < 3; round++) {
        String leader = group.nameOf(group.awaitLeader());
        group.stop(leader);
        group.add("without " + leader + round);
        assertThat(group.awaitLeader().ledTerm()).as("terms grow").isGreaterThan(term);
        term = group.awaitLeader().ledTerm();
        group.start(leader);
        group.add("with " + leader + round);
      }
      List<String> words = group.awaitLeader().read().get(20, TimeUnit.SECONDS);
      assertThat(words).contains("one");
      assertThat(words.stream().filter(word -> word.startsWith("with")).distinct()).hasSize(6);
      TestGroup.await(
          "agreement",
          () -> group.members.values().stream().allMatch(m -> m.local().equals(words)));
    }
  }

  @ParameterizedTest
  @EnumSource
  void nothingIsLostWhenAllStopAndStartAgain(GroupMode mode) throws Exception {
    try (TestGroup group = three(mode)) {
      long term = group.awaitLeader().ledTerm();
      fill(group, 100);
      List<String> words = group.awaitLeader().read().get(20, TimeUnit.SECONDS);
      THREE.forEach(group::stop);
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
    try (TestGroup group = three(mode)) {
      group.awaitLeader();
      group.add("first");
      String away = group.nameOf(otherThanLeader(group));
      group.stop(away);
      fill(group, 3_000);
      group.start(away);
      awaitAgreement(group);
      group.stop(away);
      group.start(away, "-emptied");
      TestGroup.await(
          "a voter again",
          () ->
              group.awaitLeader().status().members().stream()
                      .filter(GroupStatus.Member::voter)
                      .count()
                  == 3);
      fill(group, 10);
      awaitAgreement(group);
    }
  }

  @ParameterizedTest
  @EnumSource
  void membersAreAddedAndRemoved(GroupMode mode) throws Exception {
    try (TestGroup group = three(mode)) {
      TestMember leader = group.awaitLeader();
      group.add("first");
      group.start("g4");
      leader.onOwner(() -> leader.log().add("g4"));
      TestGroup.await("four voters", () -> voters(group.awaitLeader()).size() == 4);
      String gone = group.nameOf(otherThanLeader(group));
      group.stop(gone);
      TestGroup.await(
          "removal",
          () -> {
            TestMember now = group.awaitLeader();
            return now.onOwner(() -> now.log().remove(gone)).isEmpty();
          });
      TestGroup.await("three voters", () -> voters(group.awaitLeader()).size() == 3);
      group.add("last");
      awaitAgreement(group);
    }
  }

  private static List<String> voters(TestMember leader) {
    return leader.status().members().stream()
        .filter(GroupStatus.Member::voter)
        .map(GroupStatus.Member::name)
        .toList();
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
