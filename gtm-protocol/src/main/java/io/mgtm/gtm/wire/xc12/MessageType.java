package io.mgtm.gtm.wire.xc12;

import io.mgtm.gtm.command.BackupCommand;
import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.NodeCommand;
import io.mgtm.gtm.command.Outcome;
import io.mgtm.gtm.command.SequenceCommand;
import io.mgtm.gtm.command.TransactionCommand;
import io.mgtm.gtm.command.TransactionCommand.BeginKind;
import io.mgtm.gtm.wire.WireException;

/**
 * GTM_MessageType of Postgres-XC 1.2.1 (src/include/gtm/gtm_msg.h), in its order: what a client's
 * {@code 'C'} frame asks for, a row each: its number, who may send it, and its body. Codes from
 * 10,000 are mgtm's own.
 */
public enum MessageType {
  INVALID(0, Senders.NOBODY, null),
  SYNC_STANDBY(1, Senders.STANDBYS, null),
  NODE_REGISTER(2, NodeRequests.REGISTER),
  BKUP_NODE_REGISTER(3, Senders.STANDBYS, null),
  NODE_UNREGISTER(4, NodeRequests.UNREGISTER),
  BKUP_NODE_UNREGISTER(5, Senders.STANDBYS, null),
  NODE_LIST(6, RequestBody.empty(new NodeCommand.ListAll())),
  NODE_BEGIN_REPLICATION_INIT(7, Senders.STANDBYS, null),
  NODE_END_REPLICATION_INIT(8, Senders.STANDBYS, null),
  BEGIN_BACKUP(9, BackupRequests.BEGIN),
  END_BACKUP(10, BackupRequests.END),
  TXN_BEGIN(11, TransactionRequests.begin(BeginKind.HANDLE)),
  BKUP_TXN_BEGIN(12, Senders.STANDBYS, null),
  TXN_BEGIN_GETGXID(13, TransactionRequests.begin(BeginKind.GXID)),
  BKUP_TXN_BEGIN_GETGXID(14, Senders.STANDBYS, null),
  TXN_BEGIN_GETGXID_MULTI(15, TransactionRequests.BEGIN_MANY),
  BKUP_TXN_BEGIN_GETGXID_MULTI(16, Senders.STANDBYS, null),
  TXN_START_PREPARED(17, TransactionRequests.START_PREPARE),
  BKUP_TXN_START_PREPARED(18, Senders.STANDBYS, null),
  TXN_COMMIT(19, TransactionRequests.end(Outcome.COMMIT)),
  BKUP_TXN_COMMIT(20, Senders.STANDBYS, null),
  TXN_COMMIT_MULTI(21, TransactionRequests.endMany(Outcome.COMMIT)),
  BKUP_TXN_COMMIT_MULTI(22, Senders.STANDBYS, null),
  TXN_COMMIT_PREPARED(23, TransactionRequests.COMMIT_PREPARED),
  BKUP_TXN_COMMIT_PREPARED(24, Senders.STANDBYS, null),
  TXN_PREPARE(25, TransactionRequests.PREPARE),
  BKUP_TXN_PREPARE(26, Senders.STANDBYS, null),
  TXN_ROLLBACK(27, TransactionRequests.end(Outcome.ROLLBACK)),
  BKUP_TXN_ROLLBACK(28, Senders.STANDBYS, null),
  TXN_ROLLBACK_MULTI(29, TransactionRequests.endMany(Outcome.ROLLBACK)),
  BKUP_TXN_ROLLBACK_MULTI(30, Senders.STANDBYS, null),
  TXN_GET_GID_DATA(31, TransactionRequests.BEGIN_FOR_PREPARED),
  TXN_GET_GXID(32, TransactionRequests.ASSIGN_GXID),
  BKUP_TXN_GET_GXID(33, Senders.STANDBYS, null),
  TXN_GET_NEXT_GXID(34, RequestBody.empty(new TransactionCommand.GetNextGxid())),
  TXN_GXID_LIST(35, RequestBody.empty(new TransactionCommand.ListTransactions())),
  SNAPSHOT_GET(36, SnapshotRequests.GET),
  SNAPSHOT_GET_MULTI(37, SnapshotRequests.GET_MANY),
  SNAPSHOT_GXID_GET(38, SnapshotRequests.ASSIGN_AND_GET),
  SEQUENCE_INIT(39, SequenceRequests.INIT),
  BKUP_SEQUENCE_INIT(40, Senders.STANDBYS, null),
  SEQUENCE_GET_NEXT(41, SequenceRequests.NEXT_VALUE),
  BKUP_SEQUENCE_GET_NEXT(42, Senders.STANDBYS, null),
  SEQUENCE_GET_LAST(43, SequenceRequests.LAST_VALUE),
  SEQUENCE_SET_VAL(44, SequenceRequests.SET_VALUE),
  BKUP_SEQUENCE_SET_VAL(45, Senders.STANDBYS, null),
  SEQUENCE_RESET(46, SequenceRequests.RESET),
  BKUP_SEQUENCE_RESET(47, Senders.STANDBYS, null),
  SEQUENCE_CLOSE(48, SequenceRequests.CLOSE),
  BKUP_SEQUENCE_CLOSE(49, Senders.STANDBYS, null),
  SEQUENCE_RENAME(50, SequenceRequests.RENAME),
  BKUP_SEQUENCE_RENAME(51, Senders.STANDBYS, null),
  SEQUENCE_ALTER(52, SequenceRequests.ALTER),
  BKUP_SEQUENCE_ALTER(53, Senders.STANDBYS, null),
  SEQUENCE_LIST(54, RequestBody.empty(new SequenceCommand.ListAll())),
  TXN_GET_STATUS(55, TransactionRequests.GET_STATUS),
  TXN_GET_ALL_PREPARED(56, RequestBody.empty(new TransactionCommand.ListPrepared())),
  TXN_BEGIN_GETGXID_AUTOVACUUM(57, TransactionRequests.begin(BeginKind.AUTOVACUUM)),
  BKUP_TXN_BEGIN_GETGXID_AUTOVACUUM(58, Senders.STANDBYS, null),
  DATA_FLUSH(59, Senders.NOBODY, null),
  BACKEND_DISCONNECT(60, NodeRequests.DISCONNECT),
  BARRIER(61, BackupRequests.BARRIER),
  BKUP_BARRIER(62, Senders.STANDBYS, null),
  /** Moves the origin of the wraparound limits ahead. */
  MGTM_ADVANCE_OLDEST_GXID(10_001, Senders.OPERATORS, TransactionRequests.ADVANCE_OLDEST_GXID),
  /** Lists the barriers that are remembered. */
  MGTM_BARRIER_LIST(10_002, RequestBody.empty(new BackupCommand.ListBarriers()));

