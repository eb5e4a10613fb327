package io.mgtm.gtm.wire.xc12;

import io.mgtm.gtm.command.SnapshotCommand;
import io.mgtm.gtm.command.TransactionRef;
import io.mgtm.gtm.wire.MessageType;
import io.mgtm.gtm.wire.WireException;

/** The bodies of snapshot commands (gtm_snap.c). */
final class SnapshotRequests {
  /** Lets a proxy on the way take one snapshot for several backends. */
  private static final boolean MAY_BE_GROUPED = true;

  private SnapshotRequests() {}

  static SnapshotCommand read(MessageType type, FrameReader in) throws WireException {
    if (type == MessageType.SNAPSHOT_GET_MULTI) {
      return new SnapshotCommand.GetSnapshotMany(TransactionRequests.refs(in));
    }
    // Whether a proxy may group it; of no meaning here.
    in.readByte();
    TransactionRef ref = TransactionRequests.ref(in);
    return type == MessageType.SNAPSHOT_GET
        ? new SnapshotCommand.GetSnapshot(ref)
        : new SnapshotCommand.AssignGxidAndGetSnapshot(ref);
  }

  /** What {@link #read} reads. */
  static void write(FrameWriter out, SnapshotCommand command) {
    if (command instanceof SnapshotCommand.GetSnapshotMany c) {
      TransactionRequests.putRefs(out, c.transactions());
    } else if (command instanceof SnapshotCommand.GetSnapshot c) {
      TransactionRequests.putRef(out.putBoolean(MAY_BE_GROUPED), c.transaction());
    } else if (command instanceof SnapshotCommand.AssignGxidAndGetSnapshot c) {
      TransactionRequests.putRef(out.putBoolean(MAY_BE_GROUPED), c.transaction());
    }
  }
}
