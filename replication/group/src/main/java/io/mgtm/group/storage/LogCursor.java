package io.mgtm.group.storage;

import io.mgtm.group.LogException;
import java.nio.ByteBuffer;

/**
 * Reads a log's entries one after the other, to its end and on as it grows. Owner thread; while it
 * is open, what it stands on and all behind it is not dropped.
 */
public final class LogCursor implements AutoCloseable {
  private final LogStore store;
  private final UsedSegments segments;
  private Segment segment;
  private ByteBuffer view;
  private int offset;
  private long nextIndex;
  private long term;

  /** Read by the files thread. */
  private volatile long sequence;

  LogCursor(LogStore store, UsedSegments segments, Segment segment, long fromIndex) {
    this.store = store;
    this.segments = segments;
    this.nextIndex = fromIndex;
    enter(segment, segment.offsetOf(fromIndex));
  }

  private void enter(Segment entered, int at) {
    segment = entered;
    view = entered.readOnlyView();
    offset = at;
    sequence = entered.sequence();
  }

  /**
   * Moves to the next entry.
   *
   * @return false at the end of the log
   * @throws LogException with CORRUPT when the entry no longer fits its checksum
   */
  public boolean next() {
    if (nextIndex > store.lastIndex()) {
      return false;
    }
    Segment after = segments.after(segment);
    while (after != null && after.firstIndex() <= nextIndex) {
      enter(after, Segment.HEADER_BYTES);
      after = segments.after(segment);
    }
    int end;
    try {
      end = segment.recordEnd(offset, nextIndex);
    } catch (InternalError e) {
      throw IoErrors.mapped(store.files().describe(segment.name()), e);
    }
    if (end < 0) {
      throw LogException.misread(store.files().describe(segment.name()), offset, nextIndex);
    }
    term = segment.term(offset);
    segment.limitToPayload(view, offset);
    offset = end;
    nextIndex++;
    return true;
  }

  /** The index of the entry. */
  public long index() {
    return nextIndex - 1;
  }

  /** The term of the entry. */
  public long term() {
    return term;
  }

  /**
   * The entry's bytes from position to limit, read-only, valid until the cursor moves or closes.
   */
  public ByteBuffer payload() {
    return view;
  }

  long sequence() {
    return sequence;
  }

  @Override
  public void close() {
    segments.closed(this);
  }
}
