package io.mgtm.gtm.wire.xc12;

import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.Isolation;
import io.mgtm.gtm.command.Outcome;
import io.mgtm.gtm.command.TransactionCommand.BeginKind;
import io.mgtm.gtm.command.TransactionReply;
import io.mgtm.gtm.command.TransactionReply.TransactionInfo;
import io.mgtm.gtm.command.TransactionState;
import io.mgtm.gtm.wire.WireException;
import java.util.ArrayList;
import java.util.List;

/** The bodies of replies to transaction commands (gtm_txn.c). */
final class TransactionReplies {
  private static final int PREPARED_BYTES_MIN = 3 * Integer.BYTES;

  static final ReplyBody<TransactionReply.Began> BEGAN_HANDLE =
      new ReplyBody<>(
          in ->
              new TransactionReply.Began(BeginKind.HANDLE, in.readHostInt(), 0, in.readHostLong()),
          (out, r) -> out.putHostInt(r.handle()).putHostLong(r.timestampMicros()));

  static final ReplyBody<TransactionReply.Began> BEGAN_GXID =
      new ReplyBody<>(
          in ->
              new TransactionReply.Began(
                  BeginKind.GXID, ReplyDecoder.NO_HANDLE, in.readHostInt(), in.readHostLong()),
          (out, r) -> out.putHostInt(r.gxid()).putHostLong(r.timestampMicros()));

  static final ReplyBody<TransactionReply.Began> BEGAN_AUTOVACUUM =
      new ReplyBody<>(
          in ->
              new TransactionReply.Began(
                  BeginKind.AUTOVACUUM, ReplyDecoder.NO_HANDLE, in.readHostInt(), 0),
          (out, r) -> out.putHostInt(r.gxid()));

  static final ReplyBody<TransactionReply.BeganMany> BEGAN_MANY =
      new ReplyBody<>(
          in ->
              new TransactionReply.BeganMany(in.readHostInt(), in.readHostInt(), in.readHostLong()),
          (out, r) ->
              out.putHostInt(r.count()).putHostInt(r.firstGxid()).putHostLong(r.timestampMicros()));

  static final ReplyBody<TransactionReply.PreparedCommitted> PREPARED_COMMITTED =
      new ReplyBody<>(
          in -> new TransactionReply.PreparedCommitted(in.readHostInt(), known(in.readInt())),
          (out, r) -> out.putHostInt(r.preparedGxid()).putInt(status(r.known())));

  static final ReplyBody<TransactionReply.PrepareStarted> PREPARE_STARTED =
      new ReplyBody<>(
          in -> new TransactionReply.PrepareStarted(in.readHostInt()),
          (out, r) -> out.putHostInt(r.gxid()));

  static final ReplyBody<TransactionReply.Prepared> PREPARED =
      new ReplyBody<>(
          in -> new TransactionReply.Prepared(in.readHostInt()),
          (out, r) -> out.putHostInt(r.gxid()));

  static final ReplyBody<TransactionReply.BeganForPrepared> BEGAN_FOR_PREPARED =
      new ReplyBody<>(
          in ->
              new TransactionReply.BeganForPrepared(in.readHostInt(), in.readHostInt(), nodes(in)),
          (out, r) -> out.putHostInt(r.gxid()).putHostInt(r.preparedGxid()).putString(r.nodes()));

  static final ReplyBody<TransactionReply.GxidAssigned> GXID_ASSIGNED =
      new ReplyBody<>(
          in -> new TransactionReply.GxidAssigned(in.readHostInt(), in.readHostInt()),
          (out, r) -> out.putHostInt(r.handle()).putHostInt(r.gxid()));

  static final ReplyBody<TransactionReply.NextGxid> NEXT_GXID =
      new ReplyBody<>(
          in -> new TransactionReply.NextGxid(in.readInt()), (out, r) -> out.putInt(r.gxid()));

  static final ReplyBody<TransactionReply.Status> STATUS =
      new ReplyBody<>(
          in ->
              new TransactionReply.Status(
                  in.readHostInt(), Serialized.transactionState(in.readInt())),
          (out, r) -> out.putHostInt(r.gxid()).putInt(r.state().code()));

  static final ReplyBody<TransactionReply.OldestGxidAdvanced> OLDEST_GXID_ADVANCED =
      new ReplyBody<>(
          in -> new TransactionReply.OldestGxidAdvanced(in.readHostInt(), in.readHostInt()),
          (out, r) -> out.putHostInt(r.oldestGxid()).putHostInt(r.stopGxid()));

  static final ReplyBody<TransactionReply.TransactionList> TRANSACTIONS =
      new ReplyBody<>(
          Serialized::readTransactions,
          Serialized::putTransactions,
          new ReplyBody.Items<>(
              Integer.BYTES + Serialized.TRANSACTIONS_BYTES,
              TransactionReply.TransactionList::transactions,
              r ->
                  r.transactions().stream()
                      .mapToLong(t -> Long.BYTES + Serialized.transactionBytes(t))
                      .sum(),
              Serialized::putTransaction));

  /** Gxid, GID and node list of each, in the form of the original's other lists. */
  static final ReplyBody<TransactionReply.PreparedList> PREPARED_TRANSACTIONS =
      ReplyBody.counted(
          TransactionReplies::prepared,
          TransactionReply.PreparedList::transactions,
          r ->
              r.transactions().stream()
                  .mapToLong(t -> PREPARED_BYTES_MIN + t.gid().length() + t.nodes().length())
                  .sum(),
          (out, t) -> out.putHostInt(t.gxid()).putString(t.gid()).putString(t.nodes()));

  private TransactionReplies() {}

  static ReplyBody<TransactionReply.Ended> ended(Outcome outcome) {
    return new ReplyBody<>(
        in -> new TransactionReply.Ended(outcome, in.readHostInt(), known(in.readInt())),
        (out, r) -> out.putHostInt(r.gxid()).putInt(status(r.known())));
  }

  static ReplyBody<TransactionReply.EndedMany> endedMany(Outcome outcome) {
    return new ReplyBody<>(
        in -> new TransactionReply.EndedMany(outcome, SnapshotReplies.flags(in)),
        (out, r) -> SnapshotReplies.putFlags(out, r.known()));
  }

  private static int status(boolean known) {
    return known ? SnapshotReplies.STATUS_OK : SnapshotReplies.STATUS_ERROR;
  }

  private static boolean known(int status) {
    return status == SnapshotReplies.STATUS_OK;
  }

  private static String nodes(FrameReader in) throws WireException {
    return in.readString("node list", FrameLimits.NODE_STRING_BYTES_MAX);
  }

  private static TransactionReply.PreparedList prepared(FrameReader in) throws WireException {
    int count = in.readListCount(PREPARED_BYTES_MIN);
    List<TransactionInfo> transactions = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      int gxid = in.readHostInt();
      String gid = in.readString("GID", FrameLimits.GID_BYTES_MAX);
      transactions.add(
          new TransactionInfo(
              ReplyDecoder.NO_HANDLE,
              gxid,
              TransactionState.PREPARED,
              0,
              Command.NO_BACKEND,
              Isolation.READ_COMMITTED,
              false,
              false,
              0,
              gid,
              nodes(in)));
    }
    return new TransactionReply.PreparedList(transactions);
  }
}
