package io.mgtm.bench.load;

import java.util.concurrent.TimeUnit;

/**
 * When a run warms up, counts, and is over; by System.nanoTime. Time runs once every connection has
 * been accepted; when that does not come about in time, the run is over. Any thread.
 */
final class RunClock {
  private final long warmupNanos;
  private final long durationNanos;
  private final long startBy;
  private int toAccept;
  private volatile boolean started;
  private volatile boolean stopped;
  private volatile long countFrom;
  private volatile long end;

  RunClock(LoadSettings settings) {
    warmupNanos = TimeUnit.MILLISECONDS.toNanos(settings.warmupMs());
    durationNanos = TimeUnit.MILLISECONDS.toNanos(settings.durationMs());
    startBy = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(settings.requestTimeoutMs());
    toAccept = settings.connections();
  }

  /** A connection has been accepted for the first time. */
  synchronized void accepted() {
    toAccept--;
    if (toAccept == 0) {
      countFrom = System.nanoTime() + warmupNanos;
      end = countFrom + durationNanos;
      started = true;
    }
  }

  boolean counts(long now) {
    return started && now - countFrom >= 0 && now - end < 0;
  }

  boolean over(long now) {
    return stopped || now - (started ? end : startBy) >= 0;
  }

  /** Ends the run now, if it has not ended. */
  synchronized void stop() {
    long now = System.nanoTime();
    if (started && now - end < 0) {
      end = now;
    }
    stopped = true;
  }

  /** The time that was counted. */
  double seconds() {
    return started ? Math.max(0, end - countFrom) / 1e9 : 0;
  }
}
