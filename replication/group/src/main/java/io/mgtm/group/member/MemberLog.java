package io.mgtm.group.member;

import io.mgtm.group.ReplicatedLog;
import io.mgtm.group.storage.LogStats;

/** A member's part in its group, whether it keeps the log or is the witness. */
public interface MemberLog extends ReplicatedLog, GroupAdmin {

  /** Where the log stands and what it has done. Any thread. */
  LogStats stats();
}
