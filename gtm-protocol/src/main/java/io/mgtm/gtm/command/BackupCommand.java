package io.mgtm.gtm.command;

/** Commands around backups and points in time. */
public sealed interface BackupCommand extends Command {

  /** CREATE BARRIER: marks a point that the whole cluster can be restored to. */
  record Barrier(String id) implements BackupCommand {
    @Override
    public CommandType type() {
      return CommandType.BARRIER;
    }
  }

  /** From here on the session's lists all show one moment. */
  record BeginBackup(long session) implements BackupCommand {
    @Override
    public CommandType type() {
      return CommandType.BEGIN_BACKUP;
    }
  }

  /** The session's lists show the present again. */
  record EndBackup(long session) implements BackupCommand {
    @Override
    public CommandType type() {
      return CommandType.END_BACKUP;
    }
  }

  /** Asks for the barriers that are remembered. */
  record ListBarriers() implements BackupCommand {
    @Override
    public CommandType type() {
      return CommandType.LIST_BARRIERS;
    }
  }
}
