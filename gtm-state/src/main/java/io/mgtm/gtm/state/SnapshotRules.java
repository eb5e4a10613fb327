package io.mgtm.gtm.state;

import io.mgtm.gtm.command.CommandType;
import io.mgtm.gtm.command.Effect;
import io.mgtm.gtm.command.Flags;
import io.mgtm.gtm.command.Reply;
import io.mgtm.gtm.command.Reply.Reason;
import io.mgtm.gtm.command.SnapshotCommand;
import io.mgtm.gtm.command.SnapshotReply;
import java.util.ArrayList;
import java.util.List;

/**
 * The commands that take snapshots; the rules are those of gtm_snap.c. A snapshot lists, unlike
 * PostgreSQL's, its own transaction too, since a proxy shares it among several; vacuums are left
 * out.
 */
final class SnapshotRules {
  private final GxidAllocator gxids;
  private final TransactionTable table;
  private final TransactionRules transactions;
  private final Applying applying;

  SnapshotRules(
      GxidAllocator gxids,
      TransactionTable table,
      TransactionRules transactions,
      Applying applying) {
    this.gxids = gxids;
    this.table = table;
    this.transactions = transactions;
    this.applying = applying;
  }

  Reply take(SnapshotCommand.GetSnapshot c) {
    Transaction transaction = table.find(c.transaction());
    return transaction == null
        ? TransactionRules.noSuchTransaction(c.transaction())
        : snapshot(c.type(), Flags.ONE_SET, List.of(transaction));
  }

  /** All or nothing: a replay has no limits, and must not do what was refused here. */
  Reply assignAndTake(SnapshotCommand.AssignGxidAndGetSnapshot c) {
    int count = table.listed();
    if (count > applying.limits.snapshotGxidsMax()) {
      return tooMany(count);
    }
    Transaction transaction = table.find(c.transaction());
    Reply refused = transactions.assign(transaction, c.transaction());
    return refused != null ? refused : snapshot(c.type(), Flags.ONE_SET, List.of(transaction));
  }

  Reply takeMany(SnapshotCommand.GetSnapshotMany c) {
    boolean[] known = new boolean[c.transactions().size()];
    List<Transaction> found = new ArrayList<>(known.length);
    for (int i = 0; i < known.length; i++) {
      Transaction transaction = table.find(c.transactions().get(i));
      known[i] = transaction != null;
      if (known[i]) {
        found.add(transaction);
      }
    }
    return found.isEmpty()
        ? new Reply.Rejected(
            Reason.NO_SUCH_TRANSACTION, "none of the transactions of this snapshot is open", "")
        : snapshot(c.type(), Flags.of(known), found);
  }

  /** Takes one snapshot for all of {@code holders}; those that hold no xmin yet hold its. */
  private Reply snapshot(CommandType of, Flags known, List<Transaction> holders) {
    int count = table.listed();
    if (count > applying.limits.snapshotGxidsMax()) {
      return tooMany(count);
    }
    long xmin = table.xmin(count, gxids.next());
    long recentGlobalXmin = Math.min(xmin, table.oldestXmin(xmin));
    table.setRecentGlobalXmin(recentGlobalXmin);
    for (int i = 0; i < holders.size(); i++) {
      Transaction holder = holders.get(i);
      if (holder.xmin == 0) {
        table.holdXmin(holder, xmin);
        applying.did(Effect.LOGGED);
      }
    }
    Transaction first = holders.get(0);
    return new SnapshotReply.Snapshot(
        of,
        first.handle,
        GxidMath.wire(first.gxid),
        known,
        GxidMath.wire(xmin),
        GxidMath.wire(table.xmax()),
        GxidMath.wire(recentGlobalXmin),
        table.running().view(count));
  }

  private Reply tooMany(int count) {
    return new Reply.Rejected(
        Reason.SNAPSHOT_LIMIT,
        "a snapshot would list "
            + count
            + " running transactions, the limit is "
            + applying.limits.snapshotGxidsMax(),
        "Clients of Postgres-XC 1.2 have room for 4096;"
            + " raise limits.snapshotGxidsMax only for others.");
  }
}
