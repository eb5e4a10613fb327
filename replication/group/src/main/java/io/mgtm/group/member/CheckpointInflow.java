package io.mgtm.group.member;

import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import io.mgtm.group.Pieces;
import io.mgtm.group.StateMachine;
import io.mgtm.group.core.CoreLog.Checkpoint;
import io.mgtm.group.storage.CheckpointFile;
import io.mgtm.group.storage.CheckpointStore;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A checkpoint that comes in from the leader. The thread of checkpoints writes each piece to a file
 * that does not count yet; when all is there it compares the checksum, forces the file and decodes
 * the state, so that the owner has only to put both in place. Owner thread, where nothing else is
 * said.
 */
final class CheckpointInflow {
  private static final Logger log = LoggerFactory.getLogger(CheckpointInflow.class);

  /** The core; see {@link io.mgtm.group.core.GroupCore#received}. */
  interface Told {
    void received(Checkpoint checkpoint, long offset, boolean ready);
  }

  /** A checkpoint that can be installed: its file, and what puts its state in place. */
  record Ready(CheckpointStore.Writer file, Runnable state) {}

  private final CheckpointStore checkpoints;
  private final StateMachine machine;
  private final Executor worker;
  private final Executor owner;
  private final Told told;
  private Incoming incoming;

  CheckpointInflow(
      CheckpointStore checkpoints,
      StateMachine machine,
      Executor worker,
      Executor owner,
      Told told) {
    this.checkpoints = checkpoints;
    this.machine = machine;
    this.worker = worker;
    this.owner = owner;
    this.told = told;
  }

  /** As {@link io.mgtm.group.core.CoreLog#receive}. */
  void receive(Checkpoint checkpoint, long offset, ByteBuffer piece) {
    if (offset == 0 || incoming == null || !incoming.checkpoint.equals(checkpoint)) {
      Incoming former = incoming;
      if (former != null) {
        worker.execute(former::abandon);
      }
      incoming = new Incoming(checkpoint);
    }
    Incoming to = incoming;
    worker.execute(() -> to.add(offset, piece));
  }

  /** What was told to be ready. */
  Ready take(Checkpoint checkpoint) {
    Incoming taken = incoming;
    incoming = null;
    if (taken == null || !taken.checkpoint.equals(checkpoint) || taken.ready == null) {
      throw new IllegalStateException("no checkpoint " + checkpoint + " is ready");
    }
    return taken.ready;
  }

  private void tell(Incoming of, long offset, Ready ready) {
    owner.execute(
        () -> {
          if (incoming == of) {
            of.ready = ready;
            told.received(of.checkpoint, offset, ready != null);
          }
        });
  }

  /** One of them; worker thread, but for what is ready. */
  private final class Incoming {
    private final Checkpoint checkpoint;
    private CheckpointStore.Writer file;
    private long stored;
    private Ready ready;

    Incoming(Checkpoint checkpoint) {
      this.checkpoint = checkpoint;
    }

    void add(long offset, ByteBuffer piece) {
      try {
        if (offset != stored) {
          throw new IllegalStateException("a piece at %d after %d".formatted(offset, stored));
        }
        if (file == null) {
          file = checkpoints.begin(checkpoint.index(), checkpoint.term());
        }
        int bytes = piece.remaining();
        file.add(piece);
        stored += bytes;
        tell(this, stored, null);
        if (stored >= checkpoint.bytes()) {
          finish();
        }
      } catch (LogException e) {
        refused(e);
      } catch (RuntimeException e) {
        owner.execute(
            () -> {
              throw e;
            });
      }
    }

    private void finish() {
      CheckpointFile written = file.finish();
      if (written.bytes() != checkpoint.bytes() || written.crc() != checkpoint.crc()) {
        throw new LogException(
            Category.IO,
            "the checksum of what came does not fit, although those of its pieces did");
      }
      Runnable state = loaded(GroupDisk.stateIn(file.content()));
      if (state != null) {
        tell(this, stored, new Ready(file, state));
      }
    }

    /** One that cannot be understood gets no better when it comes again: the member stops. */
    private Runnable loaded(Pieces content) {
      try {
        return machine.load(content);
      } catch (LogException e) {
        owner.execute(
            () -> {
              throw e;
            });
        return null;
      }
    }

    private void refused(LogException e) {
      log.warn(
          "The checkpoint at entry {} that the leader sends could not be stored, and is asked for"
              + " again: {}",
          checkpoint.index(),
          e.getMessage());
      abandon();
      stored = 0;
      tell(this, 0, null);
    }

    private void abandon() {
      if (file != null) {
        file.abandon();
        file = null;
      }
    }
  }
}
