package io.mgtm.ha.core;

import io.mgtm.ha.core.OperatorCommand.Configure;
import io.mgtm.ha.core.Report.ResourceState;
import io.mgtm.ha.core.Report.State;
import io.mgtm.ha.model.ClusterConfig;
import io.mgtm.ha.model.Hierarchy;
import io.mgtm.ha.model.Node;
import io.mgtm.ha.model.Policy;
import io.mgtm.ha.model.Resource;
import io.mgtm.ha.model.Timing;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * A cluster for tests: a1 and a2 at site a, b1 at site b; a hierarchy {@code db} of {@code
 * postgres} on {@code volume}, which prefers a1.
 */
final class Clusters {
  static final String DB = "db";
  static final String VOLUME = "volume";
  static final String POSTGRES = "postgres";
  static final long TERM = 7;

  private Clusters() {}

  static ClusterConfig config(Policy policy) {
    Map<String, Node> nodes = new LinkedHashMap<>();
    for (String name : List.of("a1", "a2", "b1")) {
      nodes.put(name, new Node(name.substring(0, 1), false, null, List.of(), null, ""));
    }
    Map<String, Resource> resources = new LinkedHashMap<>();
    resources.put(POSTGRES, new Resource("postgres", List.of(VOLUME), Map.of(), Map.of()));
    resources.put(VOLUME, new Resource("volume", List.of(), Map.of(), Map.of()));
    Hierarchy db = new Hierarchy(List.of("a1", "a2", "b1"), policy, resources);
    return new ClusterConfig("test", Timing.defaults(), nodes, Map.of(DB, db));
  }

  static ClusterState state(Policy policy) {
    return apply(
        ClusterState.EMPTY,
        0,
        new Configure(config(policy), 0),
        new ClusterCommand.Lead(TERM, "a2"));
  }

  /** The state after commands that must not be refused. */
  static ClusterState apply(ClusterState state, long at, ClusterCommand... commands) {
    ClusterState after = state;
    for (ClusterCommand command : commands) {
      String refusal = after.refusal(command);
      if (!refusal.isEmpty()) {
        throw new AssertionError(command + " is refused: " + refusal);
      }
      Decision decision = new Decision(command, "test", "", Map.of());
      after = after.apply(new Batch(Batch.FORMAT, at, 0, List.of(decision)));
    }
    return after;
  }

  static Report report(State state, long epoch, CopyReport copy) {
    return new Report(
        state,
        epoch,
        0,
        state == State.FAILED ? POSTGRES : "",
        state == State.FAILED ? "does not answer" : "",
        state == State.FAILED,
        Map.of(VOLUME, ResourceState.UNKNOWN, POSTGRES, ResourceState.UNKNOWN),
        copy == null ? Map.of() : Map.of(VOLUME, copy),
        Map.of());
  }

  static CopyReport secondary() {
    return new CopyReport(CopyReport.UP_TO_DATE, null, Set.of(), Set.of());
  }

  static CopyReport primary(long epoch, String... inSync) {
    return new CopyReport(CopyReport.UP_TO_DATE, new Mark(epoch, 1, 1), Set.of(inSync), Set.of());
  }

  /** What is seen of three nodes; by default all are in contact and out. */
  static final class Seen3 {
    private final Map<String, NodeView> nodes = new TreeMap<>();
    private ClusterState state;
    private long at;

    Seen3(ClusterState state) {
      this.state = state;
      for (String node : List.of("a1", "a2", "b1")) {
        says(node, report(State.OUT, 0, secondary()));
      }
    }

    Seen3 at(long time) {
      at = time;
      return this;
    }

    Seen3 says(String node, Report report) {
      return says(node, report, new Seen(TERM, state.version()));
    }

    Seen3 says(String node, Report report, Seen seen) {
      Heartbeat last = new Heartbeat("test", node, 1, 9, 0, seen, 8, Map.of(DB, report), null);
      nodes.put(node, new NodeView(100, 60_000, last, Set.of(), Map.of(), Map.of("1", 100L)));
      return this;
    }

    Seen3 silent(String node, boolean over) {
      NodeView view = nodes.get(node);
      nodes.put(
          node,
          new NodeView(
              9_000, 0, view.last(), over ? Set.of(DB) : Set.of(), Map.of(), Map.of("1", 9_000L)));
      return this;
    }

    /** In contact as far as this leader knows, which has not heard it yet. */
    Seen3 unheard(String node) {
      nodes.put(node, new NodeView(0, 0, null, Set.of(), Map.of(), Map.of()));
      return this;
    }

    Seen3 fenced(String node) {
      NodeView view = nodes.get(node);
      nodes.put(
          node,
          new NodeView(9_000, 0, view.last(), Set.of(), Map.of(DB, "an agent in 20 ms"), Map.of()));
      return this;
    }

    Observation seen() {
      return new Observation(at, state, nodes);
    }

    /** What is decided of the hierarchy. */
    List<ClusterCommand> decide() {
      return Decisions.decide(seen()).stream()
          .map(Decision::command)
          .filter(command -> command.subject().equals(DB))
          .toList();
    }
  }
}
