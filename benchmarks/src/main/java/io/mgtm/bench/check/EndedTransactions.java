package io.mgtm.bench.check;

/**
 * When transactions were acknowledged as ended. The newest are kept one by one, of older ones only
 * the latest moment; that errs towards not knowing. One thread.
 */
final class EndedTransactions {
  private static final int KEPT = 1 << 16;

  private final int[] gxids = new int[KEPT];
  private final long[] endedAt = new long[KEPT];
  private long forgottenEndedBy;

  void add(int gxid, long now) {
    int slot = gxid & (KEPT - 1);
    forgottenEndedBy = Math.max(forgottenEndedBy, endedAt[slot]);
    gxids[slot] = gxid;
    endedAt[slot] = now;
  }

  /** Whether one that is known to have ended had done so before {@code moment}. */
  boolean endedBefore(int gxid, long moment) {
    int slot = gxid & (KEPT - 1);
    boolean kept = endedAt[slot] != 0 && gxids[slot] == gxid;
    return (kept ? endedAt[slot] : forgottenEndedBy) < moment;
  }
}
