package io.mgtm.ha.core;

import io.mgtm.ha.core.ClusterCommand.Fenced;
import io.mgtm.ha.core.Placement.Stage;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a leader has fence agents do. Owner thread.
 *
 * <p>A request is open from when it is asked until the node is heard, is granted anything, or the
 * leader's term ends. An answer counts only while its request is open, and then for as long as the
 * request stays open, and only for what the node had been placed with when it was asked. So what
 * counts was off at a moment since when nobody can have granted it anything: no other leader within
 * the term, and not this one. An agent that fails, hangs, or answers late leaves everything as it
 * is without one: the end of the leases decides.
 */
final class Fences {
  private static final int EVENTS_MAX = 16;

  private final LeaderEffects effects;
  private final Deque<Decision> events = new ArrayDeque<>();

  /** Never reset: an answer to a former term's request must fit none of this one's. */
  private long lastRequest;

  /** A request that is open. */
  static final class Open {
    private final long request;

    /** By hierarchy, the placements on the node when it was asked. */
    private final Map<String, Long> epochs;

    /** Null until the node is off. */
    private String how;

    private Open(long request, Map<String, Long> epochs) {
      this.request = request;
      this.epochs = epochs;
    }
  }

  Fences(LeaderEffects effects) {
    this.effects = effects;
  }

  /** A placement shall leave a silent node; asked once for each. */
  void ask(Placement placement, Contact contact, Map<String, Placement> placements) {
    if (contact.fence != null || contact.fenceAsked == placement.changed()) {
      return;
    }
    String node = placement.node();
    Map<String, Long> epochs = new TreeMap<>();
    placements.forEach(
        (hierarchy, each) -> {
          if (each.stage() != Stage.OUT && each.node().equals(node)) {
            epochs.put(hierarchy, each.epoch());
          }
        });
    lastRequest++;
    contact.fenceAsked = placement.changed();
    contact.fence = new Open(lastRequest, epochs);
    effects.fence(lastRequest, node);
  }

  /** Nothing that was asked counts any more: the node was heard or granted something. */
  void close(Contact contact) {
    Open open = contact.fence;
    contact.fence = null;
    if (open != null && open.how == null) {
      effects.endFence(open.request);
    }
  }

  /** An agent has ended. */
  void answered(FenceAnswer answer, Contact contact) {
    Open open = contact == null ? null : contact.fence;
    boolean counts = open != null && open.request == answer.request() && open.how == null;
    if (counts && answer.off()) {
      open.how = answer.how();
    } else if (counts) {
      contact.fence = null;
    }
    if (events.size() < EVENTS_MAX) {
      events.add(
          new Decision(
              new Fenced(answer.node(), answer.off(), counts, answer.how()),
              Decision.BY_ITSELF,
              "it is silent, and what it has is to be taken over",
              Map.of()));
    }
  }

  /** What is to be told of agents that have ended. */
  List<Decision> takeEvents() {
    List<Decision> taken = new ArrayList<>(events);
    events.clear();
    return taken;
  }

  /** By hierarchy, how its node was switched off, as far as that counts. */
  static Map<String, String> counting(Contact contact, Map<String, Placement> placements) {
    Map<String, String> off = new TreeMap<>();
    if (contact.fence != null && contact.fence.how != null) {
      contact.fence.epochs.forEach(
          (hierarchy, epoch) -> {
            Placement now = placements.get(hierarchy);
            if (now != null && now.epoch() == epoch) {
              off.put(hierarchy, contact.fence.how);
            }
          });
    }
    return off;
  }
}
