package io.mgtm.gtm.wire.xc12;

import io.mgtm.gtm.command.Isolation;
import io.mgtm.gtm.command.Outcome;
import io.mgtm.gtm.command.TransactionCommand.AdvanceOldestGxid;
import io.mgtm.gtm.command.TransactionCommand.AssignGxid;
import io.mgtm.gtm.command.TransactionCommand.Begin;
import io.mgtm.gtm.command.TransactionCommand.BeginForPrepared;
import io.mgtm.gtm.command.TransactionCommand.BeginItem;
import io.mgtm.gtm.command.TransactionCommand.BeginKind;
import io.mgtm.gtm.command.TransactionCommand.BeginMany;
import io.mgtm.gtm.command.TransactionCommand.CommitPrepared;
import io.mgtm.gtm.command.TransactionCommand.End;
import io.mgtm.gtm.command.TransactionCommand.EndMany;
import io.mgtm.gtm.command.TransactionCommand.GetStatus;
import io.mgtm.gtm.command.TransactionCommand.Prepare;
import io.mgtm.gtm.command.TransactionCommand.StartPrepare;
import io.mgtm.gtm.command.TransactionRef;
import io.mgtm.gtm.wire.WireException;
import java.util.ArrayList;
import java.util.List;

/** The bodies of transaction commands (gtm_txn.c). */
final class TransactionRequests {
  private static final int REF_BYTES = 1 + Integer.BYTES;
  private static final int BEGIN_ITEM_BYTES = Integer.BYTES + 1 + Short.BYTES;
  private static final int WIDE_BEGIN_ITEM_BYTES = Integer.BYTES + 1 + Integer.BYTES;

  static final RequestBody<BeginMany> BEGIN_MANY =
      new RequestBody<>(
          (in, session, backend) -> beginMany(in, session), (out, c) -> putItems(out, c.items()));

  static final RequestBody<AssignGxid> ASSIGN_GXID =
      new RequestBody<>(
          (in, session, backend) -> new AssignGxid(TransactionRef.handle(in.readHostInt())),
          (out, c) -> out.putHostInt(requireHandle(c.transaction()).value()));

  static final RequestBody<StartPrepare> START_PREPARE =
      new RequestBody<>(
          (in, session, backend) -> new StartPrepare(ref(in), gid(in), nodes(in)),
          (out, c) -> putRef(out, c.transaction()).putString(c.gid()).putString(c.nodes()));

  static final RequestBody<Prepare> PREPARE =
      new RequestBody<>(
          (in, session, backend) -> new Prepare(ref(in)), (out, c) -> putRef(out, c.transaction()));

  static final RequestBody<CommitPrepared> COMMIT_PREPARED =
      new RequestBody<>(
          (in, session, backend) -> new CommitPrepared(ref(in), ref(in)),
          (out, c) -> putRef(putRef(out, c.prepared()), c.committing()));

  static final RequestBody<BeginForPrepared> BEGIN_FOR_PREPARED =
      new RequestBody<>(
          (in, session, backend) ->
              new BeginForPrepared(session, backend, isolation(in), in.readBoolean(), gid(in)),
          (out, c) -> putMode(out, c.isolation(), c.readOnly()).putString(c.gid()));

  static final RequestBody<GetStatus> GET_STATUS =
      new RequestBody<>(
          (in, session, backend) -> new GetStatus(ref(in)),
          (out, c) -> putRef(out, c.transaction()));

  static final RequestBody<AdvanceOldestGxid> ADVANCE_OLDEST_GXID =
      new RequestBody<>(
          (in, session, backend) -> new AdvanceOldestGxid(in.readHostInt()),
          (out, c) -> out.putHostInt(c.gxid()));

  private TransactionRequests() {}

  static RequestBody<Begin> begin(BeginKind kind) {
    return new RequestBody<>(
        (in, session, backend) ->
            new Begin(session, backend, isolation(in), in.readBoolean(), kind),
        (out, c) -> putMode(out, c.isolation(), c.readOnly()));
  }

  static RequestBody<End> end(Outcome outcome) {
    return new RequestBody<>(
        (in, session, backend) -> new End(ref(in), outcome),
        (out, c) -> putRef(out, c.transaction()));
  }

  static RequestBody<EndMany> endMany(Outcome outcome) {
    return new RequestBody<>(
        (in, session, backend) -> new EndMany(refs(in), outcome),
        (out, c) -> putRefs(out, c.transactions()));
  }

  /**
   * The server of the original reads 16-bit connection numbers, its client library writes 32-bit
   * ones, both big-endian; the length tells which it is.
   */
  private static BeginMany beginMany(FrameReader in, long session) throws WireException {
    int count = in.readCount(BEGIN_ITEM_BYTES);
    boolean wide = in.remaining() == count * WIDE_BEGIN_ITEM_BYTES;
    List<BeginItem> items = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      Isolation isolation = isolation(in);
      boolean readOnly = in.readBoolean();
      short backend = wide ? (short) in.readInt() : in.readShort();
      items.add(new BeginItem(backend, isolation, readOnly));
    }
    return new BeginMany(session, items);
  }

  private static void putItems(FrameWriter out, List<BeginItem> items) {
    out.putInt(items.size());
    for (BeginItem item : items) {
      putMode(out, item.isolation(), item.readOnly());
      out.putShort(item.backend());
    }
  }

  private static TransactionRef requireHandle(TransactionRef ref) {
    if (ref.byGxid()) {
      throw new IllegalArgumentException("TXN_GET_GXID names a transaction by handle, not " + ref);
    }
    return ref;
  }

  private static FrameWriter putMode(FrameWriter out, Isolation isolation, boolean readOnly) {
    return out.putInt(isolation.code()).putBoolean(readOnly);
  }

  static FrameWriter putRef(FrameWriter out, TransactionRef ref) {
    return out.putBoolean(ref.byGxid()).putHostInt(ref.value());
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
