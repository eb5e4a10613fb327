package io.mgtm.group.member;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.group.GroupMode;
import io.mgtm.testing.Await;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Processes that should not be there. */
class StrangersIT {
  @TempDir Path folder;

  private TestGroup begun() {
    TestGroup group =
        new TestGroup(GroupMode.FIFO, folder, List.of("g1", "g2", "g3"), Optional.empty());
    List.of("g1", "g2", "g3").forEach(group::start);
    return group;
  }

  private static void awaitWarning(TestMember member, String said) {
    Await.until(
        "the warning \"" + said + "\"",
        () -> member.status().warnings().stream().anyMatch(w -> w.contains(said)));
  }

  /** A second process of a member's name, with an empty folder and another address. */
  @Test
  void impostorIsNotLetInWhileTheMemberRuns() throws Exception {
    try (TestGroup group = begun()) {
      group.add("one");
      group.awaitAgreement();
      TestMember real = group.members.get("g3");
      try (TestMember impostor = group.stranger(GroupMode.FIFO, "g3", "g4")) {
        awaitWarning(impostor, "Another process calls itself g3");
        awaitWarning(real, "Another process calls itself g3");
        awaitWarning(group.members.get("g1"), "Two processes call themselves g3");
        for (int i = 0; i < 50; i++) {
          group.add("word " + i);
        }
        group.awaitAgreement();
        assertThat(real.local()).hasSizeGreaterThanOrEqualTo(51);
        assertThat(impostor.local()).isEmpty();
        assertThat(impostor.status().leader()).isEmpty();
        awaitWarning(impostor, "hears no leader, and the others hear another process of its name");
        assertThat(impostor.status().outside()).isNotEmpty();
        assertThat(real.status().outside()).isEmpty();
      }
      Await.until(
          "the warnings to end",
          () -> group.members.values().stream().allMatch(m -> m.status().warnings().isEmpty()));
    }
  }

  /** The name is free then, as for a machine that was lost. */
  @Test
  void nameIsTakenOverOnceItsProcessIsGone() throws Exception {
    try (TestGroup group = begun()) {
      group.add("one");
      group.awaitAgreement();
      try (TestMember next = group.stranger(GroupMode.FIFO, "g3", "g4")) {
        awaitWarning(next, "Another process calls itself g3");
        group.kill("g3");
        Await.until("it has joined", () -> next.local().contains("one"));
        Await.until("nothing is wrong any more", () -> next.status().warnings().isEmpty());
      }
    }
  }

  @Test
  void memberOfAnotherModeIsNamedOnBothSides() throws Exception {
    try (TestGroup group = begun()) {
      group.add("one");
      try (TestMember other = group.stranger(GroupMode.CAUSAL, "g4", "g4")) {
        awaitWarning(other, "runs in mode fifo and this member in mode causal");
        awaitWarning(group.members.get("g1"), "g4 runs in mode causal");
      }
    }
  }
}
