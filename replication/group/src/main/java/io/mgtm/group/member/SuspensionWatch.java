package io.mgtm.group.member;

import java.util.function.LongSupplier;

/**
 * Sees that the machine was suspended: the clock that only goes on stood still with it, and the
 * wall clock has run ahead. That looks the same when the wall clock is set; whoever asks must do
 * nothing that is wrong then. A machine whose wall clock stood still too is not noticed. Owner
 * thread.
 */
final class SuspensionWatch {
  private final long boundMs;
  private final LongSupplier wallMs;
  private final LongSupplier monotonicMs;

  /** By how much the wall clock was ahead at the last look. */
  private long aheadMs;

  /**
   * A watch.
   *
   * @param boundMs shorter suspensions do not matter
   * @param monotonicMs the clock that only goes on
   */
  SuspensionWatch(long boundMs, LongSupplier wallMs, LongSupplier monotonicMs) {
    this.boundMs = boundMs;
    this.wallMs = wallMs;
    this.monotonicMs = monotonicMs;
    aheadMs = wallMs.getAsLong() - monotonicMs.getAsLong();
  }

  /**
   * The time.
   *
   * @param suspended run before when the wall clock has run ahead since the last call
   */
  long nowMs(Runnable suspended) {
    if (isSeen()) {
      suspended.run();
    }
    return monotonicMs.getAsLong();
  }

  /** Whether the wall clock has run ahead since the last call. */
  boolean isSeen() {
    long before = aheadMs;
    aheadMs = wallMs.getAsLong() - monotonicMs.getAsLong();
    return aheadMs - before >= boundMs;
  }
}
