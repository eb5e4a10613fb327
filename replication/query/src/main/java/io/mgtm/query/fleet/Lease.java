package io.mgtm.query.fleet;

import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Until when no other replicator can have put a server out: half a second after a majority was
 * asked that has confirmed since that this one leads. Another that leads later puts none out before
 * twice that has passed since it was elected. {@link #holds} and {@link #formerEnds} may be asked
 * by any thread; the rest belongs to the owner of the log.
 */
class Lease {
  /** For who is alone. */
  static final Lease NONE =
      new Lease() {
        @Override
        boolean holds() {
          return true;
        }

        @Override
        CompletableFuture<Void> formerEnds() {
          return CompletableFuture.completedFuture(null);
        }
      };

  private static final int ASKED_MAX = 1_000;
  private static final long MS = 500;
  private static final long NANOS = TimeUnit.MILLISECONDS.toNanos(MS);

  /** A machine that is suspended may stop one of both clocks. */
  private record Asked(long readIndex, long nanos, long wallMs) {
    static Asked now(long readIndex) {
      return new Asked(readIndex, System.nanoTime(), System.currentTimeMillis());
    }

    boolean isLately() {
      return System.nanoTime() - nanos < NANOS && System.currentTimeMillis() - wallMs < MS;
    }
  }

  private final ArrayDeque<Asked> asked = new ArrayDeque<>();
  private final long begunNanos = System.nanoTime();
  private volatile Asked confirmed;

  /** Whether a read may begin. */
  boolean holds() {
    Asked last = confirmed;
    return last != null && last.isLately();
  }

  /** The group is asked now; it answers by a read index. */
  void asked(long readIndex) {
    if (asked.size() < ASKED_MAX) {
      asked.add(Asked.now(readIndex));
    }
  }

  /** A majority has answered what was asked with read indexes up to this one. */
  void confirmed(long readIndex) {
    while (!asked.isEmpty() && asked.peek().readIndex <= readIndex) {
      confirmed = asked.remove();
    }
  }

  /** Completes when no other replicator, which led before, reads any more. Any thread. */
  CompletableFuture<Void> formerEnds() {
    long waitNanos = begunNanos + 2 * NANOS - System.nanoTime();
    return waitNanos <= 0
        ? CompletableFuture.completedFuture(null)
        : CompletableFuture.runAsync(
            () -> {}, CompletableFuture.delayedExecutor(waitNanos, TimeUnit.NANOSECONDS));
  }
}
