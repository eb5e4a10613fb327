package io.mgtm.group;

import java.nio.ByteBuffer;

/** What the entries of a {@link ReplicatedLog} mean. Owner thread. */
public interface StateMachine extends ReplicatedState {

  /**
   * Applies one entry that this member did not append itself: at replay after a restart, or on a
   * member that follows a leader.
   *
   * @param index the entry's index
   * @param payload the entry's bytes, valid during the call only
   * @throws LogException with {@link LogException.Category#FORMAT} when the bytes are of a newer
   *     version; any other exception means a broken invariant and stops the node
   */
  void apply(long index, ByteBuffer payload);
}
