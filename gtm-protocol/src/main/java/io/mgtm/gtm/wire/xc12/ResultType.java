package io.mgtm.gtm.wire.xc12;

import io.mgtm.gtm.command.CommandType;
import io.mgtm.gtm.command.Outcome;
import io.mgtm.gtm.command.Reply;
import io.mgtm.gtm.wire.WireException;

/**
 * GTM_ResultType of Postgres-XC 1.2.1 (src/include/gtm/gtm_msg.h), in its order: what a server's
 * {@code 'S'} frame answers, a row each: its number and its body, null for what answers a standby.
 * Codes from 10,000 are mgtm's own.
 */
public enum ResultType {
  SYNC_STANDBY(0, null),
  NODE_REGISTER(1, NodeReplies.REGISTERED),
  NODE_UNREGISTER(2, NodeReplies.UNREGISTERED),
  NODE_LIST(3, NodeReplies.LIST),
  NODE_BEGIN_REPLICATION_INIT(4, null),
  NODE_END_REPLICATION_INIT(5, null),
  BEGIN_BACKUP(6, BackupReplies.done(CommandType.BEGIN_BACKUP)),
  END_BACKUP(7, BackupReplies.done(CommandType.END_BACKUP)),
  TXN_BEGIN(8, TransactionReplies.BEGAN_HANDLE),
  TXN_BEGIN_GETGXID(9, TransactionReplies.BEGAN_GXID),
  TXN_BEGIN_GETGXID_MULTI(10, TransactionReplies.BEGAN_MANY),
  TXN_PREPARE(11, TransactionReplies.PREPARED),
  TXN_START_PREPARED(12, TransactionReplies.PREPARE_STARTED),
  TXN_COMMIT_PREPARED(13, TransactionReplies.PREPARED_COMMITTED),
  TXN_COMMIT(14, TransactionReplies.ended(Outcome.COMMIT)),
  TXN_COMMIT_MULTI(15, TransactionReplies.endedMany(Outcome.COMMIT)),
  TXN_ROLLBACK(16, TransactionReplies.ended(Outcome.ROLLBACK)),
  TXN_ROLLBACK_MULTI(17, TransactionReplies.endedMany(Outcome.ROLLBACK)),
  TXN_GET_GID_DATA(18, TransactionReplies.BEGAN_FOR_PREPARED),
  TXN_GET_GXID(19, TransactionReplies.GXID_ASSIGNED),
  TXN_GET_NEXT_GXID(20, TransactionReplies.NEXT_GXID),
  TXN_GXID_LIST(21, TransactionReplies.TRANSACTIONS),
  SNAPSHOT_GET(22, SnapshotReplies.OF_ONE),
  SNAPSHOT_GET_MULTI(23, SnapshotReplies.OF_MANY),
  SNAPSHOT_GXID_GET(24, SnapshotReplies.WITH_GXID),
  SEQUENCE_INIT(25, SequenceReplies.done(CommandType.INIT_SEQUENCE)),
  SEQUENCE_GET_NEXT(26, SequenceReplies.value(CommandType.NEXT_VALUE)),
  SEQUENCE_GET_LAST(27, SequenceReplies.value(CommandType.LAST_VALUE)),
  SEQUENCE_SET_VAL(28, SequenceReplies.done(CommandType.SET_VALUE)),
  SEQUENCE_RESET(29, SequenceReplies.done(CommandType.RESET_SEQUENCE)),
  SEQUENCE_CLOSE(30, SequenceReplies.done(CommandType.CLOSE_SEQUENCE)),
  SEQUENCE_RENAME(31, SequenceReplies.done(CommandType.RENAME_SEQUENCE)),
  SEQUENCE_ALTER(32, SequenceReplies.done(CommandType.ALTER_SEQUENCE)),
  SEQUENCE_LIST(33, SequenceReplies.LIST),
  TXN_GET_STATUS(34, TransactionReplies.STATUS),
  TXN_GET_ALL_PREPARED(35, TransactionReplies.PREPARED_TRANSACTIONS),
  TXN_BEGIN_GETGXID_AUTOVACUUM(36, TransactionReplies.BEGAN_AUTOVACUUM),
  BARRIER(37, BackupReplies.done(CommandType.BARRIER)),
  MGTM_ADVANCE_OLDEST_GXID(10_001, TransactionReplies.OLDEST_GXID_ADVANCED),
  MGTM_BARRIER_LIST(10_002, BackupReplies.BARRIERS);

  private final int code;

  @SuppressWarnings("ImmutableEnumChecker") // Functions without state.
  private final ReplyBody<? extends Reply> body;

  ResultType(int code, ReplyBody<? extends Reply> body) {
    this.code = code;
    this.body = body;
  }

  /** Reads the body. */
  Reply read(FrameReader in) throws WireException {
    if (body == null) {
      throw new WireException(this + " answers a standby, which this is not");
    }
    return body.reader().read(in);
  }

  /** The body of such replies; see {@link ReplyEncoder#typeOf}. */
  @SuppressWarnings("unchecked") // ReplyEncoder.typeOf pairs replies with their types.
  ReplyBody<Reply> body() {
    return (ReplyBody<Reply>) body;
  }

  /** The value on the wire. */
  public int code() {
    return code;
  }

  /** The type of a wire value, or null when there is none. */
  public static ResultType ofCode(int code) {
    for (ResultType type : values()) {
      if (type.code == code) {
        return type;
      }
    }
    return null;
  }
}
