package io.mgtm.group.member;

import io.mgtm.group.core.Entry;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The end of the log in memory, bounded by bytes, nothing with a bound of 0: what followers and the
 * state machine ask for is mostly what was appended last. Owner thread.
 */
final class LogTail {
  private final int bytesMax;

  /** A ring of a power-of-two size; an entry stands at its index modulo the size. */
  private Entry[] ring = new Entry[1 << 10];

  private long first;
  private long end;
  private long bytes;

  LogTail(int bytesMax, long firstIndex) {
    this.bytesMax = bytesMax;
    this.first = firstIndex;
    this.end = firstIndex;
  }

  boolean holds(long index) {
    return index >= first && index < end;
  }

  Entry get(long index) {
    return ring[slot(index)];
  }

  private int slot(long index) {
    return (int) (index & (ring.length - 1));
  }

  void append(Entry entry) {
    if (bytesMax == 0) {
      end++;
      first = end;
      return;
    }
    if (end - first == ring.length) {
      grow();
    }
    ring[slot(end)] = entry;
    end++;
    bytes += entry.payload().remaining();
    while (bytes > bytesMax && end - first > 1) {
      bytes -= get(first).payload().remaining();
      ring[slot(first)] = null;
      first++;
    }
  }

  private void grow() {
    Entry[] larger = new Entry[2 * ring.length];
    for (long index = first; index < end; index++) {
      larger[(int) (index & (larger.length - 1))] = get(index);
    }
    ring = larger;
  }

  void truncate(long fromIndex) {
    while (end > fromIndex && end > first) {
      end--;
      bytes -= get(end).payload().remaining();
      ring[slot(end)] = null;
    }
    if (end > fromIndex) {
      restart(fromIndex);
    }
  }

  void restart(long firstIndex) {
    Arrays.fill(ring, null);
    first = firstIndex;
    end = firstIndex;
    bytes = 0;
  }

  /** Entries from one on that it holds: at least one, then as many as fit. */
  List<Entry> read(long fromIndex, int readBytesMax) {
    List<Entry> entries = new ArrayList<>();
    long read = 0;
    for (long index = fromIndex; index < end; index++) {
      Entry entry = get(index);
      read += entry.payload().remaining();
      if (!entries.isEmpty() && read > readBytesMax) {
        break;
      }
      entries.add(entry);
    }
    return entries;
  }
}
