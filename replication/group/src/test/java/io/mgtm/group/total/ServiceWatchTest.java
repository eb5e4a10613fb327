package io.mgtm.group.total;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ServiceWatchTest {
  private final ServiceWatch watch = new ServiceWatch(2_000, 500, 100, 0);

  @Test
  void aMemberServesOnceAProposalHasComeBack() {
    assertThat(watch.wantsProbe(0)).isTrue();
    watch.proposed(0);
    assertThat(watch.wantsProbe(10_000)).as("one is on its way").isFalse();
    assertThat(watch.isServing()).isFalse();
    assertThat(watch.settled(true, 30)).isTrue();
    assertThat(watch.isServing()).isTrue();
    assertThat(watch.settled(true, 31)).isFalse();
    assertThat(watch.wantsProbe(499)).isFalse();
    assertThat(watch.wantsProbe(500)).isTrue();
  }

  @Test
  void itServesNoMoreWhenNothingComesBackAndAgainWhenSomethingDoes() {
    watch.proposed(0);
    watch.settled(true, 10);
    watch.proposed(1_000);
    watch.proposed(2_900);
    assertThat(watch.stalls(2_999)).isFalse();
    assertThat(watch.stalls(3_000)).isTrue();
    assertThat(watch.stalls(3_001)).as("told once").isFalse();
    assertThat(watch.isServing()).isFalse();
    assertThat(watch.settled(false, 9_000)).isTrue();
    assertThat(watch.stalls(10_900)).isFalse();
    assertThat(watch.stalls(11_000)).as("the rest has not come back").isTrue();
  }

  @Test
  void anIdleMemberIsNotTakenForCutOff() {
    watch.proposed(0);
    watch.settled(true, 10);
    assertThat(watch.stalls(1_000_000)).isFalse();
  }

  @Test
  void whatWaitsIsSentAgainEveryNowAndThen() {
    assertThat(watch.wantsRepeat(1_000)).isFalse();
    watch.proposed(1_000);
    assertThat(watch.wantsRepeat(1_099)).isFalse();
    assertThat(watch.wantsRepeat(1_100)).isTrue();
    assertThat(watch.wantsRepeat(1_101)).isFalse();
    watch.settled(false, 1_150);
    assertThat(watch.wantsRepeat(1_200)).as("there is progress").isFalse();
    assertThat(watch.wantsRepeat(1_250)).isTrue();
  }
}
