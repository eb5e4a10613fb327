package io.mgtm.gtm.node.engine;

import io.mgtm.group.Durability;
import io.mgtm.group.LogException;
import io.mgtm.group.ReplicatedLog;
import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.Reply;
import io.mgtm.gtm.node.backup.BackupFile;
import io.mgtm.gtm.node.backup.Restore;
import java.nio.ByteBuffer;

/**
 * What the first leader of a new group writes before anything else: a backup, some pieces a batch,
 * so that the owner goes on with what keeps the group together; or the first commands. The next
 * pieces wait for the last ones to be stored by the others as well: with a hundred MB on their way
 * to busy members nothing else would reach them in time, and they would elect another, again and
 * again. Owner thread.
 */
public final class FirstEntries {
  /** Some milliseconds' work. */
  private static final int PARTS_A_TURN = 8;

  private final EngineSetup setup;
  private final EntryAppender entry;
  private final GtmStateMachine machine;
  private final ReplicatedLog log;
  private int nextPart;

  FirstEntries(EngineSetup setup, EntryAppender entry, GtmStateMachine machine, ReplicatedLog log) {
    this.setup = setup;
    this.entry = entry;
    this.machine = machine;
    this.log = log;
  }

  /** This member leads anew: what another one had begun begins again. */
  void restart() {
    nextPart = 0;
  }

  /** Whether some of it was appended, some is left, and the next may follow. */
  boolean wantsBatch() {
    return nextPart > 0 && !machine.state().started() && mayGoOn();
  }

  private boolean mayGoOn() {
    return nextPart == 0 || log.stableIndex() >= log.lastIndex();
  }

  /** Applies and appends some of it, if more may be; the answer is whether nothing is left. */
  boolean append() {
    if (machine.state().started()) {
      return true;
    }
    BackupFile restore = setup.restore();
    if (!mayGoOn()) {
      return false;
    }
    if (restore != null) {
      int parts = Restore.parts(restore);
      int to = Math.min(parts, nextPart + PARTS_A_TURN);
      appendBackup(restore, nextPart, to, entry.nowMicros(), machine, log);
      nextPart = to;
      return to == parts;
    }
    entry.begin();
    for (Command command : setup.firstCommands()) {
      if (entry.apply(command) instanceof Reply.Rejected rejected) {
        throw new IllegalStateException(rejected.message());
      }
    }
    entry.finish();
    return true;
  }

  /**
   * Applies and appends parts of a backup, which follow those that were appended before.
   *
   * @throws LogException with NO_SPACE when the log has no room for all of them; the backup begins
   *     again then
   */
  public static void appendBackup(
      BackupFile backup,
      int from,
      int to,
      long micros,
      GtmStateMachine machine,
      ReplicatedLog log) {
    int parts = Restore.parts(backup);
    for (int part = from; part < to; part++) {
      if (!log.hasRoom(EntryWriter.ENTRY_BYTES_MAX)) {
        throw new LogException(LogException.Category.NO_SPACE, log.noRoomReason());
      }
      ByteBuffer entry = Restore.entry(backup, micros, part);
      machine.apply(log.lastIndex() + 1, entry.duplicate());
      log.append(entry, part == parts - 1 ? Durability.REQUIRED : Durability.BUFFERED);
    }
  }
}
