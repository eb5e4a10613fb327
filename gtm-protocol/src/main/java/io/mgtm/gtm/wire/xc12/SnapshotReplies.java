package io.mgtm.gtm.wire.xc12;

import io.mgtm.gtm.command.CommandType;
import io.mgtm.gtm.command.Flags;
import io.mgtm.gtm.command.Gxids;
import io.mgtm.gtm.command.SnapshotReply;
import io.mgtm.gtm.wire.WireException;

/**
 * The bodies of snapshots as a client reads them (fe-protocol.c), all but the count of gxids in the
 * host's order:
 *
 * <pre>
 * +----------+--------+---------+----------+--------+--------+--------+----------+---------+
 * | handle   | gxid   | count   | status…  | xmin   | xmax   | recent | xcnt BE  | gxids…  |
 * +----------+--------+---------+----------+--------+--------+--------+----------+---------+
 *  SNAPSHOT_  not in
 *  GXID_GET   SNAPSHOT_GET_MULTI
 * </pre>
 */
final class SnapshotReplies {
  private SnapshotReplies() {}

  static SnapshotReply.Snapshot read(ResultType type, FrameReader in) throws WireException {
    int handle = type == ResultType.SNAPSHOT_GXID_GET ? in.readHostInt() : ReplyDecoder.NO_HANDLE;
    int gxid = type == ResultType.SNAPSHOT_GET_MULTI ? 0 : in.readHostInt();
    Flags known = flags(in);
    int xmin = in.readHostInt();
    int xmax = in.readHostInt();
    int recentGlobalXmin = in.readHostInt();
    int count = in.readListCount(Integer.BYTES);
    Gxids running = new Gxids(in.readHostInts(count), 0, count);
    CommandType of =
        switch (type) {
          case SNAPSHOT_GET -> CommandType.GET_SNAPSHOT;
          case SNAPSHOT_GET_MULTI -> CommandType.GET_SNAPSHOT_MANY;
          default -> CommandType.ASSIGN_GXID_AND_GET_SNAPSHOT;
        };
    return new SnapshotReply.Snapshot(
        of, handle, gxid, known, xmin, xmax, recentGlobalXmin, running);
  }

  /** A count and one status each, 0 when there was such a transaction. */
  static Flags flags(FrameReader in) throws WireException {
    boolean[] known = new boolean[in.readHostListCount(Integer.BYTES)];
    for (int i = 0; i < known.length; i++) {
      known[i] = in.readHostInt() == ReplyEncoder.STATUS_OK;
    }
    return Flags.of(known);
  }
}
