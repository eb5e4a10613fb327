package io.mgtm.group.storage;

import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * A member's log on disk: appends records to mapped segments, forces them, reads them back, and
 * drops them from either end.
 *
 * <p>The owner thread appends, reads and truncates. {@link #force()} is called by a storage thread,
 * {@link #dropPrefix} by the files thread. An append stores into memory that is already backed by
 * disk blocks; it makes no system call and allocates nothing.
 */
public final class LogStore {
  /** A position is a segment's sequence above an offset, so that one number says both. */
  private static final int OFFSET_BITS = 31;

  private static final int OFFSET_MASK = Integer.MAX_VALUE;

  private final StorageFiles files;
  private final MarkerFiles markers;
  private final DurableMark mark;
  private final SegmentPool pool;
  private final int payloadBytesMax;
  private final RecoveryReport recovery;

  /** The segments in use by sequence. Its removals are guarded by {@link #segmentsLock}. */
  private final ConcurrentSkipListMap<Long, Segment> segments = new ConcurrentSkipListMap<>();

  private final Object segmentsLock = new Object();
  private final Set<LogCursor> cursors = ConcurrentHashMap.newKeySet();

  // Owner thread.
  private Segment current;
  private int offset;
  private long lastTerm;
  private boolean appending;

  // Stored by the owner in this order, loaded by the force thread in the opposite one.
  private final AtomicLong writtenPosition = new AtomicLong();
  private final AtomicLong writtenIndex = new AtomicLong();
  private final AtomicLong appendedBytes = new AtomicLong();

  private final Object forceLock = new Object();
  private long forcedPosition;
  private LogException forceFailure;
  private volatile long durableIndex;

  /** What the parts of a log need to work with. */
  public record Environment(
      StorageFiles files, UUID member, Executor filesExecutor, LongSupplier nanoClock) {}

  /**
   * Opens the log of a folder that the caller owns, or begins one.
   *
   * @param checkpointIndex the index of the newest checkpoint in the folder, 0 when there is none
   * @throws LogException with CORRUPT when acknowledged entries are damaged (nothing is modified
   *     then), with FORMAT when a newer version wrote it, or as {@link StorageFiles} throws
   */
  public static LogStore open(Environment environment, LogSettings settings, long checkpointIndex) {
    MarkerFiles markers = new MarkerFiles(environment.files(), environment.member());
    DurableMark mark = DurableMark.open(environment.files(), environment.member());
    try {
      LogRecovery.Recovered recovered =
          new LogRecovery(environment.files(), environment.member(), markers, mark)
              .run(settings, checkpointIndex);
      return new LogStore(environment, settings, markers, mark, recovered);
    } catch (InternalError e) {
      throw accessFault(environment.files().describe(""), e);
    }
  }

  private LogStore(
      Environment environment,
      LogSettings settings,
      MarkerFiles markers,
      DurableMark mark,
      LogRecovery.Recovered recovered) {
    this.files = environment.files();
    this.markers = markers;
    this.mark = mark;
    this.payloadBytesMax = settings.payloadBytesMax();
    this.recovery = recovered.report();
    this.pool =
        new SegmentPool(
            files,
            environment.member(),
            settings,
            environment.filesExecutor(),
            environment.nanoClock());
    long lastSequence = 0;
    for (Segment segment : recovered.used()) {
      segments.put(segment.sequence(), segment);
      current = segment;
      lastSequence = segment.sequence();
    }
    for (Segment spare : recovered.spares()) {
      pool.add(spare);
      lastSequence = spare.sequence();
    }
    pool.startAt(lastSequence + 1);
    offset = recovered.endOffset();
    lastTerm = recovered.lastTerm();
    durableIndex = recovery.lastIndex();
    forcedPosition = position();
    publish(recovery.lastIndex());
  }

  /**
   * Takes back the marker of a clean stop, durably, and starts making segments ahead. To be called
   * once, before the first append.
   */
  public void startAppending() {
    if (markers.exists(MarkerFiles.CLEAN)) {
      markers.remove(MarkerFiles.CLEAN);
    }
    appending = true;
    pool.fill();
  }

  /**
   * Whether an entry can be appended now. Waits, within bounds, for a segment that is being made;
   * answers false at once while the disk refuses. Owner thread.
   *
   * @throws IllegalArgumentException when an entry can never have that size
   */
  public boolean hasRoom(int payloadBytes) {
    if (payloadBytes < 0 || payloadBytes > payloadBytesMax) {
      throw new IllegalArgumentException(
          "An entry of %d bytes does not fit the log; the largest has %d bytes, set larger segments"
              .formatted(payloadBytes, payloadBytesMax));
    }
    return current.fits(offset, payloadBytes) || pool.awaitSpare(payloadBytes);
  }

  /** Why {@link #hasRoom} last answered false. */
  public String noRoomReason() {
    return pool.noRoomReason();
  }

  /** Whether the disk refuses to give room ahead, even if there is some left. Any thread. */
  public boolean isDiskRefusing() {
    return pool.refused();
  }

  /**
   * Appends an entry. Owner thread.
   *
   * @param payload its bytes from position to limit; copied, its position stays
   * @return its index
   * @throws LogException with NO_SPACE when {@link #hasRoom} was not asked, with IO when storing
   *     failed: the log is then unfit for more
   */
  public long append(long term, ByteBuffer payload) {
    if (!appending) {
      throw new IllegalStateException("append before startAppending");
    }
    int payloadBytes = payload.remaining();
    try {
      while (!current.fits(offset, payloadBytes)) {
        roll(payloadBytes);
      }
      long index = writtenIndex.getPlain() + 1;
      int end = current.write(offset, index, term, durableIndex, payload);
      appendedBytes.setRelease(appendedBytes.getPlain() + end - offset);
      offset = end;
      lastTerm = term;
      publish(index);
      return index;
    } catch (InternalError e) {
      throw accessFault(files.describe(current.name()), e);
    }
  }

  private void roll(int payloadBytes) {
    Segment next =
        payloadBytes <= payloadBytesMax && pool.canHold(payloadBytes) ? pool.take() : null;
    if (next == null) {
      throw new LogException(
          Category.NO_SPACE,
          "An entry of %d bytes was appended without room for it; ask hasRoom before each entry"
              .formatted(payloadBytes));
    }
    next.begin(writtenIndex.getPlain() + 1);
    segments.put(next.sequence(), next);
    current = next;
    offset = Segment.HEADER_BYTES;
    pool.fill();
  }

  private long position() {
    return current.sequence() << OFFSET_BITS | offset;
  }

  private void publish(long index) {
    writtenPosition.setRelease(position());
    writtenIndex.setRelease(index);
  }

  /**
   * Forces everything appended before the call. Any thread; calls exclude each other.
   *
   * @return the highest index known to be on disk
   * @throws LogException with IO: what was appended since the last force is in doubt for good, and
   *     nothing may be acknowledged any more
   */
  public long force() {
    synchronized (forceLock) {
      if (forceFailure != null) {
        // After a failure the system forgets what it could not write, so a second try would lie.
        throw forceFailure;
      }
      long index = writtenIndex.getAcquire();
      long end = writtenPosition.getAcquire();
      if (end == forcedPosition) {
        return durableIndex;
      }
      forceUpTo(end);
      forcedPosition = end;
      durableIndex = index;
      mark.raise(index);
      return index;
    }
  }

  private void forceUpTo(long end) {
    long lastSequence = end >>> OFFSET_BITS;
    int from = (int) (forcedPosition & OFFSET_MASK);
    try {
      for (long sequence = forcedPosition >>> OFFSET_BITS; sequence <= lastSequence; sequence++) {
        Segment segment = segments.get(sequence);
        int to = sequence == lastSequence ? (int) (end & OFFSET_MASK) : segment.capacity();
        segment.force(from, to);
        from = 0;
      }
    } catch (LogException e) {
      forceFailure = e;
      throw e;
    }
  }

  /** The lowest index that the log reaches back to; one above the last in an empty log. */
  public long firstIndex() {
    return segments.firstEntry().getValue().firstIndex();
  }

  /** The highest appended index. Any thread. */
  public long lastIndex() {
    return writtenIndex.getAcquire();
  }

  /** The term of the last entry, 0 in an empty log. Owner thread. */
  public long lastTerm() {
    return lastTerm;
  }

  /** The highest index known to be on disk. Any thread. */
  public long durableIndex() {
    return durableIndex;
  }

  /** Bytes appended since the log was opened, with record headers. Any thread. */
  public long appendedBytes() {
    return appendedBytes.getAcquire();
  }

  /** How many segments are in use. Any thread. */
  public int segmentCount() {
    return segments.size();
  }

  /** What was found when the log was opened. */
  public RecoveryReport recovery() {
    return recovery;
  }

  /**
   * Reads entries from an index on. Owner thread. The cursor keeps what it has not read from being
   * dropped, so it must be closed.
   *
   * @throws IllegalArgumentException when the log does not reach back to {@code fromIndex}, or
   *     {@code fromIndex} is more than one above the last
   */
  public LogCursor read(long fromIndex) {
    synchronized (segmentsLock) {
      if (fromIndex < firstIndex() || fromIndex > lastIndex() + 1) {
        throw new IllegalArgumentException(
            "index %d is asked for and the log holds %d to %d"
                .formatted(fromIndex, firstIndex(), lastIndex()));
      }
      LogCursor cursor = new LogCursor(this, segmentOf(fromIndex), fromIndex);
      cursors.add(cursor);
      return cursor;
    }
  }

  private Segment segmentOf(long index) {
    Segment found = segments.firstEntry().getValue();
    for (Segment segment : segments.values()) {
      if (segment.firstIndex() <= index) {
        found = segment;
      }
    }
    return found;
  }

  /** The segment behind one, or null. */
  Segment segmentAfter(Segment segment) {
    Map.Entry<Long, Segment> next = segments.higherEntry(segment.sequence());
    return next == null ? null : next.getValue();
  }

  void closed(LogCursor cursor) {
    cursors.remove(cursor);
  }

  StorageFiles files() {
    return files;
  }

  /**
   * Removes all entries from an index on; on return no crash can bring them back. Nothing that was
   * acknowledged may stand there. Owner thread; cursors must be closed.
   *
   * @throws IllegalArgumentException when the log does not reach back to {@code fromIndex}
   */
  public void truncateSuffix(long fromIndex) {
    if (fromIndex > lastIndex()) {
      return;
    }
    if (fromIndex < firstIndex()) {
      throw new IllegalArgumentException(
          "the log cannot be cut at index %d, it begins at %d".formatted(fromIndex, firstIndex()));
    }
    synchronized (forceLock) {
      // The records removed may say that they were on disk. The marker tells recovery that this
      // proves nothing any more, at whatever moment the wiping is interrupted.
      markers.write(MarkerFiles.TRUNCATE, fromIndex);
      long kept = fromIndex - 1;
      Segment end = segmentOf(fromIndex);
      if (end.firstIndex() == fromIndex && end != segments.firstEntry().getValue()) {
        end = segments.lowerEntry(end.sequence()).getValue();
      }
      cutAt(end, fromIndex);
      lastTerm = termOfLast(kept);
      publish(kept);
      forcedPosition = Math.min(forcedPosition, position());
      durableIndex = Math.min(durableIndex, kept);
      mark.reset(durableIndex);
      markers.remove(MarkerFiles.TRUNCATE);
    }
  }

  private void cutAt(Segment end, long fromIndex) {
    int endOffset = end.offsetOf(fromIndex);
    synchronized (segmentsLock) {
      while (segments.lastKey() > end.sequence()) {
        Segment removed = segments.pollLastEntry().getValue();
        removed.wipe(0);
        pool.add(removed);
      }
    }
    end.wipe(endOffset);
    current = end;
    offset = endOffset;
  }

  private long termOfLast(long index) {
    Segment segment = current;
    while (segment.firstIndex() > index) {
      Map.Entry<Long, Segment> before = segments.lowerEntry(segment.sequence());
      if (before == null) {
        return 0;
      }
      segment = before.getValue();
    }
    return segment.term(segment.offsetOf(index));
  }

  /**
   * Gives back the segments whose entries all lie at or before an index that a checkpoint on disk
   * covers. Files thread.
   */
  public void dropPrefix(long throughIndex) {
    while (true) {
      Segment dropped;
      synchronized (segmentsLock) {
        dropped = segments.firstEntry().getValue();
        Segment next = segmentAfter(dropped);
        // What becomes the first segment must have its header on disk: recovery begins with it.
        if (next == null
            || next.firstIndex() - 1 > throughIndex
            || next.firstIndex() > durableIndex
            || isRead(dropped)) {
          return;
        }
        segments.remove(dropped.sequence());
      }
      pool.recycle(dropped);
    }
  }

  private boolean isRead(Segment segment) {
    return cursors.stream().anyMatch(cursor -> cursor.sequence() <= segment.sequence());
  }

  /**
   * Forces everything and notes durably that nothing is missing. Owner thread, with no other thread
   * at work any more.
   */
  public void closeCleanly() {
    force();
    markers.write(MarkerFiles.CLEAN, lastIndex());
    appending = false;
  }

  private static LogException accessFault(String place, InternalError cause) {
    return new LogException(
        Category.IO,
        "The disk failed under the mapped file %s; check the disk and the system's log"
            .formatted(place),
        cause);
  }
}
