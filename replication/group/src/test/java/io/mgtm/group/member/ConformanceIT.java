package io.mgtm.group.member;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.group.Durability;
import io.mgtm.group.GroupMode;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What the modes promise, on members with real sockets and disks in one JVM; {@link Promise} has
 * the table. {@link LazyModeIT} and the simulations test what is particular to a mode.
 */
class ConformanceIT {
  private static final int ROUNDS_MAX = 30;

  @TempDir Path folder;

  @ParameterizedTest
  @EnumSource
  void membersElectALeaderAndAgree(GroupMode mode) throws Exception {
    Promise.ORDER.assumeMadeBy(mode);
    try (TestGroup group = TestGroup.three(mode, folder)) {
      group.atLeader("all words", ConformanceIT::readsWhatItAdded);
      group.awaitAgreement();
      group.members.values().forEach(member -> assertThat(member.indexesOutOfOrder()).isZero());
    }
  }

  private static List<String> readsWhatItAdded(TestMember leader) throws Exception {
    int before = leader.read().get(180, TimeUnit.SECONDS).size();
    for (int i = 0; i < 200; i++) {
      leader.add("w" + i, i % 10 == 0 ? Durability.REQUIRED : Durability.BUFFERED);
    }
    List<String> words = leader.add("last", Durability.BUFFERED).get(180, TimeUnit.SECONDS);
    assertThat(words).hasSize(before + 201).endsWith("w199", "last");
    assertThat(leader.read().get(180, TimeUnit.SECONDS)).isEqualTo(words);
    return words;
  }

  @ParameterizedTest
  @EnumSource
  void memberFarBehindOrWithAnEmptiedFolderCatchesUp(GroupMode mode) throws Exception {
    Promise.CATCHES_UP.assumeMadeBy(mode);
    Promise.EMPTIED_REJOINS.assumeMadeBy(mode);
    try (TestGroup group = TestGroup.three(mode, folder)) {
      group.awaitLeader();
      group.add("first");
      String away = group.nameOf(group.other());
      group.stop(away);
      group.fill(20);
      group.start(away);
      group.awaitAgreement();
      assertThat(group.members.get(away).restores()).as("by entries").isZero();
      group.stop(away);
      group.fill(3_000);
      group.start(away);
      group.awaitAgreement();
      group.stop(away);
      TestMember emptied = group.start(away, "-emptied");
      group.awaitVoters(3);
      group.fill(10);
      group.awaitAgreement();
      for (int again = 0; emptied.restores() == 0; again++) {
        // The log reached back to its beginning still; each time a checkpoint more has cut it.
        assertThat(again).as("tries to need a checkpoint").isLessThan(8);
        group.stop(away);
        group.fill(2_000);
        emptied = group.start(away, "-emptied" + again);
        group.awaitVoters(3);
        group.awaitAgreement();
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  @Tag("long")
  void eachMembersLogIsCutByCheckpoints(GroupMode mode) throws Exception {
    Promise.BOUNDED_LOG.assumeMadeBy(mode);
    try (TestGroup group = TestGroup.three(mode, folder)) {
      String restarted = group.nameOf(group.other());
      for (int round = 0; TestGroup.THREE.stream().anyMatch(group::holdsItsFirstSegment); round++) {
        assertThat(round)
            .as(() -> "rounds without a cut; " + group.logFiles())
            .isLessThan(ROUNDS_MAX);
        // Less than a checkpoint is taken after: what a member finds at its start counts too.
        group.fill(600);
        group.stop(restarted);
        group.start(restarted);
        group.awaitAgreement();
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void entriesOfManyFragmentsComeWhole(GroupMode mode) throws Exception {
    Promise.BIG_ENTRIES.assumeMadeBy(mode);
    try (TestGroup group =
        new TestGroup(mode, folder, TestGroup.THREE, Optional.empty()).withSegments(4 << 20)) {
      TestGroup.THREE.forEach(group::start);
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
    try (TestGroup group = TestGroup.three(mode, folder)) {
      group.awaitLeader();
      group.add("first");
      group.start("g4");
      group.awaitMember("g4", true);
      group.awaitVoters(4);
      String gone = group.nameOf(group.other());
      group.stop(gone);
      group.awaitMember(gone, false);
      group.awaitVoters(3);
      group.add("last");
      group.awaitAgreement();
    }
  }
}
