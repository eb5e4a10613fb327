package io.mgtm.gtm.gateway;

import org.agrona.collections.IntArrayList;

/** The numbers of a session's backends, 0 to 32,767; each belongs to one connection at a time. */
final class BackendNumbers {
  static final short NONE = -1;

  private final IntArrayList free = new IntArrayList();
  private int next;

  /** A number that nobody has, or {@link #NONE}. */
  short take() {
    if (!free.isEmpty()) {
      return (short) free.popInt();
    }
    return next <= Short.MAX_VALUE ? (short) next++ : NONE;
  }

  /** Gives a number back, once the GTM knows that its backend has gone. */
  void giveBack(short number) {
    free.pushInt(number);
  }
}
