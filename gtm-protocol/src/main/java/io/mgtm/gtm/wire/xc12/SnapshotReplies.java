package io.mgtm.gtm.wire.xc12;

import io.mgtm.gtm.command.CommandType;
import io.mgtm.gtm.command.Flags;
import io.mgtm.gtm.command.Gxids;
import io.mgtm.gtm.command.SnapshotReply.Snapshot;
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
  static final int STATUS_OK = 0;
  static final int STATUS_ERROR = -1;

  static final ReplyBody<Snapshot> OF_ONE =
      new ReplyBody<>(
          in -> read(CommandType.GET_SNAPSHOT, ReplyDecoder.NO_HANDLE, in.readHostInt(), in),
          (out, r) -> put(out.putHostInt(r.gxid()), r));

  static final ReplyBody<Snapshot> OF_MANY =
      new ReplyBody<>(
          in -> read(CommandType.GET_SNAPSHOT_MANY, ReplyDecoder.NO_HANDLE, 0, in),
          SnapshotReplies::put);

  static final ReplyBody<Snapshot> WITH_GXID =
      new ReplyBody<>(
          in ->
              read(
                  CommandType.ASSIGN_GXID_AND_GET_SNAPSHOT, in.readHostInt(), in.readHostInt(), in),
          (out, r) -> put(out.putHostInt(r.handle()).putHostInt(r.gxid()), r));

  private SnapshotReplies() {}

  private static void put(FrameWriter out, Snapshot r) {
    putFlags(out, r.known());
    out.putHostInt(r.xmin()).putHostInt(r.xmax()).putHostInt(r.recentGlobalXmin());
    out.putInt(r.running().count()).putHostInts(r.running());
  }

  private static Snapshot read(CommandType of, int handle, int gxid, FrameReader in)
      throws WireException {
    Flags known = flags(in);
    int xmin = in.readHostInt();
    int xmax = in.readHostInt();
    int recentGlobalXmin = in.readHostInt();
    int count = in.readListCount(Integer.BYTES);
    Gxids running = new Gxids(in.readHostInts(count), 0, count);
    return new Snapshot(of, handle, gxid, known, xmin, xmax, recentGlobalXmin, running);
  }

  /** A count and one status each, 0 when there was such a transaction. */
  static Flags flags(FrameReader in) throws WireException {
    boolean[] known = new boolean[in.readHostListCount(Integer.BYTES)];
    for (int i = 0; i < known.length; i++) {
      known[i] = in.readHostInt() == STATUS_OK;
    }
    return Flags.of(known);
  }

  /** What {@link #flags} reads. */
  static void putFlags(FrameWriter out, Flags known) {
    out.putHostInt(known.count());
    for (int i = 0; i < known.count(); i++) {
      out.putHostInt(known.get(i) ? STATUS_OK : STATUS_ERROR);
    }
  }
}
