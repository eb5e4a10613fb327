package io.mgtm.group.storage;

import io.mgtm.group.Durability;
import java.util.Arrays;

/**
 * Decides which entries' replies may leave, as far as this member's disk is concerned. Pure; owner
 * thread.
 *
 * <p>A gate stands before an entry and opens when an index is on disk: before a {@code REQUIRED}
 * entry for its own index, before an {@code AHEAD} entry for the index of the {@code AHEAD} entry
 * before it. Everything before the first closed gate is covered.
 */
public final class DurabilityGate {
  /** Beyond this many closed gates the last one takes the newer ones in: later, never sooner. */
  private static final int GATES_MAX = 1 << 16;

  /** Rings of equal, power-of-two size: the entry a gate stands before, and what opens it. */
  private long[] before = new long[64];

  private long[] opensAt = new long[64];
  private int first;
  private int count;

  private long lastIndex;
  private long durableIndex;
  private long lastAhead;

  /**
   * @param durableIndex the last index of the log, all of which is on disk
   */
  public DurabilityGate(long durableIndex) {
    this.lastIndex = durableIndex;
    this.durableIndex = durableIndex;
  }

  /** Notes that an entry was appended. */
  public void appended(long index, Durability durability) {
    if (index != lastIndex + 1) {
      throw new IllegalStateException("index %d follows %d".formatted(index, lastIndex));
    }
    lastIndex = index;
    switch (durability) {
      case BUFFERED -> {}
      case REQUIRED -> add(index, index);
      case AHEAD -> {
        if (lastAhead > durableIndex) {
          add(index, lastAhead);
        }
        lastAhead = index;
      }
    }
  }

  private void add(long index, long opens) {
    if (count == GATES_MAX) {
      int last = (first + count - 1) & (before.length - 1);
      opensAt[last] = Math.max(opensAt[last], opens);
      return;
    }
    if (count == before.length) {
      grow();
    }
    int at = (first + count) & (before.length - 1);
    before[at] = index;
    opensAt[at] = opens;
    count++;
  }

  private void grow() {
    int size = before.length;
    before = unrolled(before, size);
    opensAt = unrolled(opensAt, size);
    first = 0;
  }

  private long[] unrolled(long[] ring, int size) {
    long[] larger = Arrays.copyOfRange(ring, first, first + 2 * size);
    System.arraycopy(ring, 0, larger, size - first, first);
    return larger;
  }

  /** Notes that everything up to an index is on disk. */
  public void durable(long index) {
    durableIndex = Math.max(durableIndex, index);
    while (count > 0 && opensAt[first] <= durableIndex) {
      first = (first + 1) & (before.length - 1);
      count--;
    }
  }

  /** The highest index that is covered, with all before it. */
  public long committedIndex() {
    return count == 0 ? lastIndex : before[first] - 1;
  }
}
