package io.mgtm.gtm.wire.xc12;

import io.mgtm.gtm.command.BackupReply;
import io.mgtm.gtm.command.CommandType;
import io.mgtm.gtm.command.Names;
import io.mgtm.gtm.command.Outcome;
import io.mgtm.gtm.command.Reply;
import io.mgtm.gtm.command.SequenceReply;
import io.mgtm.gtm.command.SnapshotReply;
import io.mgtm.gtm.command.TransactionReply;
import io.netty.buffer.ByteBuf;

/**
 * Writes replies as the original's clients read them: {@code 'R'} for an accepted startup packet,
 * {@code 'S'} for success, {@code 'E'} for errors. A reply to a proxy carries the connection number
 * of its command after the result type ({@code 'S'}) or at once ({@code 'E'}).
 *
 * <p>One object serves one thread.
 */
public final class ReplyEncoder {
  private final FrameWriter writer = new FrameWriter();

  /** The answer to a startup packet. */
  public void startupAccepted(ByteBuf out) {
    writer.begin(out, 'R').end();
  }

  /**
   * An error.
   *
   * @param fatal whether the connection is closed after it
   * @param hint what to do, or empty
   */
  public void error(
      ByteBuf out, boolean proxied, short backend, boolean fatal, String message, String hint) {
    writer.begin(out, 'E');
    if (proxied) {
      writer.putHostShort(backend);
    }
    writer.putByte('S').putTerminated(fatal ? "FATAL" : "ERROR");
    writer.putByte('M').putTerminated(wireText(message));
    if (!hint.isEmpty()) {
      writer.putByte('H').putTerminated(wireText(hint));
    }
    writer.putByte(0).end();
  }

  /** The message's UTF-8 bytes as {@link Names#BYTES}. */
  private static String wireText(String text) {
    return new String(text.getBytes(java.nio.charset.StandardCharsets.UTF_8), Names.BYTES);
  }

  /**
   * Writes one reply; nothing for a command that has none.
   *
   * @param proxied whether the peer is a proxy, so that {@code backend} is written
   */
  public void encode(ByteBuf out, boolean proxied, short backend, Reply reply) {
    if (reply instanceof Reply.Rejected r) {
      error(out, proxied, backend, false, r.message(), r.hint());
    } else if (!(reply instanceof Reply.None)) {
      success(out, proxied, backend, reply);
    }
  }

  private void success(ByteBuf out, boolean proxied, short backend, Reply reply) {
    ResultType type = typeOf(reply);
    ReplyBody<Reply> body = type.body();
    if (body.list() != null) {
      ListReply.of(proxied, backend, reply).write(out, Integer.MAX_VALUE);
      return;
    }
    body.writer().accept(writer.beginSuccess(out, type, proxied, backend), reply);
    writer.end();
  }

  /**
   * The result type that a reply has.
   *
   * @throws IllegalArgumentException when it has none
   */
  static ResultType typeOf(Reply reply) {
    return switch (reply.type()) {
      case BEGAN ->
          switch (((TransactionReply.Began) reply).kind()) {
            case HANDLE -> ResultType.TXN_BEGIN;
            case GXID -> ResultType.TXN_BEGIN_GETGXID;
            case AUTOVACUUM -> ResultType.TXN_BEGIN_GETGXID_AUTOVACUUM;
          };
      case BEGAN_MANY -> ResultType.TXN_BEGIN_GETGXID_MULTI;
      case GXID_ASSIGNED -> ResultType.TXN_GET_GXID;
      case ENDED ->
          ((TransactionReply.Ended) reply).outcome() == Outcome.COMMIT
              ? ResultType.TXN_COMMIT
              : ResultType.TXN_ROLLBACK;
      case ENDED_MANY ->
          ((TransactionReply.EndedMany) reply).outcome() == Outcome.COMMIT
              ? ResultType.TXN_COMMIT_MULTI
              : ResultType.TXN_ROLLBACK_MULTI;
      case PREPARE_STARTED -> ResultType.TXN_START_PREPARED;
      case PREPARED -> ResultType.TXN_PREPARE;
      case PREPARED_COMMITTED -> ResultType.TXN_COMMIT_PREPARED;
      case BEGAN_FOR_PREPARED -> ResultType.TXN_GET_GID_DATA;
      case OLDEST_GXID_ADVANCED -> ResultType.MGTM_ADVANCE_OLDEST_GXID;
      case NEXT_GXID -> ResultType.TXN_GET_NEXT_GXID;
      case STATUS -> ResultType.TXN_GET_STATUS;
      case TRANSACTION_LIST -> ResultType.TXN_GXID_LIST;
      case PREPARED_LIST -> ResultType.TXN_GET_ALL_PREPARED;
      case SNAPSHOT -> answerTo(((SnapshotReply.Snapshot) reply).of());
      case SEQUENCE_DONE -> answerTo(((SequenceReply.Done) reply).of());
      case SEQUENCE_VALUE -> answerTo(((SequenceReply.Value) reply).of());
      case SEQUENCE_LIST -> ResultType.SEQUENCE_LIST;
      case REGISTERED -> ResultType.NODE_REGISTER;
      case UNREGISTERED -> ResultType.NODE_UNREGISTER;
      case NODE_LIST -> ResultType.NODE_LIST;
      case BACKUP_DONE -> answerTo(((BackupReply.Done) reply).of());
      case BARRIER_LIST -> ResultType.MGTM_BARRIER_LIST;
      case NONE, REJECTED ->
          throw new IllegalArgumentException(reply.type() + " has no result type");
    };
  }

  /** Of the commands that share a kind of reply. */
  private static ResultType answerTo(CommandType command) {
    return switch (command) {
      case GET_SNAPSHOT -> ResultType.SNAPSHOT_GET;
      case GET_SNAPSHOT_MANY -> ResultType.SNAPSHOT_GET_MULTI;
      case ASSIGN_GXID_AND_GET_SNAPSHOT -> ResultType.SNAPSHOT_GXID_GET;
      case NEXT_VALUE -> ResultType.SEQUENCE_GET_NEXT;
      case LAST_VALUE -> ResultType.SEQUENCE_GET_LAST;
      case INIT_SEQUENCE -> ResultType.SEQUENCE_INIT;
      case SET_VALUE -> ResultType.SEQUENCE_SET_VAL;
      case RESET_SEQUENCE -> ResultType.SEQUENCE_RESET;
      case CLOSE_SEQUENCE, CLOSE_SEQUENCES_OF_DATABASE -> ResultType.SEQUENCE_CLOSE;
      case RENAME_SEQUENCE -> ResultType.SEQUENCE_RENAME;
      case ALTER_SEQUENCE -> ResultType.SEQUENCE_ALTER;
      case BARRIER -> ResultType.BARRIER;
      case BEGIN_BACKUP -> ResultType.BEGIN_BACKUP;
      case END_BACKUP -> ResultType.END_BACKUP;
      default -> throw new IllegalArgumentException(command + " shares its reply with none");
    };
  }
}
