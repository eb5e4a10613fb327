package io.mgtm.ha.notify;

import io.mgtm.ha.core.ClusterState;
import io.mgtm.ha.core.Event;
import io.mgtm.ha.model.EventKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * What somebody is yet to be told of: the events of the state after a position. The state keeps so
 * many events and no more, so that this queue is bounded and outlives the leader.
 *
 * @param events the next of the kinds that are wanted, oldest first
 * @param upTo the position when they were told
 * @param lost how many events after the old position are not kept any more
 */
record Backlog(List<Event> events, long upTo, long lost) {
  static final int EVENTS_MAX = 50;

  static Backlog of(ClusterState state, long position, Set<EventKind> kinds) {
    List<Event> next = new ArrayList<>();
    long upTo = position;
    for (Event event : state.events()) {
      if (event.id() > position && next.size() < EVENTS_MAX) {
        upTo = event.id();
        if (event.kind() == null || kinds.contains(event.kind())) {
          next.add(event);
        }
      }
    }
    long oldest = state.events().isEmpty() ? 0 : state.events().get(0).id();
    return new Backlog(List.copyOf(next), upTo, Math.max(0, oldest - position - 1));
  }
}
