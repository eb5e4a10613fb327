package io.mgtm.query.fleet;

import java.util.BitSet;

/** Numbers that sessions have to themselves: each is a row of every position table. Any thread. */
public final class Slots {
  /** Sessions that are about to end hold theirs while others begin. */
  private static final int SPARE = 100;

  private final BitSet taken = new BitSet();
  private final int count;

  /** One for each client that there may be, and some to spare. */
  public Slots(int connectionsMax) {
    count = connectionsMax + SPARE;
  }

  /** How many there are, from 0 on. */
  int count() {
    return count;
  }

  /** One that is free, or null. */
  public synchronized Slot take() {
    int number = taken.nextClearBit(0);
    if (number >= count) {
      return null;
    }
    taken.set(number);
    return new Slot(number);
  }

  /** Nothing is under way for it any more. */
  synchronized void release(int number) {
    taken.clear(number);
  }

  /** One that a session has. Belongs to it. */
  public final class Slot {
    private final int number;
    private boolean given;

    Slot(int number) {
      this.number = number;
    }

    /** Of its row. */
    public int number() {
      return number;
    }

    /** What becomes of its last commit is found out by another, who releases the number. */
    public void keep() {
      given = true;
    }

    /** A second call does nothing. */
    public void sessionEnded() {
      if (!given) {
        given = true;
        release(number);
      }
    }
  }
}
