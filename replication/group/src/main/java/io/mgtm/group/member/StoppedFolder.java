package io.mgtm.group.member;

import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import io.mgtm.group.StateMachine;
import io.mgtm.group.core.DurabilityState;
import io.mgtm.group.core.MembershipHistory;
import io.mgtm.group.core.TermRecord;
import io.mgtm.group.storage.CheckpointStore;
import io.mgtm.group.storage.FolderCopy;
import io.mgtm.group.storage.LogSettings;
import io.mgtm.group.storage.LogStore;
import java.nio.file.Path;

/**
 * Reads the folder of a member that is stopped, or of a stopped node without a group, as a start
 * does, and without changing it: for a group that has lost its majority for good.
 */
public final class StoppedFolder {
  private StoppedFolder() {}

  /**
   * What a folder holds.
   *
   * @param lastIndex the entry that the state is at
   * @param members how many the group has, the witness included
   * @param mayLackEntries whether some may be gone that the member had
   */
  public record Contents(long lastIndex, int members, boolean mayLackEntries) {}

  /**
   * Brings a machine to the end of a folder's log. Entries count that are not known to be
   * committed: they may have been acknowledged.
   *
   * @param copy a folder for the time of the call; what is there is removed
   * @param keptByClients whether clients kept what was lost with a leader, as in mode lazy
   * @param machine at its beginning; what entries mean in the group's mode
   * @throws LogException as {@link FolderCopy#of}, {@link LogStore#open} and the machine throw;
   *     with FORMAT when the folder is that of a witness, or nobody was started on it
   */
  public static Contents read(Path folder, Path copy, boolean keptByClients, StateMachine machine) {
    try (FolderCopy made = FolderCopy.of(folder, copy)) {
      if (WitnessDisk.isIn(made.files())) {
        throw new LogException(
            Category.FORMAT,
            "The folder %s is that of a witness, which keeps no data".formatted(folder));
      }
      CheckpointStore checkpoints = new CheckpointStore(made.files(), made.member());
      LogStore store =
          LogStore.open(
              new LogStore.Environment(
                  made.files(), made.member(), Runnable::run, System::nanoTime),
              LogSettings.defaults(),
              checkpoints.newestIndex());
      TermRecord record =
          TermStore.atStart(made.files(), BootId.current(), store.recovery(), store.lastTerm());
      Applier applier = new Applier(machine, keptByClients, Runnable::run, Runnable::run);
      MembershipHistory members = new MembershipHistory(0, record.initial());
      applier.start(new GroupDisk(store, checkpoints, 0, () -> {}, applier, null), members);
      return new Contents(
          applier.applied(),
          members.latest().all().size(),
          record.durabilityState() != DurabilityState.INTACT);
    }
  }
}
