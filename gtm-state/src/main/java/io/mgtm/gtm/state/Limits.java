package io.mgtm.gtm.state;

/**
 * What the leader admits. Limits are checked at admission only: what stands in the log was admitted
 * once, so that a replay under other limits gives the same state.
 *
 * @param transactionsMax open transactions, prepared ones included
 * @param snapshotGxidsMax running transactions that one snapshot may list
 * @param sequencesMax sequences
 * @param nodesMax registered nodes
 * @param gxidStopMargin gxids left before wraparound at which begins are refused
 * @param gxidWarnMargin gxids left before wraparound at which warnings start
 */
public record Limits(
    int transactionsMax,
    int snapshotGxidsMax,
    int sequencesMax,
    int nodesMax,
    long gxidStopMargin,
    long gxidWarnMargin) {

  /** For replays and followers. */
  public static final Limits NONE =
      new Limits(
          Integer.MAX_VALUE,
          Integer.MAX_VALUE,
          Integer.MAX_VALUE,
          Integer.MAX_VALUE,
          Long.MIN_VALUE / 2,
          Long.MIN_VALUE / 2);
}
