package io.mgtm.bench.check;

/**
 * What is known of one connection's transaction. A connection uses one object again and again; when
 * it breaks, the object stays with the checker, because nobody knows any more whether that
 * transaction runs. Times are ticks of the checker's clock.
 */
public final class TransactionTrack {

  /** What is certain. */
  enum State {
    /** No transaction, or none that anybody knows of. */
    NONE,
    /** Begun, which was acknowledged, and not asked to end. */
    OPEN,
    /** Asked to end; or its connection broke, and it may have ended. */
    IN_DOUBT
  }

  State state = State.NONE;
  int gxid;

  /** When its begin was acknowledged. */
  long begunAt;

  /** The last snapshot that listed it. */
  long listedBy;

  /** Says which snapshot did not show it although it should have, if it was open; or null. */
  String hiddenFrom;

  /** When the snapshot that is under way was asked for. */
  long snapshotAskedAt;

  // What was known when the request that is under way was sent.
  boolean anyBegun;
  int newestBegun;
  boolean anyEnded;
  int newestEnded;
  boolean anySnapshot;
  int newestXmax;

  /** The gxid of the transaction. */
  public int gxid() {
    return gxid;
  }
}
