package io.mgtm.group.core;

import java.util.ArrayList;
import java.util.List;

/**
 * The memberships that a log holds, so that one can be taken back when its entry is cut. The newest
 * counts, committed or not.
 */
public final class MembershipHistory {
  private record At(long index, Membership membership) {}

  private final List<At> changes = new ArrayList<>();

  /** A history that begins with the membership as of an index, 0 for a first one. */
  public MembershipHistory(long index, Membership membership) {
    reset(index, membership);
  }

  /** Forgets everything and starts over, at a checkpoint. */
  public void reset(long index, Membership membership) {
    changes.clear();
    changes.add(new At(index, membership));
  }

  /** Notes that an entry that carries a membership was appended; unchanged ones are not kept. */
  public void appended(long index, Membership membership) {
    if (!membership.equals(latest())) {
      changes.add(new At(index, membership));
    }
  }

  /** Notes that the log was cut. */
  public void truncated(long fromIndex) {
    while (changes.size() > 1 && latestIndex() >= fromIndex) {
      changes.remove(changes.size() - 1);
    }
  }

  /** Notes that nobody will ask for a membership before an index again. */
  public void compacted(long index) {
    while (changes.size() > 1 && changes.get(1).index() <= index) {
      changes.remove(0);
    }
  }

  public Membership latest() {
    return changes.get(changes.size() - 1).membership();
  }

  public long latestIndex() {
    return changes.get(changes.size() - 1).index();
  }

  /** The membership as of an index that is not before the first one known. */
  public Membership at(long index) {
    Membership found = changes.get(0).membership();
    for (At change : changes) {
      if (change.index() <= index) {
        found = change.membership();
      }
    }
    return found;
  }
}
