package io.mgtm.common;

import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Lets what strangers can provoke be said some times a minute only, so that nobody fills a disk
 * with log lines. Any thread.
 */
public final class Rarely {
  static final int LINES_MAX = 20;
  private static final long PERIOD_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final int linesMax;
  private final LongSupplier nanos;
  private long begunNanos;
  private int lines;
  private long passedOver;

  /** At most 20 times a minute. */
  public Rarely() {
    this(LINES_MAX, System::nanoTime);
  }

  Rarely(LongSupplier nanos) {
    this(LINES_MAX, nanos);
  }

  private Rarely(int linesMax, LongSupplier nanos) {
    this.linesMax = linesMax;
    this.nanos = nanos;
  }

  /** For what comes again and again by itself. */
  public static Rarely onceAMinute() {
    return new Rarely(1, System::nanoTime);
  }

  /**
   * Says something unless enough was said in this minute.
   *
   * @param line given what to add: how often nothing was said since the last time, or empty
   */
  public void run(Consumer<String> line) {
    String more;
    synchronized (this) {
      long now = nanos.getAsLong();
      if (lines == 0 || now - begunNanos >= PERIOD_NANOS) {
        begunNanos = now;
        lines = 0;
      }
      if (lines == linesMax) {
        passedOver++;
        return;
      }
      lines++;
      more = passedOver == 0 ? "" : " (and " + passedOver + " more such before)";
      passedOver = 0;
    }
    line.accept(more);
  }
}
