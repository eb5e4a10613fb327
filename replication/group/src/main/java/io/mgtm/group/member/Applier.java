package io.mgtm.group.member;

import io.mgtm.group.Pieces;
import io.mgtm.group.StateMachine;
import io.mgtm.group.core.CoreLog.Checkpoint;
import io.mgtm.group.core.Entry;
import io.mgtm.group.core.EntryKind;
import io.mgtm.group.core.MembershipHistory;
import io.mgtm.group.core.TermStart;
import io.mgtm.group.storage.CheckpointFile;
import io.mgtm.group.storage.LogCursor;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import java.util.function.LongConsumer;

/**
 * Keeps the state machine at a prefix of the log, and knows which. A leader's goes to the end of
 * its log; a follower's to what is committed, after a start to all that was found. When entries
 * that it holds are cut, the thread of checkpoints decodes the newest one, and the owner applies
 * what follows. It applies no more than some entries a turn. Owner thread.
 */
final class Applier implements GroupDisk.StateKeeper {
  /** In entries; what is left comes in turns of its own, between which the owner is free. */
  static final int TURN = 512;

  private final StateMachine machine;
  private final boolean keptByClients;
  private final Executor owner;
  private final Executor worker;

  /** The state before the first entry, the same on every member. */
  private final byte[] initial;

  private GroupDisk disk;
  private LongConsumer reached = index -> {};
  private long applied;

  /** All up to here is to be applied; a leader has applied more. */
  private long committed;

  /** The state that is being decoded, null for none: until it is there nothing is applied. */
  private Object loading;

  private boolean turnAsked;

  /** Waits until all that is committed is applied. */
  private Runnable awaiting;

  /**
   * An applier for a state at its beginning.
   *
   * @param keptByClients whether clients keep what may be lost with a leader
   * @param owner runs tasks on the owner thread, later
   * @param worker decodes states
   */
  Applier(StateMachine machine, boolean keptByClients, Executor owner, Executor worker) {
    this.machine = machine;
    this.keptByClients = keptByClients;
    this.owner = owner;
    this.worker = worker;
    this.initial = machine.picture().bytes();
  }

  long applied() {
    return applied;
  }

  /** Whether the state is that of what is applied; not while another one is being decoded. */
  boolean hasState() {
    return loading == null;
  }

  /** Who is told how far it has come. */
  void tell(LongConsumer applying) {
    reached = applying;
  }

  /** Runs a task once all that is committed is applied, in place of one that waits for that. */
  void whenApplied(Runnable task) {
    awaiting = task;
    runAwaiting();
  }

  private void runAwaiting() {
    if (awaiting != null && loading == null && applied >= committed) {
      Runnable task = awaiting;
      awaiting = null;
      task.run();
    }
  }

  /** Restores the newest checkpoint, and applies all that the log holds after it. */
  void start(GroupDisk of, MembershipHistory members) {
    disk = of;
    Checkpoint newest = disk.newestCheckpoint();
    if (newest != null) {
      machine.load(GroupDisk.stateIn(disk.newestFile().content())).run();
      applied = newest.index();
      members.reset(newest.index(), newest.membership());
    }
    try (LogCursor cursor = disk.cursor(Math.max(1, disk.firstStored()))) {
      while (cursor.next()) {
        disk.found(cursor.index(), cursor.term());
        if (cursor.index() > applied) {
          Entry entry = GroupDisk.entry(cursor.term(), cursor.payload());
          if (entry.membership() != null) {
            members.appended(cursor.index(), entry.membership());
          }
          apply(cursor.index(), entry);
        }
      }
    }
  }

  private void apply(long index, Entry entry) {
    if (index != applied + 1) {
      throw new IllegalStateException("entry %d is applied after %d".formatted(index, applied));
    }
    if (entry.kind() == EntryKind.COMMAND) {
      machine.apply(index, entry.payload().duplicate());
    } else if (entry.kind() == EntryKind.TERM_START
        && TermStart.decode(entry.payload().duplicate()).entriesMayBeMissing()) {
      machine.entriesMayBeMissing(index, keptByClients);
    }
    applied = index;
  }

  /** Applies what is committed: some of it now, the rest in further turns. */
  void applyUpTo(long index) {
    committed = Math.max(committed, index);
    advance();
  }

  private void advance() {
    if (loading != null) {
      return;
    }
    disk.visit(applied + 1, Math.min(committed, applied + TURN), this::apply);
    if (applied < committed && !turnAsked) {
      turnAsked = true;
      owner.execute(
          () -> {
            turnAsked = false;
            advance();
          });
    }
    reached.accept(Math.min(applied, committed));
    runAwaiting();
  }

  /** The leader has applied, and then appended, a command. */
  void appliedByLeader(long index) {
    if (loading != null || applied < committed) {
      throw new IllegalStateException("entry %d was applied before others".formatted(index));
    }
    disk.visit(applied + 1, index - 1, this::apply);
    applied = index;
  }

  @Override
  public void truncated(long fromIndex) {
    committed = Math.min(committed, fromIndex - 1);
    if (loading == null && applied >= fromIndex) {
      load();
    }
  }

  /** The checkpoint holds nothing that could be cut, so what is cut meanwhile does not matter. */
  private void load() {
    Object loads = new Object();
    loading = loads;
    long index = disk.checkpointIndex();
    applied = index;
    CheckpointFile newest = disk.newestFile();
    worker.execute(
        () -> {
          try {
            Runnable state =
                machine.load(
                    newest == null
                        ? Pieces.of(ByteBuffer.wrap(initial))
                        : GroupDisk.stateIn(newest.content()));
            owner.execute(() -> loaded(loads, index, state));
          } catch (RuntimeException e) {
            owner.execute(() -> notLoaded(loads, e));
          }
        });
  }

  private void loaded(Object loads, long index, Runnable state) {
    if (loading != loads) {
      return; // one that came in from the leader is in place
    }
    if (index < disk.baseIndex()) {
      load(); // what follows was given back for a newer one
      return;
    }
    loading = null;
    state.run();
    advance();
  }

  private void notLoaded(Object loads, RuntimeException why) {
    if (loading == loads) {
      throw why;
    }
  }

  @Override
  public void installed(Checkpoint checkpoint, Runnable state) {
    loading = null;
    state.run();
    applied = checkpoint.index();
    committed = applied;
  }
}
