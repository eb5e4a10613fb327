package io.mgtm.group.member;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.group.GroupMode;
import io.mgtm.group.core.DurabilityState;
import io.mgtm.testing.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A member that is started on an older copy of its folder while the others run. */
class OlderCopyIT {
  private static final int TRIES_MAX = 20;

  @TempDir Path folder;

  @ParameterizedTest
  @EnumSource(names = {"FIFO", "LAZY", "TOTAL"})
  void itIsToldSoAndGivenWhatItLacks(GroupMode mode) throws Exception {
    int tries = 1;
    while (!isToldSoAndGivenWhatItLacks(mode, Files.createDirectory(folder.resolve("" + tries)))) {
      assertThat(tries++).as("how often the leader was deposed").isLessThan(TRIES_MAX);
    }
  }

  /** False where a busy machine has deposed the leader: no other knows what the member had. */
  private static boolean isToldSoAndGivenWhatItLacks(GroupMode mode, Path in) throws Exception {
    try (TestGroup group = TestGroup.three(mode, in)) {
      group.add("before");
      String name = group.nameOf(group.other());
      group.stop(name);
      copy(in.resolve(name), in.resolve(name + "-copy"));
      group.start(name);
      TestMember leader = group.awaitLeader();
      long term = leader.ledTerm();
      group.add("after");
      Await.until("it has the word", () -> group.members.get(name).local().contains("after"));
      group.awaitVoters(3);
      group.stop(name);
      TestMember old = group.start(name, "-copy");
      Await.until(
          "the leader tells",
          () -> isToldOf(leader.status().warnings(), name) || !leads(leader, term));
      if (!isToldOf(leader.status().warnings(), name)) {
        return false;
      }
      if (mode == GroupMode.TOTAL) {
        stopsOnce(group, old, name);
      }
      group.awaitVoters(3);
      group.add("last");
      group.awaitAgreement();
      Await.until(
          "it votes again",
          () -> group.members.get(name).status().durabilityState() == DurabilityState.INTACT);
      return true;
    }
  }

  private static boolean leads(TestMember member, long term) {
    return member.isLeading() && member.ledTerm() == term;
  }

  /** Its proposals would be named as others were. */
  private static void stopsOnce(TestGroup group, TestMember old, String name) {
    Await.until("it stops", () -> old.failure() != null);
    assertThat(old.failure()).hasMessageContaining("start it again");
    group.stop(name);
    group.start(name, "-copy");
  }

  private static boolean isToldOf(List<String> warnings, String name) {
    return warnings.stream().anyMatch(w -> w.startsWith(name + " was started on an older copy"));
  }

  private static void copy(Path from, Path to) throws IOException {
    Files.createDirectory(to);
    try (Stream<Path> files = Files.list(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(file.getFileName()));
      }
    }
  }
}
