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

  /**
   * A gateway opens a session of numbered commands, see docs/link.md.
   *
   * @param gateway the gateway's name; ASCII
   * @param proxied whether the session is that of one proxy behind the gateway, whose backend
   *     numbers are passed through; false for the one that all other clients of the gateway share
   */
  record OpenGateway(long session, String gateway, GatewayKind kind, boolean proxied)
      implements SessionCommand {
    @Override
    public CommandType type() {
      return CommandType.OPEN_FRONT;
    }
  }

  /**
   * A gateway's command, which changes the state once however often it comes.
   *
   * @param number its place in the session, from 1
   * @param acked the gateway has the replies up to this number, and no longer asks for them
   * @param inner what is to be done; none of the commands of this interface but {@link
   *     DisconnectBackend}
   */
  record Numbered(long session, long number, long acked, Command inner) implements SessionCommand {
    @Override
    public CommandType type() {
      return CommandType.NUMBERED;
    }
  }

  /**
   * A member of the group tells where gateways reach it.
   *
   * @param member its name; ASCII
   * @param address {@code host:port}, ASCII; empty to forget the member
   */
  record AnnounceMember(String member, String address) implements SessionCommand {
    @Override
    public CommandType type() {
      return CommandType.ANNOUNCE_MEMBER;
    }
  }

  /**
   * In mode lazy a leader begins to serve; entries of its term are counted from here on.
   *
   * @param member the leader's name; ASCII
   */
  record ServeTerm(long term, String member) implements SessionCommand {
    @Override
    public CommandType type() {
      return CommandType.SERVE_TERM;
    }
  }

  /**
   * More may have been handed out than the log knows: gxids and sequences go on behind their
   * reserved marks.
   *
   * @param gxids how many gxids are passed over beyond the mark
   */
  record SkipAhead(long gxids) implements SessionCommand {
    @Override
    public CommandType type() {
      return CommandType.SKIP_AHEAD;
    }
  }
}
