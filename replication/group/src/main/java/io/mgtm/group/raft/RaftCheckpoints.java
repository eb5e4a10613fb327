package io.mgtm.group.raft;

import io.mgtm.group.LogException;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes checkpoints of a member when its log has grown. The owner thread takes the state; when all
 * that it holds is committed, the files thread writes it. A leader that is deposed before throws it
 * away. A checkpoint that cannot be written costs nothing but room, and is tried again.
 */
final class RaftCheckpoints {
  private static final Logger log = LoggerFactory.getLogger(RaftCheckpoints.class);
  private static final long RETRY_MS = 1_000;

  private final RaftDisk disk;
  private final RaftReplica replica;
  private final Executor files;
  private final long thresholdBytes;

  private ByteBuffer taken;
  private long takenAfter;
  private long retryAtMs;
  private volatile boolean writing;

  RaftCheckpoints(RaftDisk disk, RaftReplica replica, Executor files, long thresholdBytes) {
    this.disk = disk;
    this.replica = replica;
    this.files = files;
    this.thresholdBytes = thresholdBytes;
  }

  /** Between two tasks of the owner, when what is applied is also appended. */
  void tick(long nowMs) {
    long newest = disk.checkpointIndex();
    boolean due = disk.bytesBehind(newest) >= thresholdBytes || disk.isDiskRefusing();
    if (taken == null && !writing && due && nowMs >= retryAtMs && replica.index() > newest) {
      retryAtMs = nowMs + RETRY_MS;
      taken = replica.takeState();
      takenAfter = replica.applied();
    }
    committed();
  }

  /** Commands were committed. */
  void committed() {
    if (taken == null || replica.commands() != takenAfter) {
      return;
    }
    RaftCheckpoint checkpoint = replica.complete(taken);
    taken = null;
    writing = true;
    files.execute(
        () -> {
          try {
            disk.saveCheckpoint(checkpoint);
          } catch (LogException e) {
            log.warn(
                "No checkpoint at entry {}, the log is kept and it will be tried again: {}",
                checkpoint.index(),
                e.getMessage());
          } finally {
            writing = false;
          }
        });
  }

  /** The state machine has been given another state. */
  void restored() {
    taken = null;
  }
}
