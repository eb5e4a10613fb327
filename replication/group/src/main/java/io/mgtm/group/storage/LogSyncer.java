package io.mgtm.group.storage;

import io.mgtm.group.LogException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Knows how far the log is written and how far it is on disk. The owner thread says what it has
 * written; forces, by any thread, exclude each other and everything that takes entries back, by
 * this object's monitor.
 *
 * <p>A position is a segment's sequence above an offset, so that one number says both.
 *
 * <p>Final but for tests.
 */
class LogSyncer {
  private static final int OFFSET_BITS = 31;
  private static final int OFFSET_MASK = Integer.MAX_VALUE;

  private final StorageFiles files;
  private final UsedSegments segments;
  private final StatusPage status;
  private final LongSupplier nanoClock;
  private final AtomicLong forces = new AtomicLong();
  private final AtomicLong forceNanos = new AtomicLong();

  // Stored by the owner in this order, loaded by a force in the opposite one: the position then
  // covers the index.
  private final AtomicLong writtenPosition = new AtomicLong();
  private final AtomicLong writtenIndex = new AtomicLong();

  private volatile long syncedPosition;
  private volatile long durableIndex;
  private volatile LogException failure;

  /** All that is written up to the position is on disk. */
  LogSyncer(
      StorageFiles files,
      UsedSegments segments,
      StatusPage status,
      LongSupplier nanoClock,
      long position,
      long index) {
    this.files = files;
    this.segments = segments;
    this.status = status;
    this.nanoClock = nanoClock;
    this.syncedPosition = position;
    this.durableIndex = index;
    status.resetWritten(index);
    writtenPosition.setRelease(position);
    writtenIndex.setRelease(index);
  }

  static long position(Segment segment, int offset) {
    return segment.sequence() << OFFSET_BITS | offset;
  }

  /** Publishes that the owner has written the next entry. */
  void written(long position, long index) {
    status.raiseWritten(index);
    publish(position, index);
  }

  /** The log ends elsewhere. */
  private void end(long position, long index) {
    status.resetWritten(index);
    publish(position, index);
  }

  private void publish(long position, long index) {
    storePosition(position);
    storeIndex(index);
  }

  // Single steps, of which a test runs those of different threads in every order.

  void storePosition(long position) {
    writtenPosition.setRelease(position);
  }

  void storeIndex(long index) {
    writtenIndex.setRelease(index);
  }

  long loadPosition() {
    return writtenPosition.getAcquire();
  }

  /** The highest written index, for the owner thread. */
  long ownWrittenIndex() {
    return writtenIndex.getPlain();
  }

  long writtenIndex() {
    return writtenIndex.getAcquire();
  }

  /** The highest index known to be on disk. */
  long durableIndex() {
    return durableIndex;
  }

  /** Whether unsynced bytes reach back before a segment. */
  boolean isUnforcedBefore(Segment segment) {
    return segment.sequence() > syncedPosition >>> OFFSET_BITS;
  }

  /**
   * Forces everything written before the call.
   *
   * @return the highest index known to be on disk
   * @throws LogException with IO, now and ever after
   */
  long force() {
    long startNanos = nanoClock.getAsLong();
    long durable = forceNow();
    forces.incrementAndGet();
    forceNanos.addAndGet(nanoClock.getAsLong() - startNanos);
    return durable;
  }

  /** How often it was forced. */
  long forces() {
    return forces.get();
  }

  /** The time that took, in nanoseconds. */
  long forceNanos() {
    return forceNanos.get();
  }

  private synchronized long forceNow() {
    checkSound();
    long index = writtenIndex();
    long end = loadPosition();
    try {
      if (end != syncedPosition) {
        forceUpTo(end);
        syncedPosition = end;
      }
      // The last force may have taken an entry along before its index was published.
      if (index != durableIndex) {
        durableIndex = index;
        status.raiseDurable(index);
      }
      return index;
    } catch (LogException e) {
      throw failed(e);
    } catch (InternalError e) {
      throw failed(IoErrors.mapped(files.describe(""), e));
    }
  }

  /** The next process must know it too, so it is noted before anybody hears of it. */
  private LogException failed(LogException cause) {
    failure = cause;
    status.noteFailed();
    return cause;
  }

  private void forceUpTo(long end) {
    long lastSequence = end >>> OFFSET_BITS;
    int from = (int) (syncedPosition & OFFSET_MASK);
    for (long sequence = syncedPosition >>> OFFSET_BITS; sequence <= lastSequence; sequence++) {
      Segment segment = segments.get(sequence);
      int to = sequence == lastSequence ? (int) (end & OFFSET_MASK) : segment.capacity();
      segment.force(from, to);
      from = 0;
    }
  }

  /**
   * After a failed force the system forgets what it could not write, so that a second force would
   * report what is not true. Hence none is tried.
   *
   * @throws LogException the failure of an earlier force
   */
  synchronized void checkSound() {
    if (failure != null) {
      throw failure;
    }
  }

  /**
   * Runs what takes entries back. When that fails half-way the log is unfit for more, and only
   * opening it again tells what it holds.
   */
  synchronized void takeBack(Runnable change) {
    checkSound();
    try {
      change.run();
    } catch (LogException e) {
      throw failed(e);
    } catch (InternalError e) {
      throw failed(IoErrors.mapped(files.describe(""), e));
    }
  }

  /** Takes written entries back: the log now ends at a position that may be lower. */
  synchronized void withdraw(long position, long index) {
    end(position, index);
    syncedPosition = Math.min(syncedPosition, position);
    durableIndex = Math.min(durableIndex, index);
    status.resetDurable(durableIndex);
  }

  /** The log starts over, with all before a position on disk. */
  synchronized void restart(long position, long index) {
    end(position, index);
    syncedPosition = position;
    durableIndex = index;
    status.resetDurable(index);
  }
}
