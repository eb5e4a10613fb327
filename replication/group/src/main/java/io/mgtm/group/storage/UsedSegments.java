package io.mgtm.group.storage;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * The segments that hold the log, by sequence, without a gap and never none; and who is reading
 * them. The owner thread adds and removes at the end, the files thread removes at the front, any
 * thread looks.
 */
final class UsedSegments {
  private final ConcurrentSkipListMap<Long, Segment> bySequence = new ConcurrentSkipListMap<>();
  private final Set<LogCursor> cursors = ConcurrentHashMap.newKeySet();

  UsedSegments(List<Segment> segments) {
    segments.forEach(this::add);
  }

  void add(Segment segment) {
    bySequence.put(segment.sequence(), segment);
  }

  Segment first() {
    return bySequence.firstEntry().getValue();
  }

  Segment last() {
    return bySequence.lastEntry().getValue();
  }

  Segment get(long sequence) {
    return bySequence.get(sequence);
  }

  int count() {
    return bySequence.size();
  }

  /** The segment behind one, or null. */
  Segment after(Segment segment) {
    return valueOf(bySequence.higherEntry(segment.sequence()));
  }

  /** The segment in front of one, or null. */
  Segment before(Segment segment) {
    return valueOf(bySequence.lowerEntry(segment.sequence()));
  }

  private static Segment valueOf(Map.Entry<Long, Segment> entry) {
    return entry == null ? null : entry.getValue();
  }

  /** The last segment whose first index is not above {@code index}. */
  Segment holding(long index) {
    Segment found = first();
    for (Segment segment : bySequence.values()) {
      if (segment.firstIndex() <= index) {
        found = segment;
      }
    }
    return found;
  }

  /** How large the segments are that begin behind the one that holds an index. */
  long bytesBehind(long index) {
    return bySequence.tailMap(holding(index).sequence(), false).values().stream()
        .mapToLong(Segment::capacity)
        .sum();
  }

  /** Opens a cursor; from then on nothing from its index on is dropped. */
  synchronized LogCursor read(LogStore store, long fromIndex) {
    if (fromIndex < first().firstIndex() || fromIndex > store.lastIndex() + 1) {
      throw new IllegalArgumentException(
          "index %d is asked for and the log holds %d to %d"
              .formatted(fromIndex, first().firstIndex(), store.lastIndex()));
    }
    LogCursor cursor = new LogCursor(store, this, holding(fromIndex), fromIndex);
    cursors.add(cursor);
    return cursor;
  }

  void closed(LogCursor cursor) {
    cursors.remove(cursor);
  }

  /**
   * Takes out the first segment when all its entries lie at or before {@code throughIndex}, nobody
   * reads it, and the segment behind it has entries at or before {@code durableIndex}: recovery
   * begins with that one's header, so it must be on disk.
   *
   * @return the segment, or null
   */
  synchronized Segment takeFirst(long throughIndex, long durableIndex) {
    Segment first = first();
    Segment next = after(first);
    if (next == null
        || next.firstIndex() - 1 > throughIndex
        || next.firstIndex() > durableIndex
        || cursors.stream().anyMatch(cursor -> cursor.sequence() <= first.sequence())) {
      return null;
    }
    bySequence.remove(first.sequence());
    return first;
  }

  synchronized void putBack(Segment first) {
    add(first);
  }

  /** Takes out the last segment, of at least two. */
  synchronized Segment takeLast() {
    return bySequence.pollLastEntry().getValue();
  }
}
