package io.mgtm.gtm.server;

/** Who asked for a copy of the whole state. Owner thread. */
interface StateCopy {

  /**
   * The state, committed.
   *
   * @param index of the last entry that it holds
   */
  void copied(long index, byte[] state);

  /** There is none: this node does not lead (any more). */
  void notLeading();
}
