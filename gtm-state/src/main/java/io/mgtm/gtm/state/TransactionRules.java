package io.mgtm.gtm.state;

import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.Effect;
import io.mgtm.gtm.command.Flags;
import io.mgtm.gtm.command.Names;
import io.mgtm.gtm.command.Reply;
import io.mgtm.gtm.command.Reply.Reason;
import io.mgtm.gtm.command.TransactionCommand;
import io.mgtm.gtm.command.TransactionCommand.BeginKind;
import io.mgtm.gtm.command.TransactionRef;
import io.mgtm.gtm.command.TransactionReply;
import io.mgtm.gtm.command.TransactionState;
import java.util.ArrayList;
import java.util.List;

/** The commands on transactions; the rules are those of gtm_txn.c. */
final class TransactionRules {
  private final GxidAllocator gxids;
  private final TransactionTable table;
  private final Applying applying;

  TransactionRules(GxidAllocator gxids, TransactionTable table, Applying applying) {
    this.gxids = gxids;
    this.table = table;
    this.applying = applying;
  }

  Reply begin(TransactionCommand.Begin c) {
    boolean wantsGxid = c.kind() != BeginKind.HANDLE;
    Reply refused = refuseBegin(1, wantsGxid);
    if (refused != null) {
      return refused;
    }
    Transaction transaction =
        new Transaction(
            table.nextHandle(),
            c.session(),
            c.backend(),
            c.isolation(),
            c.readOnly(),
            c.kind() == BeginKind.AUTOVACUUM);
    addBegun(transaction, wantsGxid);
    return new TransactionReply.Began(
        c.kind(), transaction.handle, GxidMath.wire(transaction.gxid), applying.nowMicros);
  }

  private void addBegun(Transaction transaction, boolean wantsGxid) {
    if (wantsGxid) {
      transaction.gxid = gxids.take();
    }
    table.add(transaction);
    applying.did(wantsGxid ? gxids.settle(applying.entry) : Effect.LOGGED);
  }

  private Reply refuseBegin(int count, boolean wantsGxid) {
    if (table.count() + count > applying.limits.transactionsMax()) {
      return new Reply.Rejected(
          Reason.TRANSACTION_LIMIT,
          "the limit of " + applying.limits.transactionsMax() + " open transactions is reached",
          "End some, or raise limits.transactionsMax.");
    }
    return wantsGxid ? refuseGxids(count) : null;
  }

  private Reply refuseGxids(int count) {
    if (gxids.mayTake(count, applying.limits)) {
      return null;
    }
    return new Reply.Rejected(
        Reason.GXID_LIMIT,
        "no more gxids are given, to avoid wraparound data loss: next is "
            + Integer.toUnsignedString(GxidMath.wire(gxids.next()))
            + ", ids wrap at "
            + Integer.toUnsignedString(GxidMath.wire(gxids.wrapAt())),
        "VACUUM FREEZE every database on every node, then tell the GTM the oldest id left:"
            + " mgtm gtm advance-oldest.");
  }

  Reply beginMany(TransactionCommand.BeginMany c) {
    int count = c.items().size();
    Reply refused = refuseBegin(count, true);
    if (refused != null) {
      return refused;
    }
    long first = gxids.next();
    for (TransactionCommand.BeginItem item : c.items()) {
      addBegun(
          new Transaction(
              table.nextHandle(),
              c.session(),
              item.backend(),
              item.isolation(),
              item.readOnly(),
              false),
          true);
    }
    return new TransactionReply.BeganMany(count, GxidMath.wire(first), applying.nowMicros);
  }

  Reply assignGxid(TransactionCommand.AssignGxid c) {
    Transaction transaction = table.find(c.transaction());
    Reply refused = assign(transaction, c.transaction());
    return refused != null
        ? refused
        : new TransactionReply.GxidAssigned(transaction.handle, GxidMath.wire(transaction.gxid));
  }

