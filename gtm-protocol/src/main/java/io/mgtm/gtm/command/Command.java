package io.mgtm.gtm.command;

import java.nio.ByteBuffer;

/**
 * One request to the GTM's state, apart from the wire it came by. Sessions are numbered by the
 * server that accepted them; {@code backend} is the proxy's connection number, or {@link
 * #NO_BACKEND}.
 */
public sealed interface Command
    permits BackupCommand,
        NodeCommand,
        SequenceCommand,
        SessionCommand,
        SnapshotCommand,
        TransactionCommand,
        Command.OfTransaction {

  /** The backend number of a connection that is no proxy's: InvalidGTMProxyConnID. */
  short NO_BACKEND = -1;

  CommandType type();

  /** A command that names the session that it is for. */
  interface OfSession {
    long session();
  }

  /** A command that says no more than which transaction it is about. */
  sealed interface OfTransaction extends Command
      permits SnapshotCommand.AssignGxidAndGetSnapshot,
          SnapshotCommand.GetSnapshot,
          TransactionCommand.AssignGxid,
          TransactionCommand.GetStatus,
          TransactionCommand.Prepare {
    TransactionRef transaction();

    @Override
    default void write(ByteBuffer out) {
      transaction().write(out);
    }
  }

  /**
   * Appends the fields, as {@link CommandCodec} describes; a command without any writes nothing.
   */
  void write(ByteBuffer out);
}
