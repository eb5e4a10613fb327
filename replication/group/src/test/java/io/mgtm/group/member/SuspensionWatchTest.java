package io.mgtm.group.member;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is seen of two clocks between one look and the next. */
class SuspensionWatchTest {
  private static final long DAY_MS = 86_400_000;

  private long wallMs = 1_700_000_000_000L;
  private long monotonicMs;

  @ParameterizedTest
  @CsvSource({
    "a quiet turn,                     10,       10, false",
    "a pause that both clocks show,    60000, 60000, false",
    "suspended for a minute,           60003,     3, true",
    "suspended for less than matters,  752,       3, false",
    "the wall clock set ahead,         3600010,  10, true",
    "the wall clock set back,         -3599990,  10, false"
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

  /** The wall clock runs faster or slower by a 86,400th, however seldom anybody looks. */
  @ParameterizedTest
  @CsvSource({"10, 1", "10, -1", "10000000, 1", "10000000, -1"})
  void leapSecondThatIsSmearedOverADayIsNoSuspension(long everyMs, int seconds) {
    SuspensionWatch watch = new SuspensionWatch(750, () -> wallMs, () -> monotonicMs);
    long wallAtFirst = wallMs;
    for (long passedMs = 0; passedMs <= DAY_MS; passedMs += everyMs) {
      monotonicMs = passedMs;
      wallMs = wallAtFirst + passedMs + seconds * passedMs * 1_000 / DAY_MS;
      if (watch.isSeen()) {
        throw new AssertionError("after %d ms".formatted(passedMs)); // of eight million looks
      }
    }
  }
}
