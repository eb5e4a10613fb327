package io.mgtm.block.volume;

import java.util.List;

/** Which replicas have what this side answered, and may go on where it ends being primary. */
final class Heirs {
  private final List<ReplicaLink> links;
  private final StateKeeper states;

  /** The heirs among {@code links}, whenever a method is called. */
  Heirs(List<ReplicaLink> links, StateKeeper states) {
    this.links = links;
    this.states = states;
  }

  /** Whether every attached replica has acknowledged all that was sent. */
  boolean isDrained() {
    return links.stream().allMatch(link -> !link.isAttached() || link.isDrained());
  }

  /** Whether a replica has all that was answered, and may take over this side's generation. */
  boolean hasHeir() {
    return links.stream().anyMatch(this::hasEverything);
  }

  /** Whether this replica has all that was answered, and may take over this side's generation. */
  boolean hasEverything(ReplicaLink link) {
    return link.phase == LinkPhase.UP_TO_DATE
        && link.config.mode() != LinkMode.ASYNC
        && link.slot.shared == states.current().generations().current();
  }

  /** The one replica that equals this side, or null when there is none or a choice. */
  ReplicaLink heir() {
    List<ReplicaLink> attached = links.stream().filter(ReplicaLink::isAttached).toList();
    return attached.size() == 1 && attached.get(0).phase == LinkPhase.UP_TO_DATE
        ? attached.get(0)
        : null;
  }

  /** Whether a replica of this generation lacks what its link noted in the bitmap only. */
  boolean isBehind() {
    long current = states.current().generations().current();
    return links.stream()
        .anyMatch(link -> link.isAttached() && !link.mayShare() && link.slot.shared == current);
  }
}
