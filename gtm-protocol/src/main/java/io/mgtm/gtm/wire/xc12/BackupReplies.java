package io.mgtm.gtm.wire.xc12;

import io.mgtm.gtm.command.BackupReply;
import io.mgtm.gtm.command.CommandType;
import io.mgtm.gtm.wire.WireException;
import java.util.ArrayList;
import java.util.List;

/** The bodies of replies to barriers and backups. */
final class BackupReplies {
  private static final int BARRIER_BYTES_MIN = Integer.BYTES + 2 * Long.BYTES;

  static final ReplyBody<BackupReply.BarrierList> BARRIERS =
      ReplyBody.counted(
          BackupReplies::barriers,
          BackupReply.BarrierList::barriers,
          r -> r.barriers().stream().mapToLong(b -> BARRIER_BYTES_MIN + b.id().length()).sum(),
          (out, b) -> out.putString(b.id()).putHostLong(b.nextGxid()).putHostLong(b.timeMicros()));

  private BackupReplies() {}

  static ReplyBody<BackupReply.Done> done(CommandType of) {
    return new ReplyBody<>(in -> new BackupReply.Done(of), (out, r) -> {});
  }

  private static BackupReply.BarrierList barriers(FrameReader in) throws WireException {
    int count = in.readListCount(BARRIER_BYTES_MIN);
    List<BackupReply.BarrierInfo> barriers = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      String id = in.readString("barrier id", FrameLimits.BARRIER_ID_BYTES_MAX);
      barriers.add(new BackupReply.BarrierInfo(id, in.readHostLong(), in.readHostLong()));
    }
    return new BackupReply.BarrierList(barriers);
  }
}
