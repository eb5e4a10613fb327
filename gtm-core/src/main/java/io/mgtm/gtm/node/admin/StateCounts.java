package io.mgtm.gtm.node.admin;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import io.mgtm.gtm.command.TransactionReply.TransactionList;
import io.mgtm.gtm.state.GtmState;
import java.util.List;

/**
 * What a node answers to whoever wants to know how much it holds: {@code ADMIN counts}, as JSON.
 * Gxids are the low 32 bits.
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record StateCounts(
    int nextGxid,
    int oldestGxid,
    int warnGxid,
    int stopGxid,
    int wrapGxid,
    int latestCompletedGxid,
    int recentGlobalXmin,
    int transactions,
    int prepared,
    int sequences) {

  public static StateCounts of(GtmState state) {
    GtmState.Counts counts = state.counts();
    return of(state.counters(), counts.transactions(), counts.prepared(), counts.sequences());
  }

  /** Counted by whoever has the lists. */
  public static StateCounts of(TransactionList c, int transactions, int prepared, int sequences) {
    return new StateCounts(
        c.nextGxid(),
        c.oldestGxid(),
        c.warnGxid(),
        c.stopGxid(),
        c.wrapGxid(),
        c.latestCompletedGxid(),
        c.recentGlobalXmin(),
        transactions,
        prepared,
        sequences);
  }

  /** The counters alone. */
  public TransactionList counters() {
    return new TransactionList(
        nextGxid,
        oldestGxid,
        warnGxid,
        stopGxid,
        wrapGxid,
        latestCompletedGxid,
        recentGlobalXmin,
        0,
        List.of());
  }
}
