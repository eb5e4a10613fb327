package io.mgtm.group.member;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.group.Durability;
import io.mgtm.group.GroupMode;
import io.mgtm.testing.Await;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Mode total over real JGroups channels: all members propose at the same time. */
class TotalModeIT {
  private static final List<String> THREE = List.of("g1", "g2", "g3");

  @TempDir Path folder;

  private TestGroup three() throws Exception {
    TestGroup group = new TestGroup(GroupMode.TOTAL, folder, THREE, Optional.empty());
    THREE.forEach(group::start);
    Await.until(
        "all to serve", () -> group.members.values().stream().allMatch(TestMember::isServing));
    return group;
  }

  @Test
  void proposalsOfAllMembersHaveOneOrderAndKeepThatOfTheirOwn() throws Exception {
    try (TestGroup group = three()) {
      Map<String, List<CompletableFuture<List<String>>>> all = new HashMap<>();
      for (int i = 0; i < 300; i++) {
        for (String name : THREE) {
          all.computeIfAbsent(name, n -> new ArrayList<>())
              .add(group.members.get(name).add(name + "-" + i, Durability.BUFFERED));
        }
      }
      for (String name : THREE) {
        for (int i = 0; i < 300; i++) {
          List<String> seen = all.get(name).get(i).get(180, TimeUnit.SECONDS);
          assertThat(seen.get(seen.size() - 1))
              .as("a reply shows the state at its place")
              .isEqualTo(name + "-" + i);
        }
      }
      List<String> words = group.members.get("g2").read().get(180, TimeUnit.SECONDS);
      assertThat(words).hasSize(900).doesNotHaveDuplicates();
      for (String name : THREE) {
        assertThat(words.stream().filter(word -> word.startsWith(name)))
            .as("%s's order", name)
            .isSortedAccordingTo((a, b) -> Integer.compare(number(a), number(b)));
      }
      Await.until(
          "agreement",
          () -> group.members.values().stream().allMatch(m -> m.local().equals(words)));
    }
  }

  private static int number(String word) {
    return Integer.parseInt(word.substring(word.indexOf('-') + 1));
  }

  @Test
  void whatTheOthersProposeOutlivesTheSequencerAndComesOnce() throws Exception {
    try (TestGroup group = three()) {
      String sequencer = group.nameOf(group.awaitLeader());
      List<CompletableFuture<List<String>>> waiting = new ArrayList<>();
      List<TestMember> others =
          THREE.stream().filter(n -> !n.equals(sequencer)).map(group.members::get).toList();
      for (int i = 0; i < 200; i++) {
        if (i == 100) {
          group.stop(sequencer);
        }
        for (TestMember member : others) {
          waiting.add(member.add(member.hashCode() + "-" + i, Durability.REQUIRED));
        }
      }
      for (CompletableFuture<List<String>> next : waiting) {
        assertThat(next.get(180, TimeUnit.SECONDS)).isNotNull();
      }
      List<String> words = others.get(0).read().get(180, TimeUnit.SECONDS);
      assertThat(words).hasSize(400).doesNotHaveDuplicates();
    }
  }

  @Test
  void aMemberWithoutAMajorityServesNoMoreAndGoesOnWhenItHasOne() throws Exception {
    try (TestGroup group = three()) {
      TestMember alone = group.members.get("g1");
      group.stop("g2");
      group.stop("g3");
      Await.until("no service", () -> !alone.isServing());
      CompletableFuture<List<String>> waits = alone.add("late", Durability.BUFFERED);
      group.start("g2");
      Await.until("service", alone::isServing);
      assertThat(waits.get(180, TimeUnit.SECONDS)).containsExactly("late");
    }
  }
}
