package io.mgtm.group.member;

import io.mgtm.group.Pieces;
import io.mgtm.group.StateMachine;
import io.mgtm.group.core.CoreLog.Checkpoint;
import io.mgtm.group.core.Entry;
import io.mgtm.group.core.EntryKind;
import io.mgtm.group.core.MembershipHistory;
import io.mgtm.group.core.TermStart;
import io.mgtm.group.storage.LogCursor;
import java.nio.ByteBuffer;

/**
 * Keeps the state machine at a prefix of the log, and knows which. A leader's goes to the end of
 * its log; a follower's to what is committed, after a start to all that was found. When entries
 * that it holds are cut, it is built anew. Owner thread.
 */
final class Applier implements GroupDisk.StateKeeper {
  private final StateMachine machine;

  /** The state before the first entry, the same on every member. */
  private final byte[] initial;

  private GroupDisk disk;
  private long applied;

  Applier(StateMachine machine) {
    this.machine = machine;
    this.initial = machine.picture().bytes();
  }

  long applied() {
    return applied;
  }

  /** Restores the newest checkpoint, and applies all that the log holds after it. */
  void start(GroupDisk of, MembershipHistory members) {
    disk = of;
    Checkpoint newest = disk.newestCheckpoint();
    if (newest != null) {
      machine.load(disk.newestState()).run();
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
      machine.entriesMayBeMissing(index);
    }
    applied = index;
  }

  void applyUpTo(long index) {
    disk.visit(applied + 1, index, this::apply);
  }

  /** The leader has applied, and then appended, a command. */
  void appliedByLeader(long index) {
    applyUpTo(index - 1);
    applied = index;
  }

  @Override
  public void truncated(long fromIndex) {
    if (applied < fromIndex) {
      return;
    }
    Checkpoint newest = disk.newestCheckpoint();
    machine.load(newest == null ? Pieces.of(ByteBuffer.wrap(initial)) : disk.newestState()).run();
    applied = newest == null ? 0 : newest.index();
    applyUpTo(fromIndex - 1);
  }

  @Override
  public void installed(Checkpoint checkpoint, Runnable state) {
    state.run();
    applied = checkpoint.index();
  }
}
