package io.mgtm.block.store;

import java.util.ArrayList;
import java.util.List;

/**
 * Keeps two changes from reading and writing back the same block at once. A change that begins or
 * ends within a block has that block read, altered and written; a neighbour in the same block that
 * did so meanwhile would be undone. Changes of whole blocks need no lock: the caller sees to it
 * that ranges under way do not overlap. One thread.
 */
class EdgeLocks {
  private final List<FlashRequest> held = new ArrayList<>();

  /** Lets {@code change} begin unless one that shares a block with it is under way. */
  boolean tryEnter(FlashRequest change) {
    if (!change.hasEdges()) {
      return true;
    }
    for (FlashRequest other : held) {
      if (change.sharesBlockWith(other)) {
        return false;
      }
    }
    held.add(change);
    return true;
  }

  /** {@code change} is complete. */
  void leave(FlashRequest change) {
    if (change.hasEdges()) {
      held.remove(change);
    }
  }
}
