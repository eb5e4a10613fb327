package io.mgtm.group.net;

import java.util.function.IntUnaryOperator;

/**
 * When a connection that has ended, or could not be made, is made again: at once the first time, so
 * that nothing that was only interrupted waits; then after pauses that grow to a second. It begins
 * anew after a connection that lived as long as that. What only says who it is and closes has not.
 * One thread; times are those of one clock, in ms.
 */
final class Backoff {
  private static final int FIRST_PAUSE_MS = 10;
  static final int PAUSE_MS_MAX = 1_000;
  static final int LIVED_MS = 1_000;

  private final IntUnaryOperator random;
  private int pauseMs;
  private boolean usable;
  private long usableSinceMs;

  /**
   * Of a connection that is made for the first time.
   *
   * @param random a number below its argument, so that not all come back at once
   */
  Backoff(IntUnaryOperator random) {
    this.random = random;
  }

  /** The connection can be used from now on. */
  void usable(long nowMs) {
    usable = true;
    usableSinceMs = nowMs;
  }

  /** The connection has ended, or could not be made: how long to wait before the next is made. */
  int ended(long nowMs) {
    if (usable && nowMs - usableSinceMs >= LIVED_MS) {
      pauseMs = 0;
    }
    usable = false;
    int least = pauseMs / 2;
    int pause = pauseMs == 0 ? 0 : least + random.applyAsInt(pauseMs - least);
    pauseMs = Math.min(PAUSE_MS_MAX, Math.max(FIRST_PAUSE_MS, 2 * pauseMs));
    return pause;
  }
}
