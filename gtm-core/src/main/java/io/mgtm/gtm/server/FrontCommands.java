package io.mgtm.gtm.server;

import io.mgtm.gtm.command.BackupCommand;
import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.NodeCommand;
import io.mgtm.gtm.command.SessionCommand;
import io.mgtm.gtm.command.TransactionCommand;
import io.mgtm.gtm.wire.WireException;
import io.mgtm.gtm.wire.link.LinkCommand;
import java.util.List;

/** What a front may send: nothing that is the node's own, and nothing in another's name. */
final class FrontCommands {
  private FrontCommands() {}

  /**
   * Checks commands of a session.
   *
   * @throws WireException when one is not a front's to send
   */
  static void check(long session, List<LinkCommand> commands) throws WireException {
    for (int i = 0; i < commands.size(); i++) {
      check(session, commands.get(i).command());
    }
  }

  private static void check(long session, Command command) throws WireException {
    switch (command.type()) {
      case RESTART,
          OPEN_SESSION,
          CLOSE_SESSION,
          NUMBERED,
          OPEN_FRONT,
          ANNOUNCE_MEMBER,
          START_GXIDS,
          RESTORE_SEQUENCE ->
          throw new WireException("COMMANDS: " + command.type() + " is not a front's to send");
      default -> {
        if (sessionOf(command, session) != session) {
          throw new WireException("COMMANDS: " + command.type() + " names another session");
        }
      }
    }
  }

  /** The session that a command names, {@code otherwise} when it names none. */
  private static long sessionOf(Command command, long otherwise) {
    if (command instanceof TransactionCommand.Begin c) {
      return c.session();
    } else if (command instanceof TransactionCommand.BeginMany c) {
      return c.session();
    } else if (command instanceof TransactionCommand.BeginForPrepared c) {
      return c.session();
    } else if (command instanceof SessionCommand.DisconnectBackend c) {
      return c.session();
    } else if (command instanceof NodeCommand.Register c) {
      return c.session();
    } else if (command instanceof BackupCommand.BeginBackup c) {
      return c.session();
    } else if (command instanceof BackupCommand.EndBackup c) {
      return c.session();
    }
    return otherwise;
  }
}
