package io.mgtm.group.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class WarningsTest {
  private final Cores cores = new Cores("a", "b", "c");

  /** The log says it once, and again only when another cause is known. */
  @Test
  void changedCauseIsTold() {
    cores.startWith("a", "a backup of 5 gxids");
    Cores.Node a = cores.node("a");
    Warnings warnings = new Warnings(a);
    int before = a.warned.size();
    for (int second = 0; second < 60; second++) {
      warnings.tick(second * 1_000L);
      String behind = "b is %d entries behind".formatted(second);
      warnings.warn("b", behind + (second < 30 ? "" : ", for its disk is full"));
    }
    assertThat(a.warned.subList(before, a.warned.size()))
        .containsExactly("b is 0 entries behind", "b is 30 entries behind, for its disk is full");
  }

  @Test
  void causesThatAlternateAreNotToldEachTime() {
    cores.startEmpty("a");
    Cores.Node a = cores.node("a");
    Warnings warnings = new Warnings(a);
    int before = a.warned.size();
    for (int second = 0; second < 60; second++) {
      warnings.tick(second * 1_000L);
      warnings.warn("b", second % 2 == 0 ? "one" : "the other");
    }
    assertThat(a.warned.size() - before).isLessThanOrEqualTo(7);
  }
}
