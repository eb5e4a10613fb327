package io.mgtm.ha.core;

/**
 * What is to happen and when: at one moment in the order in which it was asked for. A slot for each
 * millisecond, since a queue that sorts costs more than most of what happens.
 */
final class SimAgenda {
  /** Nothing is asked for further ahead. */
  private static final int AHEAD_MS = 1 << 15;

  private static final class Entry {
    final Runnable action;
    Entry next;

    Entry(Runnable action) {
      this.action = action;
    }
  }

  /** The last entry of each millisecond, whose next is the first; null where there is none. */
  private final Entry[] slots = new Entry[AHEAD_MS];

  /** The moment up to which all has been taken. */
  private long now;

  void add(long at, Runnable action) {
    if (at < now || at - now >= AHEAD_MS) {
      throw new IllegalArgumentException("at " + at + ", and it is " + now);
    }
    int slot = slot(at);
    Entry entry = new Entry(action);
    Entry last = slots[slot];
    entry.next = last == null ? entry : last.next;
    if (last != null) {
      last.next = entry;
    }
    slots[slot] = entry;
  }

  /** Takes what comes first at a moment, before which nothing is left; null when that is all. */
  Runnable take(long at) {
    now = at;
    Entry last = slots[slot(at)];
    if (last == null) {
      return null;
    }
    Entry first = last.next;
    if (first == last) {
      slots[slot(at)] = null;
    } else {
      last.next = first.next;
    }
    return first.action;
  }

  private static int slot(long at) {
    return (int) at & (AHEAD_MS - 1);
  }
}
