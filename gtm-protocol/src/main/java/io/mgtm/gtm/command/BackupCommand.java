package io.mgtm.gtm.command;

import java.nio.ByteBuffer;

/** Commands around backups and points in time. */
public sealed interface BackupCommand extends Command {

  /** CREATE BARRIER: marks a point that the whole cluster can be restored to. */
  record Barrier(String id) implements BackupCommand {
    @Override
    public CommandType type() {
      return CommandType.BARRIER;
    }

    @Override
    public void write(ByteBuffer out) {
      FieldWriter.putString(out, id);
    }

    static Barrier read(ByteBuffer in) {
      return new Barrier(FieldReader.getString(in));
    }
  }

  /** From here on the session's lists all show one moment. */
  record BeginBackup(long session) implements BackupCommand, OfSession {
    @Override
    public CommandType type() {
      return CommandType.BEGIN_BACKUP;
    }

    @Override
    public void write(ByteBuffer out) {
      out.putLong(session);
    }

    static BeginBackup read(ByteBuffer in) {
      return new BeginBackup(in.getLong());
    }
  }

  /** The session's lists show the present again. */
  record EndBackup(long session) implements BackupCommand, OfSession {
    @Override
    public CommandType type() {
      return CommandType.END_BACKUP;
    }

    @Override
    public void write(ByteBuffer out) {
      out.putLong(session);
    }

    static EndBackup read(ByteBuffer in) {
      return new EndBackup(in.getLong());
    }
  }

  /** Asks for the barriers that are remembered. */
  record ListBarriers() implements BackupCommand {
    @Override
    public CommandType type() {
      return CommandType.LIST_BARRIERS;
    }

    @Override
    public void write(ByteBuffer out) {}
  }
}
