package io.mgtm.gtm.command;

import java.nio.ByteBuffer;

/** What the state answers to one {@link Command}. */
public sealed interface Reply
    permits BackupReply,
        NodeReply,
        Reply.Rejected,
        Reply.None,
        SequenceReply,
        SnapshotReply,
        TransactionReply {

  ReplyType type();

  /**
   * A reply that sessions keep until their gateway has it, also over a checkpoint: every one to a
   * command that changed something, but a snapshot.
   */
  interface Kept {
    /** Appends the fields, as {@link ReplyCodec} describes. */
    void write(ByteBuffer out);

    /** What its fields without a fixed length take. */
    default int variableBytes() {
      return 0;
    }
  }

  /** Why a command was rejected; the name is stable and counted in the metrics. */
  enum Reason {
    NO_SUCH_TRANSACTION,
    TRANSACTION_LIMIT,
    GXID_LIMIT,
    SNAPSHOT_LIMIT,
    GID_IN_USE,
    NO_SUCH_GID,
    NAME_TOO_LONG,
    BAD_STATE,
    NO_SUCH_SEQUENCE,
    SEQUENCE_EXISTS,
    SEQUENCE_EXHAUSTED,
    SEQUENCE_BOUNDS,
    SEQUENCE_LIMIT,
    NODE_CONNECTED,
    NO_SUCH_NODE,
    NODE_LIMIT,
    BAD_GXID,
    SESSION_LOST
  }

  /**
   * The client's error: the state did not change.
   *
   * @param message one sentence
   * @param hint what to do, or empty
   */
  record Rejected(Reason reason, String message, String hint) implements Reply {
    @Override
    public ReplyType type() {
      return ReplyType.REJECTED;
    }
  }

  /** For commands that nobody waits for. */
  record None() implements Reply, Kept {
    public static final None INSTANCE = new None();

    @Override
    public ReplyType type() {
      return ReplyType.NONE;
    }

    @Override
    public void write(ByteBuffer out) {}
  }
}
