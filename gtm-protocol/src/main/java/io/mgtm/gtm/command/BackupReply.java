package io.mgtm.gtm.command;

import java.nio.ByteBuffer;
import java.util.List;

/** Answers to {@link BackupCommand}. */
public sealed interface BackupReply extends Reply {

  /** Done, nothing to tell. */
  record Done(CommandType of) implements BackupReply, Kept {
    @Override
    public ReplyType type() {
      return ReplyType.BACKUP_DONE;
    }

    @Override
    public void write(ByteBuffer out) {
      out.put(of.code());
    }

    static Done read(ByteBuffer in) {
      return new Done(FieldReader.getCommandType(in));
    }
  }

  /**
   * A remembered point.
   *
   * @param nextGxid the next gxid when it was set
   * @param timeMicros µs since 2000-01-01
   */
  record BarrierInfo(String id, long nextGxid, long timeMicros) {}

  /** The barriers that are remembered, oldest first. */
  record BarrierList(List<BarrierInfo> barriers) implements BackupReply {
    @Override
    public ReplyType type() {
      return ReplyType.BARRIER_LIST;
    }
  }
}
