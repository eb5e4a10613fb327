package io.mgtm.group.member;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is seen of two clocks between one look and the next. */
class SuspensionWatchTest {
  private long wallMs = 1_700_000_000_000L;
  private long monotonicMs = 5;

  @ParameterizedTest
  @CsvSource({
    "a quiet turn,                     10,       10, false",
    "a pause that both clocks show,    60000, 60000, false",
    "suspended for a minute,           60003,     3, true",
    "suspended for less than matters,  752,       3, false",
    "the wall clock set ahead,         3600010,  10, true",
    "the wall clock set back,         -3599990,  10, false",
    "a leap second smeared over a day, 10,       10, false"
  })
  void aClockThatStoodStillIsSeen(String what, long wall, long monotonic, boolean seen) {
    SuspensionWatch watch = new SuspensionWatch(750, () -> wallMs, () -> monotonicMs);
    assertThat(watch.isSeen()).isFalse();
    wallMs += wall;
    monotonicMs += monotonic;
    assertThat(watch.isSeen()).as(what).isEqualTo(seen);
    wallMs += 10;
    monotonicMs += 10;
    assertThat(watch.isSeen()).as("once").isFalse();
  }
}
