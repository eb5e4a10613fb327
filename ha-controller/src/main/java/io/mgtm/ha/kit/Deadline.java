package io.mgtm.ha.kit;

import java.util.concurrent.TimeUnit;

/** Until when a call of a kit may take. Any thread. */
final class Deadline {
  private static final long POLL_MS = 20;
  private final long endNanos;

  /** A condition that may have to run a program. */
  interface Condition {
    boolean holds() throws KitException, InterruptedException;
  }

  private Deadline(long endNanos) {
    this.endNanos = endNanos;
  }

  static Deadline in(long ms) {
    return new Deadline(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ms));
  }

  static Deadline of(KitContext context) {
    return in(context.deadlineMs());
  }

  /** What is left, 0 when it has passed. */
  long leftMs() {
    return Math.max(0, TimeUnit.NANOSECONDS.toMillis(endNanos - System.nanoTime()));
  }

  boolean passed() {
    return endNanos - System.nanoTime() <= 0;
  }

  /** A part of what is left. */
  Deadline part(double share) {
    return in((long) (leftMs() * share));
  }

  /** Asks until it holds; whether it did before the deadline. */
  boolean await(Condition condition) throws KitException, InterruptedException {
    while (!condition.holds()) {
      if (passed()) {
        return false;
      }
      Thread.sleep(Math.min(POLL_MS, leftMs() + 1));
    }
    return true;
  }
}
