package io.mgtm.gtm.command;

import java.nio.ByteBuffer;

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

    @Override
    public void write(ByteBuffer out) {
      FieldWriter.putBoolean(out, clean);
    }

    static Restart read(ByteBuffer in) {
      return new Restart(FieldReader.getBoolean(in));
    }
  }

  /** A client has said who it is. */
  record OpenSession(long session, String nodeName, NodeType nodeType, boolean postmaster)
      implements SessionCommand {
    @Override
    public CommandType type() {
      return CommandType.OPEN_SESSION;
    }

    @Override
    public void write(ByteBuffer out) {
      out.putLong(session);
      FieldWriter.putString(out, nodeName);
      out.put((byte) nodeType.code());
      FieldWriter.putBoolean(out, postmaster);
    }

    static OpenSession read(ByteBuffer in) {
      return new OpenSession(
          in.getLong(),
          FieldReader.getString(in),
          FieldReader.getNodeType(in),
          FieldReader.getBoolean(in));
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

    @Override
    public void write(ByteBuffer out) {
      out.putLong(session);
    }

    static CloseSession read(ByteBuffer in) {
      return new CloseSession(in.getLong());
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
      implements SessionCommand, OfSession {
    @Override
    public CommandType type() {
      return CommandType.DISCONNECT_BACKEND;
    }

    @Override
    public void write(ByteBuffer out) {
      out.putLong(session).putShort(backend);
      FieldWriter.putBoolean(out, postmaster);
      if (postmaster) {
        out.put((byte) nodeType.code());
        FieldWriter.putString(out, nodeName);
      }
    }

    static DisconnectBackend read(ByteBuffer in) {
      long session = in.getLong();
      short backend = in.getShort();
      boolean postmaster = FieldReader.getBoolean(in);
      return postmaster
          ? new DisconnectBackend(
              session, backend, true, FieldReader.getNodeType(in), FieldReader.getString(in))
          : new DisconnectBackend(session, backend, false, null, "");
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

    @Override
    public void write(ByteBuffer out) {
      out.putLong(session);
      FieldWriter.putString(out, gateway);
      out.put((byte) kind.code());
      FieldWriter.putBoolean(out, proxied);
    }

    static OpenGateway read(ByteBuffer in) {
      return new OpenGateway(
          in.getLong(),
          FieldReader.getString(in),
          FieldReader.known(GatewayKind.ofCode(in.get()), "gateway kind"),
          FieldReader.getBoolean(in));
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

    @Override
    public void write(ByteBuffer out) {
      out.putLong(session).putLong(number).putLong(acked);
      CommandCodec.encodeLogged(inner, out);
    }

    static Numbered read(ByteBuffer in) {
      long session = in.getLong();
      long number = in.getLong();
      long acked = in.getLong();
      if (in.hasRemaining() && in.get(in.position()) == CommandType.NUMBERED.code()) {
        throw new UnknownCommandException("a numbered command within another");
      }
      return new Numbered(session, number, acked, CommandCodec.decodeLogged(in));
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

    @Override
    public void write(ByteBuffer out) {
      FieldWriter.putString(out, member);
      FieldWriter.putString(out, address);
    }

    static AnnounceMember read(ByteBuffer in) {
      return new AnnounceMember(FieldReader.getString(in), FieldReader.getString(in));
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

    @Override
    public void write(ByteBuffer out) {
      out.putLong(term);
      FieldWriter.putString(out, member);
    }

    static ServeTerm read(ByteBuffer in) {
      return new ServeTerm(in.getLong(), FieldReader.getString(in));
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

    @Override
    public void write(ByteBuffer out) {
      out.putLong(gxids);
    }

    static SkipAhead read(ByteBuffer in) {
      long gxids = in.getLong();
      if (gxids < 0) {
        throw new UnknownCommandException("a count of " + gxids);
      }
      return new SkipAhead(gxids);
    }
  }
}
