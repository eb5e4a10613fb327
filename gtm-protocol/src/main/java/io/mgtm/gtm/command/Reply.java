package io.mgtm.gtm.command;

/** What the state answers to one {@link Command}. */
public sealed interface Reply
    permits BackupReply,
        NodeReply,
        Reply.Rejected,
        Reply.None,
        SequenceReply,
        SnapshotReply,
        TransactionReply {

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
  record Rejected(Reason reason, String message, String hint) implements Reply {}

  /** For commands that nobody waits for. */
  record None() implements Reply {
    public static final None INSTANCE = new None();
  }
}
