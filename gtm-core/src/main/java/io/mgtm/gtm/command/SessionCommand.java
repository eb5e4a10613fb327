package io.mgtm.gtm.command;

/** Commands about who is connected. */
public sealed interface SessionCommand extends Command {

  /**
   * The server starts on what its log holds: nobody is connected any more. Every transaction that
   * is not prepared is aborted, every node is disconnected, and, unless the last shutdown was
   * clean, gxids and sequences skip to their reserved marks.
   */
  record Restart(boolean clean) implements SessionCommand {
    @Override
    public CommandType type() {
      return CommandType.RESTART;
    }
  }

  /** A client has said who it is. */
  record OpenSession(long session, String nodeName, NodeType nodeType, boolean postmaster)
      implements SessionCommand {
    @Override
    public CommandType type() {
      return CommandType.OPEN_SESSION;
    }
  }

  /**
   * A client has gone: its transactions that are not being prepared end, and the node that
   * registered over it is disconnected.
   */
  record CloseSession(long session) implements SessionCommand {
    @Override
    public CommandType type() {
      return CommandType.CLOSE_SESSION;
    }
  }

  /**
   * A backend behind a proxy has gone.
   *
   * @param backend its connection number; NO_BACKEND means all of the session's
   * @param postmaster whether it was the connection that a node registered over; then {@code
   *     nodeType} and {@code nodeName} say which
   */
  record DisconnectBackend(
      long session, short backend, boolean postmaster, NodeType nodeType, String nodeName)
      implements SessionCommand {
    @Override
    public CommandType type() {
      return CommandType.DISCONNECT_BACKEND;
    }
  }
}