  /** Gives a transaction that has no gxid one; null when that went well. */
  Reply assign(Transaction transaction, TransactionRef ref) {
    if (transaction == null) {
      return noSuchTransaction(ref);
    }
    if (transaction.gxid == 0) {
      Reply refused = refuseGxids(1);
      if (refused != null) {
        return refused;
      }
      table.assign(transaction, gxids.take());
      applying.did(gxids.settle(applying.entry));
    }
    return null;
  }

  Reply end(TransactionCommand.End c) {
    Transaction transaction = table.find(c.transaction());
    int gxid = gxidToEcho(transaction, c.transaction());
    return new TransactionReply.Ended(c.outcome(), gxid, end(transaction));
  }

  private boolean end(Transaction transaction) {
    if (transaction == null) {
      return false;
    }
    applying.did(transaction.hasGid() ? Effect.FORCED : Effect.LOGGED);
    table.end(transaction);
    return true;
  }

  Reply endMany(TransactionCommand.EndMany c) {
    boolean[] known = new boolean[c.transactions().size()];
    for (int i = 0; i < known.length; i++) {
      known[i] = end(table.find(c.transactions().get(i)));
    }
    return new TransactionReply.EndedMany(c.outcome(), Flags.of(known));
  }

  Reply commitPrepared(TransactionCommand.CommitPrepared c) {
    Transaction prepared = table.find(c.prepared());
    int gxid = gxidToEcho(prepared, c.prepared());
    boolean known = end(prepared);
    end(table.find(c.committing()));
    return new TransactionReply.PreparedCommitted(gxid, known);
  }

  private static int gxidToEcho(Transaction transaction, TransactionRef ref) {
    if (transaction != null) {
      return GxidMath.wire(transaction.gxid);
    }
    return ref.byGxid() ? ref.value() : 0;
  }

  Reply startPrepare(TransactionCommand.StartPrepare c) {
    Transaction transaction = table.find(c.transaction());
    if (transaction == null) {
      return noSuchTransaction(c.transaction());
    }
    Transaction holder = table.findGid(c.gid());
    if (holder != null) {
      return new Reply.Rejected(
          Reason.GID_IN_USE,
          "transaction identifier \"" + Names.printable(c.gid()) + "\" is already in use",
          "");
    }
    table.startPrepare(transaction, c.gid(), c.nodes());
    applying.did(Effect.FORCED);
    return new TransactionReply.PrepareStarted(GxidMath.wire(transaction.gxid));
  }

  Reply prepare(TransactionCommand.Prepare c) {
    Transaction transaction = table.find(c.transaction());
    if (transaction == null) {
      return noSuchTransaction(c.transaction());
    }
    if (!transaction.hasGid()) {
      return new Reply.Rejected(
          Reason.BAD_STATE, c.transaction() + " has not started to prepare", "");
    }
    table.prepare(transaction);
    applying.did(Effect.FORCED);
    return new TransactionReply.Prepared(GxidMath.wire(transaction.gxid));
  }

  Reply beginForPrepared(TransactionCommand.BeginForPrepared c) {
    Transaction prepared = table.findGid(c.gid());
    if (prepared == null) {
      return new Reply.Rejected(
          Reason.NO_SUCH_GID,
          "prepared transaction with identifier \""
              + Names.printable(c.gid())
              + "\" does not exist",
          "");
    }
    Reply refused = refuseBegin(1, true);
    if (refused != null) {
      return refused;
    }
    Transaction transaction =
        new Transaction(
            table.nextHandle(), c.session(), c.backend(), c.isolation(), c.readOnly(), false);
    addBegun(transaction, true);
    return new TransactionReply.BeganForPrepared(
        GxidMath.wire(transaction.gxid), GxidMath.wire(prepared.gxid), prepared.nodes);
  }

