package io.mgtm.block.volume;

import java.util.Collection;

/** The bitmaps of all slots, which are written together. */
final class SlotBitmaps {
  private final Collection<ReplicaSlot> slots;

  /** The bitmaps of what is in {@code slots} whenever a method is called. */
  SlotBitmaps(Collection<ReplicaSlot> slots) {
    this.slots = slots;
  }

  /** Whether a write waits for one of them. */
  boolean isUrgent() {
    for (ReplicaSlot slot : slots) {
      if (slot.bitmap.isUrgent()) {
        return true;
      }
    }
    return false;
  }

  /** Whether one of them differs from its file. */
  boolean isStale() {
    for (ReplicaSlot slot : slots) {
      if (slot.bitmap.isStale()) {
        return true;
      }
    }
    return false;
  }

  /** The batch under way ended. */
  void persisted(boolean succeeded) {
    for (ReplicaSlot slot : slots) {
      if (slot.bitmap.isWriting()) {
        slot.bitmap.endBatch(succeeded);
      }
    }
  }
}
