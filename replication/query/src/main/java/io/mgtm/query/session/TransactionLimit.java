package io.mgtm.query.session;

import java.util.ArrayDeque;

/**
 * How many transactions that may write run at the leader at once. One that waits there for a
 * processor or a disk holds its locks meanwhile, so that many at once do less than few. The others
 * wait outside, without locks, and come in the order in which they asked. Any thread.
 */
public final class TransactionLimit {
  private final int max;
  private final ArrayDeque<Turn> waiting = new ArrayDeque<>();
  private int taken;

  /**
   * @param max 0 for no bound
   */
  public TransactionLimit(int max) {
    this.max = max;
  }

  boolean isBounded() {
    return max > 0;
  }

  /** Whether it may run now; else its {@link Turn#comes} is called, unless it withdraws. */
  synchronized boolean take(Turn turn) {
    if (taken < max) {
      taken++;
      return true;
    }
    waiting.add(turn);
    return false;
  }

  /** It does not wait any more; what it was given meanwhile it gives back when that comes. */
  synchronized void withdraw(Turn turn) {
    waiting.remove(turn);
  }

  /** The next may run. */
  void giveBack() {
    Turn next;
    synchronized (this) {
      next = waiting.poll();
      if (next == null) {
        taken--;
      }
    }
    if (next != null) {
      next.comes();
    }
  }

  /** How many wait. */
  synchronized int waiting() {
    return waiting.size();
  }
}
