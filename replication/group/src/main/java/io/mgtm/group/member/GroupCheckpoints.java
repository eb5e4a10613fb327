package io.mgtm.group.member;

import io.mgtm.common.Rarely;
import io.mgtm.group.LogException;
import io.mgtm.group.StateMachine;
import io.mgtm.group.StatePicture;
import io.mgtm.group.core.GroupCore;
import io.mgtm.group.core.Membership;
import io.mgtm.group.storage.CheckpointFile;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes checkpoints of a member. The owner thread takes a picture of the state at what is applied,
 * and hands it to the thread of checkpoints once that is committed and synced; a picture whose
 * entries are cut before is thrown away. A checkpoint that cannot be written costs nothing but
 * room, and is tried again.
 */
final class GroupCheckpoints {
  private static final Logger log = LoggerFactory.getLogger(GroupCheckpoints.class);

  /** How soon after one the next is written at the earliest. */
  private static final int RETRY_MS = 1_000;

  /** How often it is worth a look whether one is due, while as much is appended as one covers. */
  private static final int LOOKS = 8;

  private final GroupDisk disk;
  private final Applier applier;
  private final StateMachine machine;
  private final Executor owner;
  private final Executor writer;
  private final Executor files;
  private final LongSupplier wallMs;
  private final long thresholdBytes;

  private final AtomicLong written = new AtomicLong();
  private final AtomicLong failures = new AtomicLong();
  private volatile long newestEpochMs;
  private final Rarely complaints = Rarely.onceAMinute();

  private record Taken(long index, long term, Membership membership, StatePicture state) {}

  private Taken taken;
  private boolean writing;
  private long retryAtMs;
  private long lookAtBytes;

  GroupCheckpoints(
      GroupDisk disk,
      Applier applier,
      StateMachine machine,
      Executor owner,
      MemberThreads threads,
      LongSupplier wallMs,
      long thresholdBytes) {
    this.disk = disk;
    this.applier = applier;
    this.machine = machine;
    this.owner = owner;
    this.writer = threads.checkpoints();
    this.files = threads.files();
    this.wallMs = wallMs;
    this.thresholdBytes = thresholdBytes;
    lookAgainLater();
  }

  /** Whether enough was appended since the last {@link #tick} that another one is worth while. */
  boolean isWorthALook() {
    return disk.appendedBytes() >= lookAtBytes;
  }

  private void lookAgainLater() {
    lookAtBytes = disk.appendedBytes() + thresholdBytes / LOOKS + 1;
  }

  /** Whether a picture was taken that waits to be committed and synced. */
  boolean isWaiting() {
    return taken != null;
  }

  /** Between two tasks of the owner, when what is applied is also appended. */
  void tick(GroupCore core, long nowMs, boolean roomRefused) {
    lookAgainLater();
    long newest = disk.checkpointIndex();
    boolean idle = taken == null && !writing && nowMs >= retryAtMs && applier.hasState();
    if (idle && (roomRefused || disk.bytesBehind(newest) >= thresholdBytes)) {
      if (applier.applied() > newest) {
        take(core, nowMs);
      } else {
        retryAtMs = nowMs + RETRY_MS;
        drop(core, disk.release()); // no checkpoint can be newer; what is in reserve goes too
      }
    }
    store(core);
  }

  /** Writes a last one, of a log that is on disk, with the other threads at rest. */
  void last(GroupCore core) {
    long index = applier.applied();
    if (applier.hasState() && index == disk.lastIndex() && index > disk.checkpointIndex()) {
      Membership members = core.membershipAt(index);
      CheckpointFile saved =
          write(new Taken(index, disk.termAt(index), members, machine.picture()));
      if (saved != null) {
        disk.saved(saved, members);
      }
    }
  }

  private void take(GroupCore core, long nowMs) {
    retryAtMs = nowMs + RETRY_MS;
    long index = applier.applied();
    if (index < disk.baseIndex()) {
      return;
    }
    taken = new Taken(index, disk.termAt(index), core.membershipAt(index), machine.picture());
    disk.requestForce();
  }

  private void store(GroupCore core) {
    if (taken != null && !isStillInLog(taken)) {
      taken = null;
    }
    Taken checkpoint = taken;
    if (checkpoint == null
        || checkpoint.index() > core.stableIndex()
        || checkpoint.index() > disk.durableIndex()) {
      return;
    }
    taken = null;
    writing = true;
    writer.execute(
        () -> {
          CheckpointFile saved = write(checkpoint);
          owner.execute(() -> written(core, checkpoint, saved));
        });
  }

  /** How many were written. Any thread. */
  long written() {
    return written.get();
  }

  /** How many could not be. Any thread. */
  long failures() {
    return failures.get();
  }

  /** When the newest was written, in ms since the epoch; 0 for none since the start. Any thread. */
  long newestEpochMs() {
    return newestEpochMs;
  }

  /** An entry of the same index and term has the same entries before it. */
  private boolean isStillInLog(Taken checkpoint) {
    return checkpoint.index() >= disk.baseIndex()
        && checkpoint.index() <= disk.lastIndex()
        && disk.termAt(checkpoint.index()) == checkpoint.term();
  }

  /**
   * Thread of checkpoints, or at the close; null when it could not be written. A state that cannot
   * be encoded is a bug, but no reason to stop: the log holds everything.
   */
  private CheckpointFile write(Taken of) {
    try {
      CheckpointFile saved = disk.save(of.index(), of.term(), of.membership(), of.state());
      written.incrementAndGet();
      newestEpochMs = wallMs.getAsLong();
      return saved;
    } catch (LogException e) {
      complain(of, e.getMessage(), null);
    } catch (RuntimeException | OutOfMemoryError e) {
      complain(of, e.toString(), e);
    }
    return null;
  }

  /** Where the disk refuses, where the program failed is of no use. */
  private void complain(Taken of, String why, Throwable bug) {
    failures.incrementAndGet();
    complaints.run(
        more ->
            log.warn(
                "No checkpoint at index {}, the log is kept and it will be tried again: {}{}",
                of.index(),
                why,
                more,
                bug));
  }

  private void written(GroupCore core, Taken of, CheckpointFile saved) {
    writing = false;
    if (saved != null) {
      drop(core, disk.saved(saved, of.membership()));
    }
  }

  private void drop(GroupCore core, long through) {
    core.compacted(through);
    files.execute(
        () -> {
          try {
            disk.drop(through);
          } catch (LogException e) {
            log.warn("Old log files are kept until the next checkpoint: {}", e.getMessage());
          }
        });
  }
}
