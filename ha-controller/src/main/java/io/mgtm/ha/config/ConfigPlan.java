package io.mgtm.ha.config;

import io.mgtm.ha.model.ClusterConfig;
import io.mgtm.ha.model.Hierarchy;
import io.mgtm.ha.model.NodeChange;
import io.mgtm.ha.model.Resource;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

/** What would become another by a new configuration, and whether a service is touched. */
public final class ConfigPlan {

  /**
   * One change.
   *
   * @param where the key, as {@code hierarchies.orders.policy}
   * @param what a sentence
   * @param effect what happens to what runs
   */
  public record Change(String where, String what, Effect effect) {}

  /** What a change does to what runs. */
  public enum Effect {
    /** Nothing that runs is touched. */
    NONE,
    /** The hierarchy is taken out of service and brought in again. */
    RESTART,
    /** The hierarchy begins to be protected, and is brought in service. */
    START,
    /** The hierarchy is taken out of service. */
    STOP,
    /** Cannot be changed while the cluster runs. */
    REFUSED
  }

  private static final String HIERARCHIES = "hierarchies.";
  private static final String RESOURCES = ".resources";

  private final List<Change> changes = new ArrayList<>();

  private ConfigPlan() {}

  /** The changes from one configuration to another, in the order of the file. */
  public static List<Change> of(ClusterConfig from, ClusterConfig to) {
    ConfigPlan plan = new ConfigPlan();
    plan.refused("cluster", from.cluster(), to.cluster());
    if (!from.quorumDisk().equals(to.quorumDisk())) {
      String what =
          to.quorumDisk().isEmpty()
              ? from.quorumDisk() + " votes no longer"
              : to.quorumDisk() + " votes, once mgtm ha quorum-disk create has made it";
      plan.changes.add(new Change("quorumDisk", what, Effect.NONE));
    }
    if (!from.timing().equals(to.timing())) {
      plan.changes.add(new Change("timing", "leases given from then on obey it", Effect.NONE));
    }
    plan.nodes(from, to);
    TreeSet<String> names = new TreeSet<>(from.hierarchies().keySet());
    names.addAll(to.hierarchies().keySet());
    for (String name : names) {
      plan.hierarchy(HIERARCHIES + name, from.hierarchies().get(name), to.hierarchies().get(name));
    }
    GuardTime.warnings(to)
        .forEach((where, why) -> plan.changes.add(new Change(where, why, Effect.NONE)));
    return List.copyOf(plan.changes);
  }

  /**
   * What becomes of changes as things are: what is in service is not changed before it is stopped,
   * and what is out is not touched.
   *
   * @param placed by hierarchy, the node that has it
   */
  public static List<Change> now(List<Change> changes, Map<String, String> placed) {
    return changes.stream().map(change -> now(change, placed)).toList();
  }

  private static Change now(Change change, Map<String, String> placed) {
    if (change.effect() != Effect.RESTART && change.effect() != Effect.STOP) {
      return change;
    }
    for (Map.Entry<String, String> each : placed.entrySet()) {
      String where = HIERARCHIES + each.getKey();
      if (change.where().equals(where) || change.where().startsWith(where + RESOURCES + ".")) {
        return new Change(
            change.where(),
            "%s, and %s is on %s: stop it before it is changed or removed"
                .formatted(change.what(), each.getKey(), each.getValue()),
            Effect.REFUSED);
      }
    }
    return new Change(change.where(), change.what(), Effect.NONE);
  }

  private void nodes(ClusterConfig from, ClusterConfig to) {
    NodeChange.refusals(from, to)
        .forEach((where, why) -> changes.add(new Change(where, why, Effect.REFUSED)));
    tell(NodeChange.joining(from, to), "joins; start its controller with this file");
    Set<String> leaving = NodeChange.leaving(from, to);
    Set<String> retired = NodeChange.withResources(leaving, from);
    tell(retired, "leaves; it is retired before, and its controller is stopped afterwards");
    leaving.removeAll(retired);
    tell(leaving, "leaves, and votes until those that join have what is agreed on");
    Set<String> changed = new LinkedHashSet<>(from.nodes().keySet());
    changed.removeIf(
        node ->
            !to.nodes().containsKey(node) || to.nodes().get(node).equals(from.nodes().get(node)));
    Set<String> moving = NodeChange.moving(from, to);
    tell(
        moving,
        "gets other addresses; it is retired before, and its controller is started again with this"
            + " file and its --data afterwards");
    changed.removeAll(moving);
    tell(changed, "is another; its controller reads that when it is started again");
  }

  private void tell(Set<String> nodes, String what) {
    nodes.forEach(node -> changes.add(new Change("nodes." + node, what, Effect.NONE)));
  }

  private void refused(String where, Object from, Object to) {
    if (!from.equals(to)) {
      changes.add(
          new Change(
              where,
              "cannot be changed by apply: docs/ha.md, Starting anew, says how all controllers are"
                  + " started with it",
              Effect.REFUSED));
    }
  }

  private void hierarchy(String where, Hierarchy from, Hierarchy to) {
    if (from == null) {
      changes.add(new Change(where, "is protected from now on", Effect.START));
      return;
    }
    if (to == null) {
      changes.add(new Change(where, "is protected no longer", Effect.STOP));
      return;
    }
    if (!from.policy().equals(to.policy())) {
      changes.add(new Change(where + ".policy", "is another", Effect.NONE));
    }
    if (!from.nodes().equals(to.nodes())) {
      changes.add(
          new Change(
              where + ".nodes",
              "%s instead of %s".formatted(to.nodes(), from.nodes()),
              Effect.NONE));
    }
    resources(where + RESOURCES, from.resources(), to.resources());
  }

  private void resources(String where, Map<String, Resource> from, Map<String, Resource> to) {
    TreeSet<String> names = new TreeSet<>(from.keySet());
    names.addAll(to.keySet());
    for (String name : names) {
      if (!Objects.equals(from.get(name), to.get(name))) {
        String what =
            from.get(name) == null ? "is new" : to.get(name) == null ? "is gone" : "is another";
        changes.add(new Change(where + "." + name, what, Effect.RESTART));
      }
    }
  }
}
