package io.mgtm.gtm.server;

import io.mgtm.group.ReplicatedLog;
import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.Reply;
import java.util.List;

/** What the first leader of a new group writes before anything else. Owner thread. */
final class FirstEntries {
  private FirstEntries() {}

  /**
   * Applies and appends it.
   *
   * @param restore a backup, or null
   * @param commands what a group begins with otherwise
   */
  static void append(
      BackupFile restore,
      List<Command> commands,
      EntryAppender entry,
      GtmStateMachine machine,
      ReplicatedLog log) {
    if (restore != null) {
      Restore.append(restore, entry.nowMicros(), machine, log);
      return;
    }
    entry.begin();
    for (Command command : commands) {
      if (entry.apply(command) instanceof Reply.Rejected rejected) {
        throw new IllegalStateException(rejected.message());
      }
    }
    entry.finish();
  }
}
