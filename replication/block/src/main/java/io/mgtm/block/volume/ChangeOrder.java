package io.mgtm.block.volume;

/** The changes and reads under way, in the order of their arrival, linked through themselves. */
final class ChangeOrder {
  private Change first;
  private Change last;

  /** The one that came first; {@link Change#next} leads on. */
  Change first() {
    return first;
  }

  void append(Change change) {
    change.previous = last;
    change.next = null;
    if (last == null) {
      first = change;
    } else {
      last.next = change;
    }
    last = change;
  }

  void remove(Change change) {
    if (change.previous == null) {
      first = change.next;
    } else {
      change.previous.next = change.next;
    }
    if (change.next == null) {
      last = change.previous;
    } else {
      change.next.previous = change.previous;
    }
    change.previous = null;
    change.next = null;
  }

  /** Whether an earlier one overlaps {@code change}, and one of the two changes bytes. */
  boolean isBehindAnother(Change change) {
    for (Change earlier = first; earlier != change; earlier = earlier.next) {
      if (change.overlaps(earlier) && (change.changesBytes() || earlier.changesBytes())) {
        return true;
      }
    }
    return false;
  }
}
