package io.mgtm.gtm.wire.xc12;

import io.mgtm.gtm.command.Isolation;
import io.mgtm.gtm.command.Outcome;
import io.mgtm.gtm.command.TransactionCommand;
import io.mgtm.gtm.command.TransactionCommand.BeginItem;
import io.mgtm.gtm.command.TransactionCommand.BeginKind;
import io.mgtm.gtm.command.TransactionRef;
import io.mgtm.gtm.wire.MessageType;
import io.mgtm.gtm.wire.WireException;
import java.util.ArrayList;
import java.util.List;

/** The bodies of transaction commands (gtm_txn.c). */
final class TransactionRequests {
  private static final int REF_BYTES = 1 + Integer.BYTES;
  private static final int BEGIN_ITEM_BYTES = Integer.BYTES + 1 + Short.BYTES;
  private static final int WIDE_BEGIN_ITEM_BYTES = Integer.BYTES + 1 + Integer.BYTES;

  private TransactionRequests() {}

  static TransactionCommand read(MessageType type, FrameReader in, long session, short backend)
      throws WireException {
    return switch (type) {
      case TXN_BEGIN -> begin(in, session, backend, BeginKind.HANDLE);
      case TXN_BEGIN_GETGXID -> begin(in, session, backend, BeginKind.GXID);
      case TXN_BEGIN_GETGXID_AUTOVACUUM -> begin(in, session, backend, BeginKind.AUTOVACUUM);
      case TXN_BEGIN_GETGXID_MULTI -> beginMany(in, session);
      case TXN_COMMIT -> new TransactionCommand.End(ref(in), Outcome.COMMIT);
      case TXN_ROLLBACK -> new TransactionCommand.End(ref(in), Outcome.ROLLBACK);
      case TXN_COMMIT_MULTI -> new TransactionCommand.EndMany(refs(in), Outcome.COMMIT);
      case TXN_ROLLBACK_MULTI -> new TransactionCommand.EndMany(refs(in), Outcome.ROLLBACK);
      case TXN_COMMIT_PREPARED -> new TransactionCommand.CommitPrepared(ref(in), ref(in));
      case TXN_START_PREPARED -> new TransactionCommand.StartPrepare(ref(in), gid(in), nodes(in));
      case TXN_PREPARE -> new TransactionCommand.Prepare(ref(in));
      case TXN_GET_GID_DATA ->
          new TransactionCommand.BeginForPrepared(
              session, backend, isolation(in), in.readBoolean(), gid(in));
      case TXN_GET_GXID ->
          new TransactionCommand.AssignGxid(TransactionRef.handle(in.readHostInt()));
      case TXN_GET_NEXT_GXID -> new TransactionCommand.GetNextGxid();
      case TXN_GXID_LIST -> new TransactionCommand.ListTransactions();
      case TXN_GET_STATUS -> new TransactionCommand.GetStatus(ref(in));
      case TXN_GET_ALL_PREPARED -> new TransactionCommand.ListPrepared();
      case MGTM_ADVANCE_OLDEST_GXID -> new TransactionCommand.AdvanceOldestGxid(in.readHostInt());
      default -> throw new IllegalArgumentException(type + " is no transaction command");
    };
  }

  private static TransactionCommand begin(
      FrameReader in, long session, short backend, BeginKind kind) throws WireException {
    return new TransactionCommand.Begin(session, backend, isolation(in), in.readBoolean(), kind);
  }

  /**
   * The server of the original reads 16-bit connection numbers, its client library writes 32-bit
   * ones, both big-endian; the length tells which it is.
   */
  private static TransactionCommand beginMany(FrameReader in, long session) throws WireException {
    int count = in.readCount(BEGIN_ITEM_BYTES);
    boolean wide = in.remaining() == count * WIDE_BEGIN_ITEM_BYTES;
    List<BeginItem> items = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      Isolation isolation = isolation(in);
      boolean readOnly = in.readBoolean();
      short backend = wide ? (short) in.readInt() : in.readShort();
      items.add(new BeginItem(backend, isolation, readOnly));
    }
    return new TransactionCommand.BeginMany(session, items);
  }

  /** What {@link #read} reads. */
  static void write(FrameWriter out, TransactionCommand command) {
    if (command instanceof TransactionCommand.Begin c) {
      putMode(out, c.isolation(), c.readOnly());
    } else if (command instanceof TransactionCommand.End c) {
      putRef(out, c.transaction());
    } else if (command instanceof TransactionCommand.BeginMany c) {
      out.putInt(c.items().size());
      for (BeginItem item : c.items()) {
        putMode(out, item.isolation(), item.readOnly());
        out.putShort(item.backend());
      }
    } else if (command instanceof TransactionCommand.EndMany c) {
      putRefs(out, c.transactions());
    } else if (command instanceof TransactionCommand.AssignGxid c) {
      requireHandle(c.transaction());
      out.putHostInt(c.transaction().value());
    } else if (command instanceof TransactionCommand.StartPrepare c) {
      putRef(out, c.transaction());
      out.putString(c.gid()).putString(c.nodes());
    } else if (command instanceof TransactionCommand.Prepare c) {
      putRef(out, c.transaction());
    } else if (command instanceof TransactionCommand.CommitPrepared c) {
      putRef(out, c.prepared());
      putRef(out, c.committing());
    } else if (command instanceof TransactionCommand.BeginForPrepared c) {
      putMode(out, c.isolation(), c.readOnly());
      out.putString(c.gid());
    } else if (command instanceof TransactionCommand.GetStatus c) {
      putRef(out, c.transaction());
    } else if (command instanceof TransactionCommand.AdvanceOldestGxid c) {
      out.putHostInt(c.gxid());
    }
    // What is left asks without a field.
  }

  private static void requireHandle(TransactionRef ref) {
    if (ref.byGxid()) {
      throw new IllegalArgumentException("TXN_GET_GXID names a transaction by handle, not " + ref);
    }
  }

  private static void putMode(FrameWriter out, Isolation isolation, boolean readOnly) {
    out.putInt(isolation.code()).putBoolean(readOnly);
  }

  static void putRef(FrameWriter out, TransactionRef ref) {
    out.putBoolean(ref.byGxid()).putHostInt(ref.value());
  }

  static void putRefs(FrameWriter out, List<TransactionRef> refs) {
    out.putInt(refs.size());
    for (TransactionRef ref : refs) {
      putRef(out, ref);
    }
  }

  private static Isolation isolation(FrameReader in) throws WireException {
    int code = in.readInt();
    Isolation isolation = Isolation.ofCode(code);
    if (isolation == null) {
      throw new WireException("unknown isolation level " + code);
    }
    return isolation;
  }

  private static String gid(FrameReader in) throws WireException {
    return NameRules.requireNoTerminator("GID", in.readString("GID", FrameLimits.GID_BYTES_MAX));
  }

  private static String nodes(FrameReader in) throws WireException {
    return NameRules.requireNoTerminator(
        "node list", in.readString("node list", FrameLimits.NODE_STRING_BYTES_MAX));
  }

  static TransactionRef ref(FrameReader in) throws WireException {
    return new TransactionRef(in.readBoolean(), in.readHostInt());
  }

  static List<TransactionRef> refs(FrameReader in) throws WireException {
    int count = in.readCount(REF_BYTES);
    List<TransactionRef> refs = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      refs.add(ref(in));
    }
    return refs;
  }
}
