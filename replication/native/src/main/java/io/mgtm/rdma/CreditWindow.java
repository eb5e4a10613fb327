package io.mgtm.rdma;

/**
 * Flow control by credits, without I/O: a message goes out only when the peer surely has a receive
 * posted for it. Not thread safe.
 *
 * <p>Both sides post the same number of receives, the window, and begin with a credit for each. A
 * message costs one. When a receive is posted anew its credit is owed to the peer, and is given
 * back with the next message, or, when half of the window is owed, by a message of its own.
 *
 * <p>The last credit is kept for such a return. So two sides that have sent all they may can still
 * give each other credits, and never wait for one another for ever. A return uses a receive up too;
 * as half a window is at least two, returns do not answer each other without end.
 *
 * <p>Invariant, for each direction: credits of the sender + messages on their way + receives that
 * hold a message + credits owed or on their way back = window.
 */
class CreditWindow {

  /** The smallest window that can work. */
  static final int WINDOW_MIN = 4;

  private final int window;
  private int credits;
  private int owed;

  CreditWindow(int window) {
    if (window < WINDOW_MIN) {
      throw new IllegalArgumentException(
          "a window has at least " + WINDOW_MIN + " credits, not " + window);
    }
    this.window = window;
    credits = window;
  }

  /** How many messages may go out now. */
  int available() {
    return Math.max(0, credits - reserved());
  }

  /** How many credits are kept for returns. */
  int reserved() {
    return 1;
  }

  /** How many credits the peer is owed. */
  int owed() {
    return owed;
  }

  /**
   * A message goes out.
   *
   * @return the credits that it gives back to the peer
   * @throws IllegalStateException when none may
   */
  int takeForMessage() {
    if (available() == 0) {
      throw new IllegalStateException("no credit is left for a message");
    }
    return take();
  }

  /** Whether credits should be given back by a message of their own. */
  boolean shouldReturn() {
    return owed >= window / 2 && credits > 0;
  }

  /**
   * A message that only gives credits back goes out.
   *
   * @return the credits
   * @throws IllegalStateException when it may not
   */
  int takeForReturn() {
    if (!shouldReturn()) {
      throw new IllegalStateException("no credits are to be returned now");
    }
    return take();
  }

  private int take() {
    credits--;
    int returned = owed;
    owed = 0;
    return returned;
  }

  /**
   * A message came in that gave credits back.
   *
   * @throws IllegalArgumentException when the peer gives what it cannot have
   */
  void returned(int count) {
    if (count < 0 || credits + count > window) {
      throw new IllegalArgumentException(
          "the peer returns " + count + " credits to " + credits + " of " + window);
    }
    credits += count;
  }

  /**
   * A receive that had been used is posted anew.
   *
   * @throws IllegalStateException when more are posted than were used
   */
  void reposted() {
    if (owed == window) {
      throw new IllegalStateException("all " + window + " receives are posted already");
    }
    owed++;
  }
}
