package io.mgtm.gtm.wire.xc12;

import io.mgtm.gtm.command.Flags;
import io.mgtm.gtm.command.Outcome;
import io.mgtm.gtm.command.TransactionReply;
import io.mgtm.gtm.wire.ResultType;
import io.netty.buffer.ByteBuf;

/** The bodies of replies to transaction commands (gtm_txn.c). */
final class TransactionReplies {
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
    } else if (reply instanceof TransactionReply.TransactionList r) {
      writer.beginSuccess(out, ResultType.TXN_GXID_LIST, proxied, backend);
      Serialized.putTransactions(writer, r);
    } else if (reply instanceof TransactionReply.PreparedList r) {
      writer
          .beginSuccess(out, ResultType.TXN_GET_ALL_PREPARED, proxied, backend)
          .putInt(r.transactions().size());
      r.transactions()
          .forEach(t -> writer.putHostInt(t.gxid()).putString(t.gid()).putString(t.nodes()));
    } else if (reply instanceof TransactionReply.OldestGxidAdvanced r) {
      writer
          .beginSuccess(out, ResultType.MGTM_ADVANCE_OLDEST_GXID, proxied, backend)
          .putHostInt(r.oldestGxid())
          .putHostInt(r.stopGxid());
    }
  }
}
