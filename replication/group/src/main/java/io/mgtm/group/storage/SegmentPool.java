package io.mgtm.group.storage;

import io.mgtm.group.LogException;
import java.util.UUID;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps unused segments ready, so that the owner never waits for the disk to get one: makes new
 * ones, and wipes dropped ones for another use. Reuse also bounds the mappings of deleted files,
 * which hold disk space until they are collected.
 *
 * <p>Spares carry the numbers that follow the segment in use, without a gap, and are taken in that
 * order.
 */
final class SegmentPool {
  private static final Logger log = LoggerFactory.getLogger(SegmentPool.class);

  private final StorageFiles files;
  private final UUID member;
  private final LogSettings settings;
  private final Executor filesExecutor;
  private final LongSupplier nanoClock;
  private final ConcurrentSkipListMap<Long, Segment> spares = new ConcurrentSkipListMap<>();
  private final AtomicBoolean filling = new AtomicBoolean();
  private final AtomicLong nextSequence = new AtomicLong();

  /** Why the last attempt to make a segment failed; null when it did not. */
  private volatile LogException refusal;

  private volatile long refusedNanos;

  /** Why the last answer was no; owner thread. */
  private String noRoomReason = "";

  SegmentPool(
      StorageFiles files,
      UUID member,
      LogSettings settings,
      Executor filesExecutor,
      LongSupplier nanoClock) {
    this.files = files;
    this.member = member;
    this.settings = settings;
    this.filesExecutor = filesExecutor;
    this.nanoClock = nanoClock;
  }

  /** The number of the next file to be made. Called before any other thread runs. */
  void startAt(long sequence) {
    nextSequence.set(sequence);
  }

  /** Puts an unused segment back; its number comes before those of all spares, or after. */
  void add(Segment unused) {
    spares.put(unused.sequence(), unused);
  }

  /** The next unused segment, or null. Owner thread. */
  Segment take() {
    var first = spares.pollFirstEntry();
    return first == null ? null : first.getValue();
  }

  /** Whether a spare, or one of those behind it, can hold a payload. */
  boolean canHold(int payloadBytes) {
    for (Segment spare : spares.values()) {
      if (spare.fits(Segment.HEADER_BYTES, payloadBytes)) {
        return true;
      }
    }
    return false;
  }

  /** Spares left from a run with smaller segments are used, but do not count. */
  private boolean isLow() {
    int ready = 0;
    for (Segment spare : spares.values()) {
      ready += spare.capacity() >= settings.segmentBytes() ? 1 : 0;
    }
    return ready < settings.sparesAhead();
  }

  /** Starts making spares in the background, unless it is under way or enough are there. */
  void fill() {
    if (isLow() && !filling.getAndSet(true)) {
      filesExecutor.execute(this::fillNow);
    }
  }

  /**
   * Whether there is a spare for a payload, after waiting for one under way. Answers false at once
   * while the disk refuses, and tries again in the background. Owner thread.
   */
  boolean awaitSpare(int payloadBytes) {
    if (canHold(payloadBytes)) {
      return true;
    }
    if (refusal == null) {
      fill();
      return awaitFilling(payloadBytes);
    }
    long sinceNanos = nanoClock.getAsLong() - refusedNanos;
    if (sinceNanos >= TimeUnit.MILLISECONDS.toNanos(settings.roomRetryMs())) {
      fill();
    }
    return answer(payloadBytes);
  }

  /** The answer once there is nothing to wait for. */
  private boolean answer(int payloadBytes) {
    LogException refused = refusal;
    if (canHold(payloadBytes)) {
      return true;
    }
    noRoomReason =
        refused != null
            ? refused.getMessage()
            : "%s is only being made; try again".formatted(files.describe(nextName()));
    return false;
  }

  private synchronized boolean awaitFilling(int payloadBytes) {
    long deadlineNanos =
        nanoClock.getAsLong() + TimeUnit.MILLISECONDS.toNanos(settings.roomWaitMs());
    while (!canHold(payloadBytes) && refusal == null) {
      long leftNanos = deadlineNanos - nanoClock.getAsLong();
      if (leftNanos <= 0) {
        noRoomReason =
            "%s is still being made after %d ms; the disk is slow, try again"
                .formatted(files.describe(nextName()), settings.roomWaitMs());
        return false;
      }
      try {
        TimeUnit.NANOSECONDS.timedWait(this, leftNanos);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        noRoomReason = "The wait for %s was interrupted".formatted(files.describe(nextName()));
        return false;
      }
    }
    return answer(payloadBytes);
  }

  /** Why {@link #awaitSpare} last answered no. Owner thread. */
  String noRoomReason() {
    return noRoomReason;
  }

  boolean refused() {
    return refusal != null;
  }

  private void fillNow() {
    // Cleared first: whoever finds too few spares from here on starts another round.
    filling.set(false);
    LogException failure = null;
    try {
      while (isLow()) {
        String unfinished = nextName() + FileNames.UNFINISHED;
        publish(files.create(unfinished, settings.segmentBytes()), unfinished);
      }
    } catch (LogException e) {
      failure = e;
    }
    refusedNanos = nanoClock.getAsLong();
    setRefusal(failure);
  }

  private synchronized void setRefusal(LogException failure) {
    LogException before = refusal;
    refusal = failure;
    notifyAll();
    if (failure != null && before == null) {
      log.warn("No room for the log: {}", failure.getMessage());
    } else if (failure == null && before != null) {
      log.info("There is room for the log again");
    }
  }

  private void publish(MappedFile file, String unfinished) {
    files.rename(unfinished, nextName());
    files.forceDirectory();
    long sequence = nextSequence.getAndIncrement();
    spares.put(sequence, new Segment(sequence, member, file));
  }

  private String nextName() {
    return FileNames.segment(nextSequence.get());
  }

  /**
   * Takes a dropped segment's name away. On return no crash can bring it back. May be repeated
   * after a failure. Files thread.
   */
  void retire(Segment dropped) {
    if (files.list().contains(dropped.name())) {
      files.rename(dropped.name(), dropped.name() + FileNames.UNFINISHED);
    }
    files.forceDirectory();
  }

  /** Makes a retired segment a spare, or removes it when there are enough. Files thread. */
  void recycle(Segment retired) {
    String unfinished = retired.name() + FileNames.UNFINISHED;
    if (spares.size() >= settings.sparesMax() || retired.capacity() != settings.segmentBytes()) {
      files.delete(unfinished);
      return;
    }
    retired.wipe(0);
    publish(retired.file(), unfinished);
    setRefusal(null);
  }
}
