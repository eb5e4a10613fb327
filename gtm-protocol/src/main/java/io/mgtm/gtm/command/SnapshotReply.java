package io.mgtm.gtm.command;

/** Answers to {@link SnapshotCommand}. Gxids are the low 32 bits. */
public sealed interface SnapshotReply extends Reply {

  /**
   * A global snapshot: transactions before {@code xmin} have ended; those at or after {@code xmax}
   * are running; of those between, the ones in {@code running} are.
   *
   * @param of which command it answers
   * @param handle the transaction's, for ASSIGN_GXID_AND_GET_SNAPSHOT
   * @param gxid the transaction's, unless it answers GET_SNAPSHOT_MANY
   * @param known for each transaction asked for, whether there is one
   * @param running ascending; valid until the next command is applied
   */
  record Snapshot(
      CommandType of,
      int handle,
      int gxid,
      Flags known,
      int xmin,
      int xmax,
      int recentGlobalXmin,
      Gxids running)
      implements SnapshotReply {
    @Override
    public ReplyType type() {
      return ReplyType.SNAPSHOT;
    }
  }
}
