package io.mgtm.group.member;

import io.mgtm.group.LogException;
import io.mgtm.group.StateMachine;
import io.mgtm.group.core.CoreLog.Checkpoint;
import io.mgtm.group.core.GroupCore;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes checkpoints of a member. The owner thread takes the state at what is applied, and hands it
 * to the files thread once that is committed and forced; a state whose entries are cut before is
 * thrown away. A checkpoint that cannot be written costs nothing but room, and is tried again.
 */
final class GroupCheckpoints {
  private static final Logger log = LoggerFactory.getLogger(GroupCheckpoints.class);

  private final GroupDisk disk;
  private final Applier applier;
  private final StateMachine machine;
  private final Executor owner;
  private final Executor files;
  private final long thresholdBytes;

  private final AtomicLong written = new AtomicLong();
  private final AtomicLong failures = new AtomicLong();

  private Checkpoint taken;
  private boolean writing;
  private long retryAtMs;

  GroupCheckpoints(
      GroupDisk disk,
      Applier applier,
      StateMachine machine,
      Executor owner,
      Executor files,
      long thresholdBytes) {
    this.disk = disk;
    this.applier = applier;
    this.machine = machine;
    this.owner = owner;
    this.files = files;
    this.thresholdBytes = thresholdBytes;
  }

  /** Between two tasks of the owner, when what is applied is also appended. */
  void tick(GroupCore core, long nowMs, boolean roomRefused) {
    long newest = disk.checkpointIndex();
    boolean due = disk.bytesBehind(newest) >= thresholdBytes || roomRefused;
    if (taken == null && !writing && due && nowMs >= retryAtMs && applier.applied() > newest) {
      take(core, nowMs);
    }
    store(core);
  }

  private void take(GroupCore core, long nowMs) {
    retryAtMs = nowMs + 1_000;
    long index = applier.applied();
    if (index < disk.baseIndex()) {
      return;
    }
    taken =
        new Checkpoint(
            index,
            disk.termAt(index),
            core.membershipAt(index),
            ByteBuffer.wrap(machine.checkpoint()));
    disk.requestForce();
  }

  private void store(GroupCore core) {
    if (taken != null && !isStillInLog(taken)) {
      taken = null;
    }
    Checkpoint checkpoint = taken;
    if (checkpoint == null
        || checkpoint.index() > core.stableIndex()
        || checkpoint.index() > disk.durableIndex()) {
      return;
    }
    taken = null;
    writing = true;
    files.execute(
        () -> {
          boolean saved = write(checkpoint);
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

  /** An entry of the same index and term has the same entries before it. */
  private boolean isStillInLog(Checkpoint checkpoint) {
    return checkpoint.index() >= disk.baseIndex()
        && checkpoint.index() <= disk.lastIndex()
        && disk.termAt(checkpoint.index()) == checkpoint.term();
  }

  /** Files thread. */
  private boolean write(Checkpoint checkpoint) {
    try {
      disk.save(checkpoint);
      written.incrementAndGet();
      return true;
    } catch (LogException e) {
      failures.incrementAndGet();
      log.warn(
          "No checkpoint at index {}, the log is kept and it will be tried again: {}",
          checkpoint.index(),
          e.getMessage());
      return false;
    }
  }

  private void written(GroupCore core, Checkpoint checkpoint, boolean saved) {
    writing = false;
    if (!saved) {
      return;
    }
    long through = disk.saved(checkpoint);
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
