package io.mgtm.block.resync;

/**
 * How far a resync or verify is, how fast, and how long it may take. Time is given. Not
 * thread-safe.
 */
public final class Progress {
  private static final long WINDOW_MS = 1000;

  private final long startedMs;
  private final long totalBytes;
  private long doneBytes;
  private long windowStartMs;
  private long windowBytes;
  private double bytesPerSecond;

  /** Begins at {@code nowMs} with {@code totalBytes} to do. */
  public Progress(long totalBytes, long nowMs) {
    this.totalBytes = totalBytes;
    this.startedMs = nowMs;
    this.windowStartMs = nowMs;
  }

  /** {@code bytes} more are done. */
  public void advance(long bytes, long nowMs) {
    doneBytes += bytes;
    windowBytes += bytes;
    long elapsedMs = nowMs - windowStartMs;
    if (elapsedMs >= WINDOW_MS) {
      double current = windowBytes * 1000.0 / elapsedMs;
      bytesPerSecond = bytesPerSecond == 0 ? current : 0.6 * bytesPerSecond + 0.4 * current;
      windowStartMs = nowMs;
      windowBytes = 0;
    }
  }

  /** Bytes to do in all. */
  public long totalBytes() {
    return totalBytes;
  }

  /** Bytes done, sent or found equal. */
  public long doneBytes() {
    return doneBytes;
  }

  /** The smoothed rate; in the first second the rate so far. */
  public double bytesPerSecond(long nowMs) {
    if (bytesPerSecond > 0) {
      return bytesPerSecond;
    }
    return doneBytes * 1000.0 / Math.max(1, nowMs - startedMs);
  }

  /** Remaining time in milliseconds, or -1 when it cannot be told yet. */
  public long remainingMs(long nowMs) {
    double rate = bytesPerSecond(nowMs);
    return rate < 1 ? -1 : (long) (Math.max(0, totalBytes - doneBytes) * 1000.0 / rate);
  }
}
