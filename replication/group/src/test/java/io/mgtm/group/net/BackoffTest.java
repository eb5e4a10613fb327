package io.mgtm.group.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Time is a number here. */
class BackoffTest {
  private static final int MINUTE_MS = 60_000;

  private final Backoff shortest = new Backoff(bound -> 0);
  private final Backoff longest = new Backoff(bound -> bound - 1);
  private long nowMs = 1_000_000;

  @Test
  void whoSaysHelloAndClosesIsCalledEverMoreRarely() {
    int calls = 0;
    for (long end = nowMs + MINUTE_MS; nowMs < end; calls++) {
      shortest.usable(nowMs);
      nowMs += shortest.ended(nowMs);
    }
    assertThat(calls).isLessThan(2 * MINUTE_MS / Backoff.PAUSE_MS_MAX + 10);
  }

  @Test
  void connectionThatLivedIsMadeAgainAtOnce() {
    IntStream.range(0, 20).forEach(i -> longest.ended(nowMs));
    longest.usable(nowMs);
    assertThat(longest.ended(nowMs + Backoff.LIVED_MS)).isZero();
    longest.usable(nowMs);
    assertThat(longest.ended(nowMs + Backoff.LIVED_MS - 1)).as("one that did not").isPositive();
  }

  /** As that of a process that dies: the refusal which follows says so for certain. */
  @Test
  void firstPauseIsNoneAndNoneIsAboveASecond() {
    assertThat(longest.ended(nowMs)).isZero();
    int[] pauses = IntStream.range(0, 20).map(i -> longest.ended(nowMs)).toArray();
    assertThat(pauses[0]).isLessThanOrEqualTo(10);
    assertThat(pauses).isSorted();
    assertThat(pauses[19]).isLessThanOrEqualTo(Backoff.PAUSE_MS_MAX);
  }

  /** The time of a connection before does not count for the next. */
  @Test
  void whatCouldNotBeMadeHasNotLived() {
    longest.usable(nowMs);
    longest.ended(nowMs);
    nowMs += MINUTE_MS;
    assertThat(longest.ended(nowMs)).isPositive();
  }
}
