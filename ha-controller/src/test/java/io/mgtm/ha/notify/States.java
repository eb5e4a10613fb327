package io.mgtm.ha.notify;

import io.mgtm.ha.core.ClusterState;
import io.mgtm.ha.core.Event;
import io.mgtm.ha.model.EventKind;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;

/** States with events. */
final class States {
  private States() {}

  static Event event(long id, EventKind kind) {
    return new Event(
        id,
        1_700_000_000_000L,
        kind,
        "db",
        "has failed",
        "controller",
        "because",
        Map.of("n", "x"));
  }

  /** With events of these numbers, and the kinds in turn. */
  static ClusterState of(long first, long last, EventKind... kinds) {
    return new ClusterState(
        1,
        last,
        0,
        1,
        "a",
        null,
        0,
        Map.of(),
        Map.of(),
        Map.of(),
        false,
        Set.of(),
        Set.of(),
        Map.of(),
        Set.of(),
        Set.of(),
        last,
        LongStream.rangeClosed(first, last)
            .mapToObj(id -> event(id, kinds[(int) ((id - first) % kinds.length)]))
            .toList(),
        Map.of(),
        null);
  }

  /** The same once a position is committed. */
  static ClusterState told(ClusterState state, String target, long position) {
    return new ClusterState(
        state.format(),
        state.version(),
        state.at(),
        state.term(),
        state.leader(),
        state.config(),
        state.configVersion(),
        state.placements(),
        state.copies(),
        state.joined(),
        state.clusterMaintenance(),
        state.nodeMaintenance(),
        state.hierarchyMaintenance(),
        state.retired(),
        state.silentNodes(),
        state.silentPaths(),
        state.lastEvent(),
        state.events(),
        Map.of(target, position),
        state.former());
  }
}
