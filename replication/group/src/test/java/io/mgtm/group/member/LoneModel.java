package io.mgtm.group.member;

import io.mgtm.group.Durability;
import java.util.ArrayList;
import java.util.List;

/**
 * What a simulated lone log was given and has promised. It counts the state machine's entries and
 * not those of the group.
 */
final class LoneModel {
  /** The hash after each entry. */
  final List<Long> hashes = new ArrayList<>(List.of(0L));

  /** Their effective durability. */
  final List<Durability> durabilities = new ArrayList<>(List.of(Durability.BUFFERED));

  /** What must survive the loss of power. */
  long promised;

  long seenCommitted;
  long lastAhead;

  long last() {
    return hashes.size() - 1L;
  }

  void truncate(long lastKept) {
    hashes.subList((int) lastKept + 1, hashes.size()).clear();
    durabilities.subList((int) lastKept + 1, durabilities.size()).clear();
  }

  /** Takes note of what that promises. */
  void committed(long upTo) {
    for (long index = seenCommitted + 1; index <= upTo; index++) {
      Durability durability = durabilities.get((int) index);
      if (durability == Durability.REQUIRED) {
        promised = Math.max(promised, index);
      } else if (durability == Durability.AHEAD) {
        promised = Math.max(promised, lastAhead);
        lastAhead = index;
      }
    }
    seenCommitted = upTo;
  }
}
