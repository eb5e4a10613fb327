package io.mgtm.gtm.command;

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
        TransactionCommand {

  /** The backend number of a connection that is no proxy's: InvalidGTMProxyConnID. */
  short NO_BACKEND = -1;

  CommandType type();
}
