package io.mgtm.gtm.wire.xc12;

import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.Flags;
import io.mgtm.gtm.command.Isolation;
import io.mgtm.gtm.command.Outcome;
import io.mgtm.gtm.command.TransactionCommand.BeginKind;
import io.mgtm.gtm.command.TransactionReply;
import io.mgtm.gtm.command.TransactionReply.TransactionInfo;
import io.mgtm.gtm.command.TransactionState;
import io.mgtm.gtm.wire.WireException;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;

/** The bodies of replies to transaction commands (gtm_txn.c). */
final class TransactionReplies {
  static final int PREPARED_BYTES_MIN = 3 * Integer.BYTES;

  private final FrameWriter writer = new FrameWriter();

  void encode(ByteBuf out, boolean proxied, short backend, TransactionReply reply) {
    if (reply instanceof TransactionReply.Began r) {
      began(out, proxied, backend, r);
    } else if (reply instanceof TransactionReply.Ended r) {
      writer
          .beginSuccess(out, endType(r.outcome()), proxied, backend)
          .putHostInt(r.gxid())
          .putInt(ReplyEncoder.status(r.known()));
    } else if (reply instanceof TransactionReply.BeganMany r) {
      writer
          .beginSuccess(out, ResultType.TXN_BEGIN_GETGXID_MULTI, proxied, backend)
          .putHostInt(r.count())
          .putHostInt(r.firstGxid())
          .putHostLong(r.timestampMicros());
    } else if (reply instanceof TransactionReply.EndedMany r) {
      endedMany(out, proxied, backend, r);
    } else if (reply instanceof TransactionReply.PreparedCommitted r) {
      writer
          .beginSuccess(out, ResultType.TXN_COMMIT_PREPARED, proxied, backend)
          .putHostInt(r.preparedGxid())
          .putInt(ReplyEncoder.status(r.known()));
    } else if (reply instanceof TransactionReply.PrepareStarted r) {
      writer
          .beginSuccess(out, ResultType.TXN_START_PREPARED, proxied, backend)
          .putHostInt(r.gxid());
    } else if (reply instanceof TransactionReply.Prepared r) {
      writer.beginSuccess(out, ResultType.TXN_PREPARE, proxied, backend).putHostInt(r.gxid());
    } else if (reply instanceof TransactionReply.BeganForPrepared r) {
      writer
          .beginSuccess(out, ResultType.TXN_GET_GID_DATA, proxied, backend)
          .putHostInt(r.gxid())
          .putHostInt(r.preparedGxid())
          .putString(r.nodes());
    } else if (reply instanceof TransactionReply.GxidAssigned r) {
      writer
          .beginSuccess(out, ResultType.TXN_GET_GXID, proxied, backend)
          .putHostInt(r.handle())
          .putHostInt(r.gxid());
    } else {
      query(out, proxied, backend, reply);
    }
    writer.end();
  }

  private void began(ByteBuf out, boolean proxied, short backend, TransactionReply.Began r) {
    switch (r.kind()) {
      case GXID ->
          writer
              .beginSuccess(out, ResultType.TXN_BEGIN_GETGXID, proxied, backend)
              .putHostInt(r.gxid())
              .putHostLong(r.timestampMicros());
      case AUTOVACUUM ->
          writer
              .beginSuccess(out, ResultType.TXN_BEGIN_GETGXID_AUTOVACUUM, proxied, backend)
              .putHostInt(r.gxid());
      case HANDLE ->
          writer
              .beginSuccess(out, ResultType.TXN_BEGIN, proxied, backend)
              .putHostInt(r.handle())
              .putHostLong(r.timestampMicros());
    }
  }

  private static ResultType endType(Outcome outcome) {
    return outcome == Outcome.COMMIT ? ResultType.TXN_COMMIT : ResultType.TXN_ROLLBACK;
  }

  private void endedMany(
      ByteBuf out, boolean proxied, short backend, TransactionReply.EndedMany r) {
    ResultType type =
        r.outcome() == Outcome.COMMIT ? ResultType.TXN_COMMIT_MULTI : ResultType.TXN_ROLLBACK_MULTI;
    Flags known = r.known();
    writer.beginSuccess(out, type, proxied, backend).putHostInt(known.count());
    for (int i = 0; i < known.count(); i++) {
      writer.putHostInt(ReplyEncoder.status(known.get(i)));
    }
  }

