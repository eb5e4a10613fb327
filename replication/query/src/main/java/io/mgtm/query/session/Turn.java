package io.mgtm.query.session;

import io.netty.channel.EventLoop;
import java.util.concurrent.TimeUnit;

/**
 * A session's turn to run a transaction. It ends with the transaction, or after {@value #MOST_MS}
 * ms: who waits for a lock or for its client, or has much to do, goes on without, and holds up
 * nobody for longer. Belongs to the session; {@link #comes} may be called by any thread.
 */
final class Turn {
  static final int MOST_MS = 200;

  private final TransactionLimit limit;
  private final EventLoop loop;

  /** What is done when it comes; null where it is not waited for. */
  private Runnable then;

  private boolean held;
  private long sinceNanos;

  /** Whether it will be looked at; once for many turns. */
  private boolean watched;

  Turn(TransactionLimit limit, EventLoop loop) {
    this.limit = limit;
    this.loop = loop;
  }

  /** Whether one must be had before a transaction begins. */
  boolean isNeeded() {
    return limit.isBounded() && !held;
  }

  /**
   * Whether a transaction may begin now.
   *
   * @param later called when it may, where it may not now
   */
  boolean take(Runnable later) {
    if (!isNeeded()) {
      return true;
    }
    if (limit.take(this)) {
      begin();
      return true;
    }
    then = later;
    return false;
  }

  /** It has come. */
  void comes() {
    loop.execute(
        () -> {
          Runnable waited = then;
          then = null;
          if (waited == null) {
            limit.giveBack();
          } else {
            begin();
            waited.run();
          }
        });
  }

  private void begin() {
    held = true;
    sinceNanos = loop.ticker().nanoTime();
    if (!watched) {
      watch(TimeUnit.MILLISECONDS.toNanos(MOST_MS));
    }
  }

  private void watch(long nanos) {
    watched = true;
    loop.schedule(this::look, nanos, TimeUnit.NANOSECONDS);
  }

  private void look() {
    watched = false;
    long left = TimeUnit.MILLISECONDS.toNanos(MOST_MS) - (loop.ticker().nanoTime() - sinceNanos);
    if (held && left > 0) {
      watch(left);
    } else if (held) {
      giveBack();
    }
  }

  boolean isWaiting() {
    return then != null;
  }

  /** It is over, or not waited for any more. */
  void end() {
    if (then != null) {
      then = null;
      limit.withdraw(this);
    } else if (held) {
      giveBack();
    }
  }

  private void giveBack() {
    held = false;
    limit.giveBack();
  }
}
