package io.mgtm.gtm.command;

import java.nio.ByteBuffer;

/**
 * The kinds of reply, a row each: the code, which stands in checkpoints and never changes its
 * meaning, and how its fields are read; both of those that are kept, see {@link Reply.Kept}.
 */
public enum ReplyType {
  NONE(1, in -> Reply.None.INSTANCE),
  REJECTED,

  BEGAN(2, TransactionReply.Began::read),
  BEGAN_MANY(3, TransactionReply.BeganMany::read),
  GXID_ASSIGNED(4, TransactionReply.GxidAssigned::read),
  ENDED(5, TransactionReply.Ended::read),
  ENDED_MANY(6, TransactionReply.EndedMany::read),
  PREPARE_STARTED(7, TransactionReply.PrepareStarted::read),
  PREPARED(8, TransactionReply.Prepared::read),
  PREPARED_COMMITTED(9, TransactionReply.PreparedCommitted::read),
  BEGAN_FOR_PREPARED(10, TransactionReply.BeganForPrepared::read),
  OLDEST_GXID_ADVANCED(11, TransactionReply.OldestGxidAdvanced::read),
  NEXT_GXID,
  STATUS,
  TRANSACTION_LIST,
  PREPARED_LIST,

  SNAPSHOT,

  SEQUENCE_DONE(12, SequenceReply.Done::read),
  SEQUENCE_VALUE(13, SequenceReply.Value::read),
  SEQUENCE_LIST,

  REGISTERED(14, NodeReply.Registered::read),
  UNREGISTERED(15, NodeReply.Unregistered::read),
  NODE_LIST,

  BACKUP_DONE(16, BackupReply.Done::read),
  BARRIER_LIST;

  private static final ReplyType[] BY_CODE = new ReplyType[128];

  static {
    for (ReplyType type : values()) {
      if (type.reader != null) {
        BY_CODE[type.code] = type;
      }
    }
  }

  /** Reads the fields that {@link Reply.Kept#write} wrote. */
  private interface Reader {
    Reply read(ByteBuffer in);
  }

  private final byte code;

  @SuppressWarnings("ImmutableEnumChecker") // A function without state.
  private final Reader reader;

  ReplyType() {
    this(0, null);
  }

  ReplyType(int code, Reader reader) {
    this.code = (byte) code;
    this.reader = reader;
  }

  /** Reads the fields of such a reply. */
  Reply read(ByteBuffer in) {
    return reader.read(in);
  }

  byte code() {
    return code;
  }

  /** The type of a checkpoint's code, or null when this version has none. */
  static ReplyType ofCode(byte code) {
    return code >= 0 ? BY_CODE[code] : null;
  }
}
