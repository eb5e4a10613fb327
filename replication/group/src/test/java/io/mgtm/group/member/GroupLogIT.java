package io.mgtm.group.member;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.group.Durability;
import io.mgtm.group.net.JGroupsSettings;
import io.mgtm.group.net.TestKeys;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Members over real sockets and disks. */
@Timeout(120)
class GroupLogIT {
  private static final List<String> THREE = List.of("g1", "g2", "g3");

  @TempDir Path folder;

  private TestGroup three() throws Exception {
    TestGroup group = new TestGroup(folder, THREE, Optional.empty());
    THREE.forEach(group::start);
    return group;
  }

  @Test
  void membersElectALeaderAndAgree() throws Exception {
    try (TestGroup group = three()) {
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

  @Test
  void leadershipMovesWhenTheLeaderStopsAndNothingIsLost() throws Exception {
    try (TestGroup group = three()) {
      group.awaitLeader();
      group.add("one");
      for (int round = 0; round < 3; round++) {
        String leader = group.nameOf(group.awaitLeader());
        group.stop(leader);
        group.add("without " + leader + round);
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

  @Test
  void plannedTransferMovesLeadership() throws Exception {
    try (TestGroup group = three()) {
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

  @Test
  void memberFarBehindOrWithAnEmptiedFolderCatchesUp() throws Exception {
    try (TestGroup group = three()) {
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

  @Test
  void membersAreAddedAndRemoved() throws Exception {
    try (TestGroup group = three()) {
      TestMember leader = group.awaitLeader();
      group.add("first");
      group.start("g4");
      leader.onOwner(() -> leader.log().add("g4"));
      TestGroup.await("four voters", () -> voters(group.awaitLeader()).size() == 4);
      String gone = group.nameOf(otherThanLeader(group));
      TestGroup.await(
          "removal",
          () -> {
            TestMember now = group.awaitLeader();
            return now.onOwner(() -> now.log().remove(gone)).isEmpty();
          });
      TestGroup.await("three voters", () -> voters(group.awaitLeader()).size() == 3);
      group.stop(gone);
      group.add("last");
      awaitAgreement(group);
    }
  }

  @Test
  void groupWithTlsWorksAndTalksToNobodyWithoutACertificate() throws Exception {
    JGroupsSettings.Tls keys = TestKeys.in(folder);
    try (TestGroup group = new TestGroup(folder, THREE, Optional.of(keys))) {
      THREE.forEach(group::start);
      TestMember leader = group.awaitLeader();
      group.add("secret");
      awaitAgreement(group);
      leader.onOwner(() -> leader.log().add("g4"));
      TestMember stranger = group.start("g4", "", Optional.empty());
      group.add("more");
      assertThat(stranger.status().connected()).containsExactly("g4");
      assertThat(stranger.local()).isEmpty();
      assertThat(group.awaitLeader().status().connected()).containsExactlyElementsOf(THREE);
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
