package io.mgtm.group.member;

import java.util.TreeMap;

/** The terms of a log's entries, as runs of equal ones. Owner thread. */
final class TermRuns {
  /** The first index of each run, and its term. */
  private final TreeMap<Long, Long> runs = new TreeMap<>();

  /** That of the last run; 0 for none. */
  private long last;

  void appended(long index, long term) {
    if (last != term) {
      runs.put(index, term);
      last = term;
    }
  }

  void truncated(long fromIndex) {
    runs.tailMap(fromIndex, true).clear();
    last = runs.isEmpty() ? 0 : runs.lastEntry().getValue();
  }

  void reset(long index, long term) {
    runs.clear();
    runs.put(index, term);
    last = term;
  }

  /** Forgets what lies before an index. */
  void compacted(long index) {
    Long first = runs.floorKey(index);
    if (first != null) {
      runs.headMap(first, false).clear();
    }
  }

  long termAt(long index) {
    return index == 0 ? 0 : runs.floorEntry(index).getValue();
  }
}
