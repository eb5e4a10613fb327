package io.mgtm.block.wire;

import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Lines of a log that anybody can cause who reaches a port: some a minute, and of the others how
 * many they were. Else a stranger who connects again and again fills the disk.
 */
public final class StrangersLog {
  static final int LINES_MAX = 20;
  private static final long PERIOD_NS = TimeUnit.MINUTES.toNanos(1);

  private final LongSupplier clockNs;
  private long begunNs;
  private int lines;
  private long leftOut;

  /** A log of its own count. */
  public StrangersLog() {
    this(System::nanoTime);
  }

  StrangersLog(LongSupplier clockNs) {
    this.clockNs = clockNs;
    begunNs = clockNs.getAsLong();
  }

  /** Writes {@code line} to {@code log}, unless there were too many. */
  public synchronized void line(Consumer<String> log, String line) {
    long now = clockNs.getAsLong();
    if (now - begunNs >= PERIOD_NS) {
      if (leftOut > 0) {
        log.accept(leftOut + " more lines like the last ones were left out");
      }
      begunNs = now;
      lines = 0;
      leftOut = 0;
    }
    if (lines < LINES_MAX) {
      lines++;
      log.accept(line);
    } else {
      leftOut++;
    }
  }
}
