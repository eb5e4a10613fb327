package io.mgtm.gtm.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.SelectStrategy;
import org.junit.jupiter.api.Test;

class SpinThenWaitTest {
  private static final long SPIN_NANOS = 1_000;

  private long nowNanos;
  private long stepNanos = 100;
  private int looks;
  private int eventAtLook = Integer.MAX_VALUE;

  private final SpinThenWait strategy =
      new SpinThenWait(
          SPIN_NANOS,
          () -> {
            nowNanos += stepNanos;
            return nowNanos;
          });

  private int selectNow() {
    looks++;
    return looks >= eventAtLook ? 1 : 0;
  }

  private int next(boolean hasTasks) throws Exception {
    looks = 0;
    return strategy.calculateStrategy(this::selectNow, hasTasks);
  }

  @Test
  void anEventThatComesSoonIsFoundWithoutSleep() throws Exception {
    eventAtLook = 5;
    assertThat(next(false)).isEqualTo(1);
    assertThat(looks).isEqualTo(5);
  }

  @Test
  void withTasksItLooksOnceAndGoesOn() throws Exception {
    assertThat(next(true)).isZero();
    assertThat(looks).isEqualTo(1);
  }

  @Test
  void aLookEndsAfterItsTime() throws Exception {
    assertThat(next(false)).isEqualTo(SelectStrategy.SELECT);
    assertThat(looks).isEqualTo(10);
  }

  @Test
  void afterLooksInVainItSleepsAtOnceForAWhile() throws Exception {
    for (int i = 0; i < 8; i++) {
      next(false);
      assertThat(looks).isEqualTo(10);
    }
    for (int i = 0; i < 256; i++) {
      assertThat(next(false)).isEqualTo(SelectStrategy.SELECT);
      assertThat(looks).isZero();
    }
    next(false);
    assertThat(looks).isEqualTo(10);
  }

  @Test
  void aFindForgivesWhatWasInVain() throws Exception {
    for (int round = 0; round < 20; round++) {
      eventAtLook = Integer.MAX_VALUE;
      for (int i = 0; i < 7; i++) {
        next(false);
      }
      eventAtLook = 1;
      assertThat(next(false)).isEqualTo(1);
    }
  }

  @Test
  void aLookThatWasInterruptedIsTheLastForAWhile() throws Exception {
    stepNanos = 10 * SPIN_NANOS;
    next(false);
    assertThat(looks).isEqualTo(1);
    next(false);
    assertThat(looks).isZero();
  }
}
