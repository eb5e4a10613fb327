package io.mgtm.gtm.command;

import java.util.List;

/** Answers to {@link BackupCommand}. */
public sealed interface BackupReply extends Reply {

  /** Done, nothing to tell. */
  record Done(CommandType of) implements BackupReply {}

  /**
   * A remembered point.
   *
   * @param nextGxid the next gxid when it was set
   * @param timeMicros µs since 2000-01-01
   */
  record BarrierInfo(String id, long nextGxid, long timeMicros) {}

  /** The barriers that are remembered, oldest first. */
  record BarrierList(List<BarrierInfo> barriers) implements BackupReply {}
}
