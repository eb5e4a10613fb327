package io.mgtm.group.member;

import io.mgtm.group.ReplicatedLog;

/** A member's part in a group that one leads, whether it keeps the log or is the witness. */
public interface MemberLog extends OpenLog, ReplicatedLog {

  @Override
  boolean isLeading();

  @Override
  void close();
}
