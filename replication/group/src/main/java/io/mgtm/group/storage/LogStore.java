package io.mgtm.group.storage;

import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import io.mgtm.group.storage.StatusPage.Note;
import java.nio.ByteBuffer;
import java.util.UUID;
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
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final StorageFiles files;
  private final StatusPage status;
  private final SegmentPool pool;
  private final int payloadBytesMax;
  private final RecoveryReport recovery;
  private final UsedSegments segments;
  private final LogSyncer syncer;
  private final AtomicLong appendedBytes = new AtomicLong();

  // Owner thread.
  private Segment current;
  private int offset;
  private long lastTerm;
  private boolean appending;

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
    StorageFiles files = environment.files();
    // The process before may have died between making a name and forcing it.
    files.forceDirectory();
    StatusPage status = StatusPage.open(files, environment.member());
    try {
      LogRecovery.Recovered recovered =
          new LogRecovery(files, environment.member(), status).run(settings, checkpointIndex);
      files.list().stream()
          .filter(name -> name.endsWith(FileNames.UNFINISHED))
          .forEach(files::delete);
      return new LogStore(environment, settings, status, recovered);
    } catch (LogException e) {
      if (e.category() == Category.IO) {
        status.noteFailed();
      }
      throw e;
    } catch (InternalError e) {
      status.noteFailed();
      throw IoErrors.mapped(files.describe(""), e);
    }
  }

  private LogStore(
      Environment environment,
      LogSettings settings,
      StatusPage status,
      LogRecovery.Recovered recovered) {
    this.files = environment.files();
    this.status = status;
    this.payloadBytesMax = settings.payloadBytesMax();
    this.recovery = recovered.report();
    this.pool =
        new SegmentPool(
            files,
            environment.member(),
            settings,
            environment.filesExecutor(),
            environment.nanoClock());
    segments = new UsedSegments(recovered.used());
    current = segments.last();
    recovered.spares().forEach(pool::add);
    pool.startAt(current.sequence() + recovered.spares().size() + 1);
    offset = recovered.endOffset();
    lastTerm = recovered.lastTerm();
    syncer =
        new LogSyncer(
            files, segments, status, environment.nanoClock(), position(), recovery.lastIndex());
  }

  /**
   * Takes back the notes of a clean stop and of a failed force, durably, and starts making segments
   * ahead. To be called once, before the first append, when what {@link #recovery} said is stored
   * where it is needed.
   */
  public void startAppending() {
    status.clear(Note.CLEAN);
    status.clear(Note.FAILED);
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

  /** What the largest entry has. */
  public int payloadBytesMax() {
    return payloadBytesMax;
  }

  /** Why {@link #hasRoom} last answered false. */
  public String noRoomReason() {
    return pool.noRoomReason();
  }

  /** Whether the disk refuses to give room ahead, even if there is some left. Any thread. */
  public boolean isDiskRefusing() {
    return pool.refused();
  }

  /** As {@link #append(long, ByteBuffer, ByteBuffer)}, of a payload in one part. */
  public long append(long term, ByteBuffer payload) {
    return append(term, NOTHING, payload);
  }

  /**
   * Appends an entry whose payload comes in two parts. Owner thread.
   *
   * @param head its first bytes from position to limit; copied, its position stays
   * @param rest the others, likewise
   * @return its index
   * @throws LogException with NO_SPACE when {@link #hasRoom} was not asked, with IO when storing
   *     failed: the log is then unfit for more
   */
  public long append(long term, ByteBuffer head, ByteBuffer rest) {
    if (!appending) {
      throw new IllegalStateException("append before startAppending");
    }
    int payloadBytes = head.remaining() + rest.remaining();
    try {
      while (!current.fits(offset, payloadBytes)) {
        roll(payloadBytes);
      }
      long index = syncer.ownWrittenIndex() + 1;
      int end = current.write(offset, index, term, syncer.durableIndex(), head, rest);
      appendedBytes.setRelease(appendedBytes.getPlain() + end - offset);
      offset = end;
      lastTerm = term;
      syncer.written(position(), index);
      return index;
    } catch (InternalError e) {
      throw IoErrors.mapped(files.describe(current.name()), e);
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
    next.begin(syncer.ownWrittenIndex() + 1);
    segments.add(next);
    current = next;
    offset = Segment.HEADER_BYTES;
    pool.fill();
  }

  private long position() {
    return LogSyncer.position(current, offset);
  }

  /**
   * Forces everything appended before the call. Any thread; calls exclude each other.
   *
   * @return the highest index known to be on disk
   * @throws LogException with IO: what was appended since the last force is in doubt for good, and
   *     nothing may be acknowledged any more
   */
  public long force() {
    return syncer.force();
  }

  /** How often it was synced since it was opened. Any thread. */
  public long forces() {
    return syncer.forces();
  }

  /** The time that took, in nanoseconds. Any thread. */
  public long forceNanos() {
    return syncer.forceNanos();
  }

  /** The lowest index that the log reaches back to; one above the last in an empty log. */
  public long firstIndex() {
    return segments.first().firstIndex();
  }

  /** The highest appended index. Any thread. */
  public long lastIndex() {
    return syncer.writtenIndex();
  }

  /** The term of the last entry, 0 in an empty log. Owner thread. */
  public long lastTerm() {
    return lastTerm;
  }

  /** The highest index known to be on disk. Any thread. */
  public long durableIndex() {
    return syncer.durableIndex();
  }

  /** Bytes appended since the log was opened, with record headers. Any thread. */
  public long appendedBytes() {
    return appendedBytes.getAcquire();
  }

  /**
   * How much log lies behind an entry, by files: those count whole that begin after the file that
   * holds it. Any thread.
   */
  public long bytesBehind(long index) {
    return segments.bytesBehind(index);
  }

  /**
   * Whether unsynced entries reach back into an earlier segment, so that the next force would take
   * long. Owner thread.
   */
  public boolean isForceOverdue() {
    return syncer.isUnforcedBefore(current);
  }

  /** How many segments are in use. Any thread. */
  public int segmentCount() {
    return segments.count();
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
    return segments.read(this, fromIndex);
  }

  StorageFiles files() {
    return files;
  }

  /**
   * Removes all entries from an index on; on return no crash can bring them back. Nothing that was
   * acknowledged may stand there. Owner thread; cursors must be closed.
   *
   * @throws IllegalArgumentException when the log does not reach back to {@code fromIndex}
   * @throws LogException with IO: the log is then unfit for more
   */
  public void truncateSuffix(long fromIndex) {
    if (fromIndex > lastIndex()) {
      return;
    }
    if (fromIndex < firstIndex()) {
      throw new IllegalArgumentException(
          "the log cannot be cut at index %d, it begins at %d".formatted(fromIndex, firstIndex()));
    }
    syncer.takeBack(
        () -> {
          Segment holding = segments.holding(fromIndex);
          boolean begins = holding.firstIndex() == fromIndex && holding != segments.first();
          Segment end = begins ? segments.before(holding) : holding;
          int endOffset = end.offsetOf(fromIndex);
          // The records removed may say that they were on disk. The note tells recovery that this
          // proves nothing any more, at whatever moment the wiping is interrupted.
          status.note(Note.TRUNCATION, fromIndex);
          cutAt(end, endOffset);
          lastTerm = termOfLast(fromIndex - 1);
          syncer.withdraw(position(), fromIndex - 1);
          status.clear(Note.TRUNCATION);
        });
  }

  private void cutAt(Segment end, int endOffset) {
    while (segments.last() != end) {
      Segment removed = segments.takeLast();
      removed.wipe(0);
      pool.add(removed);
    }
    end.wipe(endOffset);
    current = end;
    offset = endOffset;
  }

  private long termOfLast(long index) {
    Segment segment = current;
    while (segment.firstIndex() > index) {
      segment = segments.before(segment);
      if (segment == null) {
        return 0;
      }
    }
    return segment.term(segment.offsetOf(index));
  }

  /**
   * Replaces the whole log by a checkpoint that came from another member: the log is then empty and
   * goes on behind it. An interruption leaves either everything as it was or the new beginning, by
   * whether the checkpoint had reached the disk. Owner thread, with no other at work; cursors must
   * be closed.
   *
   * @param saveCheckpoint puts the checkpoint of {@code checkpointIndex} on disk; what it throws is
   *     passed on, and the log is as before
   * @throws IllegalArgumentException when the checkpoint is not ahead of the log
   * @throws LogException with IO: the log is then unfit for more
   */
  public void restartAfter(long checkpointIndex, long checkpointTerm, Runnable saveCheckpoint) {
    if (checkpointIndex <= lastIndex()) {
      throw new IllegalArgumentException(
          "a checkpoint of index %d cannot replace a log that ends at %d"
              .formatted(checkpointIndex, lastIndex()));
    }
    syncer.takeBack(() -> status.note(Note.RESTART, checkpointIndex + 1));
    try {
      saveCheckpoint.run();
    } catch (RuntimeException e) {
      // A note left behind would let a later checkpoint of that index empty the log.
      syncer.takeBack(() -> status.clear(Note.RESTART));
      throw e;
    }
    syncer.takeBack(
        () -> {
          Segment first = segments.first();
          cutAt(first, Segment.HEADER_BYTES);
          first.restart(checkpointIndex + 1);
          lastTerm = checkpointTerm;
          syncer.restart(position(), checkpointIndex);
          status.clear(Note.RESTART);
        });
  }

  /**
   * Gives back the segments whose entries all lie at or before an index that a checkpoint on disk
   * covers. Files thread.
   */
  public void dropPrefix(long throughIndex) {
    Segment dropped = segments.takeFirst(throughIndex, syncer.durableIndex());
    while (dropped != null) {
      try {
        pool.retire(dropped);
      } catch (LogException e) {
        // Its file may still be there, and the next one must not go before it.
        segments.putBack(dropped);
        throw e;
      }
      pool.recycle(dropped);
      dropped = segments.takeFirst(throughIndex, syncer.durableIndex());
    }
  }

  /**
   * Forces everything and notes durably that nothing is missing. Owner thread, with no other thread
   * at work any more.
   */
  public void closeCleanly() {
    force();
    status.note(Note.CLEAN, lastIndex());
    appending = false;
  }
}
