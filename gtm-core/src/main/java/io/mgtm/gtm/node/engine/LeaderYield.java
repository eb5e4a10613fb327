package io.mgtm.gtm.node.engine;

/**
 * A leader whose disk is full lets another member lead rather than refuse what clients ask: what
 * they ask waits at their gateways meanwhile. When nobody takes over in time, it refuses. Owner
 * thread.
 */
final class LeaderYield {
  /** How long gateways wait for another leader. */
  static final int YIELD_MS = 5_000;

  private final Runnable handOver;
  private long sinceMs;
  private boolean noRoom;
  private boolean yielding;

  /**
   * A leader that has room.
   *
   * @param handOver asks another member to lead, unless one was asked already, or there is none to
   *     ask, which may be so for a moment only. Null without a group
   */
  LeaderYield(Runnable handOver) {
    this.handOver = handOver;
  }

  /** The log has no room: whether commands are to wait for another leader. */
  boolean noRoom(long nowMs) {
    if (!noRoom) {
      noRoom = true;
      sinceMs = nowMs;
    }
    yielding = handOver != null && nowMs - sinceMs < YIELD_MS;
    if (yielding) {
      handOver.run();
    }
    return yielding;
  }

  /** There is room, or another one leads. */
  void clear() {
    noRoom = false;
    yielding = false;
  }

  /** Whether gateways are told that this member does not lead, though it does. */
  boolean isYielding() {
    return yielding;
  }
}