  Reply advanceOldest(TransactionCommand.AdvanceOldestGxid c) {
    long gxid = GxidMath.notAfter(gxids.next(), c.gxid());
    long oldestInUse = table.oldestXmin(table.xmin(table.listed(), gxids.next()));
    if (!GxidMath.isNormal(gxid) || gxid < gxids.oldest() || gxid > oldestInUse) {
      return new Reply.Rejected(
          Reason.BAD_GXID,
          "the oldest gxid cannot become "
              + Integer.toUnsignedString(c.gxid())
              + ": it must lie from "
              + Integer.toUnsignedString(GxidMath.wire(gxids.oldest()))
              + " to "
              + Integer.toUnsignedString(GxidMath.wire(oldestInUse)),
          "");
    }
    gxids.advanceOldest(gxid);
    applying.did(Effect.FORCED);
    return new TransactionReply.OldestGxidAdvanced(
        GxidMath.wire(gxid), GxidMath.wire(gxids.stopAt(applying.limits)));
  }

  Reply startGxids(TransactionCommand.StartGxids c) {
    if (gxids.started() || table.count() > 0) {
      return new Reply.Rejected(
          Reason.BAD_STATE,
          "gxids have started already, the next one is "
              + Integer.toUnsignedString(GxidMath.wire(gxids.next())),
          "");
    }
    if (!GxidMath.isNormal(c.oldest())
        || c.oldest() < GxidMath.FIRST_NORMAL
        || c.next() < c.oldest()) {
      return new Reply.Rejected(
          Reason.BAD_GXID,
          "gxids cannot start at " + c.next() + " with " + c.oldest() + " as the oldest",
          "");
    }
    gxids.start(c.next(), c.oldest());
    table.setLatestCompleted(GxidMath.previous(gxids.next()));
    applying.did(Effect.FORCED);
    return Reply.None.INSTANCE;
  }

  Reply status(TransactionCommand.GetStatus c) {
    Transaction transaction = table.find(c.transaction());
    return transaction == null
        ? noSuchTransaction(c.transaction())
        : new TransactionReply.Status(GxidMath.wire(transaction.gxid), transaction.state);
  }

  Reply nextGxid() {
    return new TransactionReply.NextGxid(GxidMath.wire(gxids.next()));
  }

  Reply list() {
    return counters(list(false));
  }

  Reply listPrepared() {
    return new TransactionReply.PreparedList(list(true));
  }

  /** The counters, with some transactions. */
  TransactionReply.TransactionList counters(List<TransactionReply.TransactionInfo> transactions) {
    return new TransactionReply.TransactionList(
        GxidMath.wire(gxids.next()),
        GxidMath.wire(gxids.oldest()),
        GxidMath.wire(gxids.warnAt(applying.limits)),
        GxidMath.wire(gxids.stopAt(applying.limits)),
        GxidMath.wire(gxids.wrapAt()),
        GxidMath.wire(table.latestCompleted()),
        GxidMath.wire(table.recentGlobalXmin()),
        table.lastHandle(),
        transactions);
  }

  private List<TransactionReply.TransactionInfo> list(boolean preparedOnly) {
    List<TransactionReply.TransactionInfo> infos = new ArrayList<>();
    table.forEach(
        t -> {
          if (!preparedOnly || t.state == TransactionState.PREPARED) {
            infos.add(t.info());
          }
        });
    return infos;
  }

  static Reply noSuchTransaction(TransactionRef ref) {
    return new Reply.Rejected(
        Reason.NO_SUCH_TRANSACTION, "there is no open transaction with " + ref, "");
  }

  /** Ends what dies with a session; {@code backend} NO_BACKEND means all of it. */
  boolean endSession(long session, short backend) {
    return table.endAll(
        t ->
            t.session == session
                && !t.state.outlivesSession()
                && (backend == Command.NO_BACKEND || t.backend == backend));
  }

  /** Gxids that are passed over count as ended; what is open stays so. */
  void skipAhead(long more) {
    gxids.skipReserved(more);
    table.setLatestCompleted(GxidMath.previous(gxids.next()));
  }

  /** After a restart: nobody is connected, and everything given before counts as ended. */
  void restart(boolean clean) {
    table.endAll(t -> !t.state.outlivesSession());
    if (!clean) {
      gxids.skipReserved(0);
    }
    table.setLatestCompleted(GxidMath.previous(gxids.next()));
  }
}
