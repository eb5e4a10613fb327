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
  private final TransactionRules rules;
  private long recentGlobalXmin;

  SnapshotRules(TransactionRules rules, long recentGlobalXmin) {
    this.rules = rules;
    this.recentGlobalXmin = recentGlobalXmin;
  }

  long recentGlobalXmin() {
    return recentGlobalXmin;
  }

  Reply apply(SnapshotCommand command) {
    rules.clearEffect();
    if (command instanceof SnapshotCommand.GetSnapshot c) {
      Transaction transaction = rules.table().find(c.transaction());
      return transaction == null
          ? TransactionRules.noSuchTransaction(c.transaction())
          : snapshot(c.type(), Flags.ONE_SET, List.of(transaction));
    } else if (command instanceof SnapshotCommand.GetSnapshotMany c) {
      return snapshotMany(c);
    }
    return assignAndSnapshot((SnapshotCommand.AssignGxidAndGetSnapshot) command);
  }

  /** All or nothing: a replay has no limits, and must not do what was refused here. */
  private Reply assignAndSnapshot(SnapshotCommand.AssignGxidAndGetSnapshot c) {
    int count = runningCount();
    if (count > rules.limits().snapshotGxidsMax()) {
      return tooMany(count);
    }
    Transaction transaction = rules.table().find(c.transaction());
    Reply refused = rules.assign(transaction, c.transaction());
    return refused != null ? refused : snapshot(c.type(), Flags.ONE_SET, List.of(transaction));
  }

  private Reply snapshotMany(SnapshotCommand.GetSnapshotMany c) {
    boolean[] known = new boolean[c.transactions().size()];
    List<Transaction> found = new ArrayList<>(known.length);
    for (int i = 0; i < known.length; i++) {
      Transaction transaction = rules.table().find(c.transactions().get(i));
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
    TransactionTable table = rules.table();
    long xmax = xmax();
    RunningGxids running = table.running();
    int count = runningCount();
    if (count > rules.limits().snapshotGxidsMax()) {
      return tooMany(count);
    }
    long xmin = xmin(running, count, xmax);
    recentGlobalXmin = Math.min(xmin, table.oldestXmin(xmin));
    for (int i = 0; i < holders.size(); i++) {
      Transaction holder = holders.get(i);
      if (holder.xmin == 0) {
        table.holdXmin(holder, xmin);
        rules.addEffect(Effect.LOGGED);
      }
    }
    Transaction first = holders.get(0);
    return new SnapshotReply.Snapshot(
        of,
        first.handle,
        GxidMath.wire(first.gxid),
        known,
        GxidMath.wire(xmin),
        GxidMath.wire(xmax),
        GxidMath.wire(recentGlobalXmin),
        running.view(count));
  }

  private Reply tooMany(int count) {
    return new Reply.Rejected(
        Reason.SNAPSHOT_LIMIT,
        "a snapshot would list "
            + count
            + " running transactions, the limit is "
            + rules.limits().snapshotGxidsMax(),
        "Clients of Postgres-XC 1.2 have room for 4096;"
            + " raise limits.snapshotGxidsMax only for others.");
  }

  /** How many transactions a snapshot taken now lists; a gxid that is given now is not one. */
  private int runningCount() {
    return rules.table().running().countBefore(GxidMath.wire(xmax()));
  }

  private long xmax() {
    return GxidMath.next(rules.table().latestCompleted());
  }

  /** The xmin that a snapshot taken now would have. */
  long xmin() {
    return xmin(rules.table().running(), runningCount(), xmax());
  }

  private long xmin(RunningGxids running, int count, long xmax) {
    return count == 0 ? xmax : GxidMath.notAfter(rules.gxids().next(), running.first());
  }
}
