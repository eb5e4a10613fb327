package io.mgtm.gtm.node.engine;

import io.mgtm.group.StatePicture;

/** Who asked for the whole state. Owner thread. */
public interface StateCopy {

  /**
   * The state, committed.
   *
   * @param index of the last entry that it holds
   */
  void copied(long index, StatePicture state);

  /** There is none: this node does not lead (any more). */
  void notLeading();
}
