package io.mgtm.group.net;

import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Lets what strangers can provoke be said now and then only, so that nobody fills a disk with log
 * lines. Any thread.
 */
public final class Rarely {
  private static final long EVERY_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final LongSupplier nanos;
  private boolean said;
  private long saidNanos;
  private long passedOver;

  /** At most once in 5 s. */
  public Rarely() {
    this(System::nanoTime);
  }

  Rarely(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /**
   * Says something unless something was said just before.
   *
   * @param line given what to add: how often nothing was said since the last time, or empty
   */
  public void run(Consumer<String> line) {
    String more;
    synchronized (this) {
      long now = nanos.getAsLong();
      if (said && now - saidNanos < EVERY_NANOS) {
        passedOver++;
        return;
      }
      said = true;
      saidNanos = now;
      more = passedOver == 0 ? "" : " (and " + passedOver + " more such before)";
      passedOver = 0;
    }
    line.accept(more);
  }
}
