package io.mgtm.group.local;

import io.mgtm.group.LogException;
import io.mgtm.group.StateMachine;
import io.mgtm.group.StatePicture;
import io.mgtm.group.storage.CheckpointStore;
import io.mgtm.group.storage.LogStore;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes a checkpoint when the log has grown enough, and lets the log drop what is no longer
 * needed. The owner thread decides and takes a picture of the state, the checkpoint thread writes,
 * the files thread drops.
 *
 * <p>The state is taken in a task of its own on the owner thread: within an append the state may
 * already hold entries that are not appended yet. The log is synced up to the checkpoint's index
 * before the checkpoint exists, so that no checkpoint is ever ahead of the log on disk.
 *
 * <p>The log is kept back to the checkpoint before the newest, which can then take the newest's
 * place if that is damaged; when the disk is full, back to the newest only. A checkpoint that
 * cannot be written costs nothing but room: the log stays, and it is tried again later.
 */
final class Checkpointer {
  private static final Logger log = LoggerFactory.getLogger(Checkpointer.class);

  private final LogStore store;
  private final CheckpointStore checkpoints;
  private final StateMachine machine;
  private final Executor owner;
  private final StorageThreads threads;
  private final BooleanSupplier force;
  private final LongSupplier nanoClock;
  private final long thresholdBytes;
  private final long retryNanos;

  // Owner thread.
  private boolean busy;
  private boolean closed;
  private boolean failed;
  private long coveredBytes;
  private long coveredIndex;
  private long lastTryNanos;

  // For the statistics, any thread.
  private final AtomicLong written = new AtomicLong();
  private final AtomicLong failures = new AtomicLong();
  private volatile long newestIndex;
  private volatile long newestEpochMs;

  /**
   * @param force forces the log, and tells whether that went well
   * @param replayedBytes how much log follows the newest checkpoint
   */
  Checkpointer(
      LogStore store,
      CheckpointStore checkpoints,
      StateMachine machine,
      Executor owner,
      StorageThreads threads,
      BooleanSupplier force,
      LongSupplier nanoClock,
      LocalLogSettings settings,
      long replayedBytes) {
    this.store = store;
    this.checkpoints = checkpoints;
    this.machine = machine;
    this.owner = owner;
    this.threads = threads;
    this.force = force;
    this.nanoClock = nanoClock;
    this.thresholdBytes = settings.checkpointBytes();
    this.retryNanos = TimeUnit.MILLISECONDS.toNanos(settings.checkpointRetryMs());
    this.coveredBytes = -replayedBytes;
    this.coveredIndex = checkpoints.newestIndex();
    this.newestIndex = coveredIndex;
    this.lastTryNanos = nanoClock.getAsLong() - retryNanos;
  }

  /** Called after each append. */
  void appended() {
    if (!busy
        && store.appendedBytes() - coveredBytes >= thresholdBytes
        && (!failed || isRetryDue())) {
      ask();
    }
  }

  /** Called when the disk has no room: what a checkpoint covers can be given back. */
  void roomRefused() {
    if (!busy && isRetryDue()) {
      ask();
    }
  }

  private boolean isRetryDue() {
    return nanoClock.getAsLong() - lastTryNanos >= retryNanos;
  }

  private void ask() {
    busy = true;
    lastTryNanos = nanoClock.getAsLong();
    owner.execute(this::begin);
  }

  private void begin() {
    if (closed) {
      return;
    }
    long index = store.lastIndex();
    if (index == coveredIndex) {
      // Only a full disk asks for this: what is kept in reserve goes too.
      threads
          .files()
          .execute(
              () -> {
                drop(index);
                owner.execute(() -> busy = false);
              });
      return;
    }
    StatePicture state = machine.picture();
    long term = store.lastTerm();
    long bytes = store.appendedBytes();
    threads
        .checkpoints()
        .execute(
            () -> {
              boolean saved = force.getAsBoolean() && save(index, term, state);
              if (saved) {
                long previous = checkpoints.previousIndex();
                threads.files().execute(() -> drop(store.isDiskRefusing() ? index : previous));
              }
              owner.execute(() -> ended(saved, index, bytes));
            });
  }

  private void ended(boolean saved, long index, long bytes) {
    busy = false;
    failed = !saved;
    if (saved) {
      coveredIndex = index;
      coveredBytes = bytes;
    }
  }

  /**
   * Checkpoint thread, or at the close. A state that cannot be encoded is a bug, but no reason to
   * stop: the log holds everything.
   */
  private boolean save(long index, long term, StatePicture state) {
    try {
      checkpoints.save(index, term, state);
    } catch (RuntimeException | OutOfMemoryError e) {
      failures.incrementAndGet();
      log.warn("No checkpoint at index {}, the log is kept and it will be tried again", index, e);
      return false;
    }
    written.incrementAndGet();
    newestIndex = index;
    newestEpochMs = System.currentTimeMillis();
    return true;
  }

  /** Files thread. */
  private void drop(long throughIndex) {
    try {
      store.dropPrefix(throughIndex);
    } catch (LogException e) {
      log.warn("Old log files are kept until the next checkpoint: {}", e.getMessage());
    }
  }

  /** Writes a last checkpoint of a log that is on disk, with the other threads at rest. */
  void close() {
    closed = true;
    long index = store.lastIndex();
    if (index > checkpoints.newestIndex()) {
      save(index, store.lastTerm(), machine.picture());
    }
  }

  long written() {
    return written.get();
  }

  long failures() {
    return failures.get();
  }

  long newestIndex() {
    return newestIndex;
  }

  long newestEpochMs() {
    return newestEpochMs;
  }
}
