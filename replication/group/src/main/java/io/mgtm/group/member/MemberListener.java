package io.mgtm.group.member;

import io.mgtm.group.core.MemberId;
import io.mgtm.group.core.Message;

/**
 * Told by the log of a member beside its {@link io.mgtm.group.ReplicatedLog.Listener}, whether it
 * leads or not. Owner thread.
 */
public interface MemberListener {

  /** For a log that only its leader makes use of. */
  MemberListener NONE = new MemberListener() {};

  /** Every entry up to {@code index} is committed and applied here; the log may be called. */
  default void settled(long index) {}

  /** Called every few milliseconds; the log may be called. */
  default void ticked(long nowMs) {}

  /** A message that is not for the core of the log; the log may be called. */
  default void received(MemberId from, Message.OfOrder message) {}
}