  private void query(ByteBuf out, boolean proxied, short backend, TransactionReply reply) {
    if (reply instanceof TransactionReply.NextGxid r) {
      writer.beginSuccess(out, ResultType.TXN_GET_NEXT_GXID, proxied, backend).putInt(r.gxid());
    } else if (reply instanceof TransactionReply.Status r) {
      writer
          .beginSuccess(out, ResultType.TXN_GET_STATUS, proxied, backend)
          .putHostInt(r.gxid())
          .putInt(r.state().code());
    } else if (reply instanceof TransactionReply.OldestGxidAdvanced r) {
      writer
          .beginSuccess(out, ResultType.MGTM_ADVANCE_OLDEST_GXID, proxied, backend)
          .putHostInt(r.oldestGxid())
          .putHostInt(r.stopGxid());
    }
  }

  /** What {@link #encode} writes behind the result type and the connection number. */
  static TransactionReply read(ResultType type, FrameReader in) throws WireException {
    return switch (type) {
      case TXN_BEGIN ->
          new TransactionReply.Began(BeginKind.HANDLE, in.readHostInt(), 0, in.readHostLong());
      case TXN_BEGIN_GETGXID ->
          new TransactionReply.Began(
              BeginKind.GXID, ReplyDecoder.NO_HANDLE, in.readHostInt(), in.readHostLong());
      case TXN_BEGIN_GETGXID_AUTOVACUUM ->
          new TransactionReply.Began(
              BeginKind.AUTOVACUUM, ReplyDecoder.NO_HANDLE, in.readHostInt(), 0);
      case TXN_BEGIN_GETGXID_MULTI ->
          new TransactionReply.BeganMany(in.readHostInt(), in.readHostInt(), in.readHostLong());
      case TXN_COMMIT -> ended(Outcome.COMMIT, in);
      case TXN_ROLLBACK -> ended(Outcome.ROLLBACK, in);
      case TXN_COMMIT_MULTI ->
          new TransactionReply.EndedMany(Outcome.COMMIT, SnapshotReplies.flags(in));
      case TXN_ROLLBACK_MULTI ->
          new TransactionReply.EndedMany(Outcome.ROLLBACK, SnapshotReplies.flags(in));
      case TXN_COMMIT_PREPARED ->
          new TransactionReply.PreparedCommitted(in.readHostInt(), known(in.readInt()));
      case TXN_START_PREPARED -> new TransactionReply.PrepareStarted(in.readHostInt());
      case TXN_PREPARE -> new TransactionReply.Prepared(in.readHostInt());
      case TXN_GET_GID_DATA ->
          new TransactionReply.BeganForPrepared(in.readHostInt(), in.readHostInt(), nodes(in));
      case TXN_GET_GXID -> new TransactionReply.GxidAssigned(in.readHostInt(), in.readHostInt());
      case TXN_GET_NEXT_GXID -> new TransactionReply.NextGxid(in.readInt());
      case TXN_GET_STATUS ->
          new TransactionReply.Status(in.readHostInt(), Serialized.transactionState(in.readInt()));
      case TXN_GXID_LIST -> Serialized.readTransactions(in);
      case TXN_GET_ALL_PREPARED -> prepared(in);
      case MGTM_ADVANCE_OLDEST_GXID ->
          new TransactionReply.OldestGxidAdvanced(in.readHostInt(), in.readHostInt());
      default -> throw new IllegalArgumentException(type + " answers no transaction command");
    };
  }

  private static TransactionReply ended(Outcome outcome, FrameReader in) throws WireException {
    return new TransactionReply.Ended(outcome, in.readHostInt(), known(in.readInt()));
  }

  private static boolean known(int status) {
    return status == ReplyEncoder.STATUS_OK;
  }

  private static String nodes(FrameReader in) throws WireException {
    return in.readString("node list", FrameLimits.NODE_STRING_BYTES_MAX);
  }

  /** Gxid, GID and node list of each, in the form of the original's other lists. */
  private static TransactionReply prepared(FrameReader in) throws WireException {
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