  private static final int EXTENSION_FIRST = 10_000;
  private static final MessageType[] ORIGINAL = new MessageType[63];
  private static final MessageType[] EXTENSIONS = new MessageType[16];

  static {
    for (MessageType type : values()) {
      if (type.code < EXTENSION_FIRST) {
        ORIGINAL[type.code] = type;
      } else {
        EXTENSIONS[type.code - EXTENSION_FIRST] = type;
      }
    }
  }

  /** Who may send a message to a GTM. */
  enum Senders {
    /** Whoever may connect. */
    ALL,
    /** Only who connects from the machine of the GTM or proxy. */
    OPERATORS,
    /** An original GTM and its standby, to each other. */
    STANDBYS,
    /** It is no command. */
    NOBODY
  }

  private final int code;
  private final Senders senders;

  @SuppressWarnings("ImmutableEnumChecker") // Two functions without state.
  private final RequestBody<? extends Command> body;

  MessageType(int code, RequestBody<? extends Command> body) {
    this(code, Senders.ALL, body);
  }

  MessageType(int code, Senders senders, RequestBody<? extends Command> body) {
    this.code = code;
    this.senders = senders;
    this.body = body;
  }

  Senders senders() {
    return senders;
  }

  /** Reads the command from the body of one that clients send, see {@link RequestBody.Reader}. */
  Command read(FrameReader in, long session, short backend) throws WireException {
    return body.reader().read(in, session, backend);
  }

  /** Writes the body of one that clients send; the command is of this message. */
  @SuppressWarnings("unchecked") // RequestEncoder.typeOf pairs commands with their messages.
  void write(FrameWriter out, Command command) {
    ((RequestBody<Command>) body).writer().write(out, command);
  }

  /** The value on the wire. */
  public int code() {
    return code;
  }

  /** The type of a wire value, or null when there is none. */
  public static MessageType ofCode(int code) {
    if (code >= 0 && code < ORIGINAL.length) {
      return ORIGINAL[code];
    }
    int extension = code - EXTENSION_FIRST;
    return extension >= 0 && extension < EXTENSIONS.length ? EXTENSIONS[extension] : null;
  }
}
