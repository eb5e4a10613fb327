package io.mgtm.gtm.wire.xc12;

import io.mgtm.gtm.command.SnapshotCommand.AssignGxidAndGetSnapshot;
import io.mgtm.gtm.command.SnapshotCommand.GetSnapshot;
import io.mgtm.gtm.command.SnapshotCommand.GetSnapshotMany;
import io.mgtm.gtm.command.TransactionRef;
import io.mgtm.gtm.wire.WireException;

/** The bodies of snapshot commands (gtm_snap.c). */
final class SnapshotRequests {
  /** Lets a proxy on the way take one snapshot for several backends. */
  private static final boolean MAY_BE_GROUPED = true;

  static final RequestBody<GetSnapshot> GET =
      new RequestBody<>(
          (in, session, backend) -> new GetSnapshot(ref(in)),
          (out, c) -> putRef(out, c.transaction()));

  static final RequestBody<GetSnapshotMany> GET_MANY =
      new RequestBody<>(
          (in, session, backend) -> new GetSnapshotMany(TransactionRequests.refs(in)),
          (out, c) -> TransactionRequests.putRefs(out, c.transactions()));

  static final RequestBody<AssignGxidAndGetSnapshot> ASSIGN_AND_GET =
      new RequestBody<>(
          (in, session, backend) -> new AssignGxidAndGetSnapshot(ref(in)),
          (out, c) -> putRef(out, c.transaction()));

  private SnapshotRequests() {}

  private static TransactionRef ref(FrameReader in) throws WireException {
    // Whether a proxy may group it; of no meaning here.
    in.readByte();
    return TransactionRequests.ref(in);
  }

  private static void putRef(FrameWriter out, TransactionRef ref) {
    TransactionRequests.putRef(out.putBoolean(MAY_BE_GROUPED), ref);
  }
}
