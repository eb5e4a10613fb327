package io.mgtm.gtm.wire.xc12;

import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.Outcome;
import io.mgtm.gtm.command.TransactionCommand;
import io.netty.buffer.ByteBuf;

/**
 * Writes the frames that {@link RequestDecoder} reads, as clients of the original send them
 * (client/gtm_client.c) and as its server reads them (main/*.c). A begin, for example:
 *
 * <pre>
 *  0    1          5          9            13
 * +----+----------+----------+------------+-----------+
 * | C  | 13       | 13       | isolation  | read-only |
 * +----+----------+----------+------------+-----------+
 * </pre>
 *
 * <p>What a command holds for the server alone (its session, the backend of one that is not
 * grouped) is not written. One object serves one thread; lengths are the caller's, {@link
 * FrameLimits} says what a server takes.
 */
public final class RequestEncoder {
  private final FrameWriter writer = new FrameWriter();

  /**
   * The {@code 'A'} frame that a connection begins with.
   *
   * @throws IllegalArgumentException when the node name does not fit
   */
  public void startup(ByteBuf out, Startup startup) {
    startup.write(writer.begin(out, 'A'));
    writer.end();
  }

  /** The {@code 'F'} frame: a proxy has sent all that it has for now. */
  public void flush(ByteBuf out) {
    writer.begin(out, 'F').putInt(MessageType.DATA_FLUSH.code()).end();
  }

  /** The {@code 'X'} frame: the client leaves. */
  public void terminate(ByteBuf out) {
    writer.begin(out, 'X').end();
  }

  /**
   * A command.
   *
   * @param proxied whether this end is a proxy, so that {@code backend} is written
   * @throws IllegalArgumentException when the protocol has no message for it
   */
  public void command(ByteBuf out, boolean proxied, short backend, Command command) {
    MessageType type = typeOf(command);
    writer.beginCommand(out, type, proxied, backend);
    type.write(writer, command);
    writer.end();
  }

  /**
   * The message that carries a command.
   *
   * @throws IllegalArgumentException when there is none
   */
  public static MessageType typeOf(Command command) {
    return switch (command.type()) {
      case BEGIN -> typeOf(((TransactionCommand.Begin) command).kind());
      case BEGIN_MANY -> MessageType.TXN_BEGIN_GETGXID_MULTI;
      case ASSIGN_GXID -> MessageType.TXN_GET_GXID;
      case END ->
          ((TransactionCommand.End) command).outcome() == Outcome.COMMIT
              ? MessageType.TXN_COMMIT
              : MessageType.TXN_ROLLBACK;
      case END_MANY ->
          ((TransactionCommand.EndMany) command).outcome() == Outcome.COMMIT
              ? MessageType.TXN_COMMIT_MULTI
              : MessageType.TXN_ROLLBACK_MULTI;
      case START_PREPARE -> MessageType.TXN_START_PREPARED;
      case PREPARE -> MessageType.TXN_PREPARE;
      case COMMIT_PREPARED -> MessageType.TXN_COMMIT_PREPARED;
      case BEGIN_FOR_PREPARED -> MessageType.TXN_GET_GID_DATA;
      case ADVANCE_OLDEST_GXID -> MessageType.MGTM_ADVANCE_OLDEST_GXID;
      case GET_NEXT_GXID -> MessageType.TXN_GET_NEXT_GXID;
      case GET_STATUS -> MessageType.TXN_GET_STATUS;
      case LIST_TRANSACTIONS -> MessageType.TXN_GXID_LIST;
      case LIST_PREPARED -> MessageType.TXN_GET_ALL_PREPARED;
      case GET_SNAPSHOT -> MessageType.SNAPSHOT_GET;
      case GET_SNAPSHOT_MANY -> MessageType.SNAPSHOT_GET_MULTI;
      case ASSIGN_GXID_AND_GET_SNAPSHOT -> MessageType.SNAPSHOT_GXID_GET;
      case INIT_SEQUENCE -> MessageType.SEQUENCE_INIT;
      case NEXT_VALUE -> MessageType.SEQUENCE_GET_NEXT;
      case LAST_VALUE -> MessageType.SEQUENCE_GET_LAST;
      case SET_VALUE -> MessageType.SEQUENCE_SET_VAL;
      case RESET_SEQUENCE -> MessageType.SEQUENCE_RESET;
      case CLOSE_SEQUENCE, CLOSE_SEQUENCES_OF_DATABASE -> MessageType.SEQUENCE_CLOSE;
      case RENAME_SEQUENCE -> MessageType.SEQUENCE_RENAME;
      case ALTER_SEQUENCE -> MessageType.SEQUENCE_ALTER;
      case LIST_SEQUENCES -> MessageType.SEQUENCE_LIST;
      case REGISTER_NODE -> MessageType.NODE_REGISTER;
      case UNREGISTER_NODE -> MessageType.NODE_UNREGISTER;
      case LIST_NODES -> MessageType.NODE_LIST;
      case DISCONNECT_BACKEND -> MessageType.BACKEND_DISCONNECT;
      case BARRIER -> MessageType.BARRIER;
      case BEGIN_BACKUP -> MessageType.BEGIN_BACKUP;
      case END_BACKUP -> MessageType.END_BACKUP;
      case LIST_BARRIERS -> MessageType.MGTM_BARRIER_LIST;
      case RESTART,
          OPEN_SESSION,
          CLOSE_SESSION,
          NUMBERED,
          OPEN_FRONT,
          ANNOUNCE_MEMBER,
          SERVE_TERM,
          SKIP_AHEAD,
          START_GXIDS,
          RESTORE_SEQUENCE ->
          throw new IllegalArgumentException(command.type() + " has no message");
    };
  }

  private static MessageType typeOf(TransactionCommand.BeginKind kind) {
    return switch (kind) {
      case HANDLE -> MessageType.TXN_BEGIN;
      case GXID -> MessageType.TXN_BEGIN_GETGXID;
      case AUTOVACUUM -> MessageType.TXN_BEGIN_GETGXID_AUTOVACUUM;
    };
  }
}
