package io.mgtm.block.resync;

/**
 * A token bucket between a minimum and a maximum rate: where the resync would hold up clients that
 * are busy it goes on at the minimum, else it takes up to the maximum. Time is given, never taken.
 * Not thread-safe.
 */
public final class RateLimiter {
  /** No maximum. */
  public static final long UNLIMITED = Long.MAX_VALUE;

  /** The bucket holds at most this much time's worth, so that a pause gives no flood. */
  private static final long BURST_MS = 100;

  private final long minBytesPerSecond;
  private final long maxBytesPerSecond;
  private double tokens;
  private long lastMs;
  private long busyUntilMs = Long.MIN_VALUE;

  /** Rates in bytes a second, {@code 0 < min <= max}. */
  public RateLimiter(long minBytesPerSecond, long maxBytesPerSecond) {
    if (minBytesPerSecond <= 0 || maxBytesPerSecond < minBytesPerSecond) {
      throw new IllegalArgumentException(
          "resync rates need 0 < minimum <= maximum, not "
              + minBytesPerSecond
              + " and "
              + maxBytesPerSecond);
    }
    this.minBytesPerSecond = minBytesPerSecond;
    this.maxBytesPerSecond = maxBytesPerSecond;
  }

  /** Notes that clients wrote at {@code nowMs}; the resync yields to them for a moment. */
  public void clientsBusy(long nowMs) {
    busyUntilMs = nowMs + BURST_MS;
  }

  /**
   * Whether {@code bytes} may be sent at {@code nowMs}; if so they are taken. A piece larger than
   * the bucket goes when it is full.
   *
   * @param inTheWay whether they would hold up what clients wait for
   */
  public boolean tryTake(long bytes, boolean inTheWay, long nowMs) {
    long rate = inTheWay && nowMs < busyUntilMs ? minBytesPerSecond : maxBytesPerSecond;
    if (rate == UNLIMITED) {
      lastMs = nowMs;
      return true;
    }
    double full = Math.max(1, rate * (double) BURST_MS / 1000);
    tokens = Math.min(full, tokens + rate * (double) Math.max(0, nowMs - lastMs) / 1000);
    lastMs = nowMs;
    if (tokens < Math.min((double) bytes, full)) {
      return false;
    }
    tokens -= bytes;
    return true;
  }
}
