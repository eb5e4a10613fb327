package io.mgtm.group.member;

import io.mgtm.group.ReplicatedLog;

/**
 * A listener that is told of commits on every member, whether it leads or not; {@link #committed}
 * is not called. Owner thread.
 */
public interface MemberListener extends ReplicatedLog.Listener {

  /** Every entry up to {@code index} is committed and applied here; the log may be called. */
  void settled(long index);

  /** Called every few milliseconds; the log may be called. */
  void ticked(long nowMs);

  @Override
  default void committed(long index) {
    throw new IllegalStateException("told as to a leader's listener");
  }
}
