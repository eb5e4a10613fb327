package io.mgtm.gtm.gateway;

import java.util.random.RandomGenerator;

/** How long to wait before the next try: twice as long each time, and a random part of it. */
final class Backoff {
  static final int FIRST_MS = 20;
  static final int LAST_MS = 1_000;

  private final RandomGenerator random;
  private int failures;

  Backoff(RandomGenerator random) {
    this.random = random;
  }

  /** It worked: the next failure is the first. */
  void reset() {
    failures = 0;
  }

  /** Whether the next failure is the first. */
  boolean isReset() {
    return failures == 0;
  }

  /** It failed: how many ms to wait, from half of the step to the whole. */
  int nextMs() {
    int step = (int) Math.min(LAST_MS, (long) FIRST_MS << Math.min(failures, 16));
    failures++;
    return step / 2 + random.nextInt(step / 2 + 1);
  }
}
