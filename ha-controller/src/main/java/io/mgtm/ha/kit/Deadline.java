package io.mgtm.ha.kit;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** Until when a call of a kit may take, and where its programs are noted. Any thread. */
final class Deadline {
  private static final long POLL_MS = 20;
  private final long endNanos;
  private final Path notes;

  /** A condition that may have to run a program. */
  interface Condition {
    boolean holds() throws KitException, InterruptedException;
  }

  private Deadline(long ms, Path notes) {
    this.endNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ms);
    this.notes = notes;
  }

  /** Of no call: programs are noted nowhere. */
  static Deadline in(long ms) {
    return new Deadline(ms, null);
  }

  static Deadline of(KitContext context) {
    return new Deadline(context.deadlineMs(), context.runtime());
  }

  /** The folder where programs are noted while they run, or null. */
  Path notes() {
    return notes;
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
    return new Deadline((long) (leftMs() * share), notes);
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
