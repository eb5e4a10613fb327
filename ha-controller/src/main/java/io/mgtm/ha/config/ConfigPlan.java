package io.mgtm.ha.config;

import io.mgtm.ha.model.ClusterConfig;
import io.mgtm.ha.model.Hierarchy;
import io.mgtm.ha.model.NodeChange;
import io.mgtm.ha.model.Resource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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

  private final List<Change> changes = new ArrayList<>();

  private ConfigPlan() {}

  /** The changes from one configuration to another, in the order of the file. */
  public static List<Change> of(ClusterConfig from, ClusterConfig to) {
    ConfigPlan plan = new ConfigPlan();
    plan.refused("cluster", from.cluster(), to.cluster());
    plan.refused("timing", from.timing(), to.timing());
    plan.nodes(from, to);
    TreeSet<String> names = new TreeSet<>(from.hierarchies().keySet());
    names.addAll(to.hierarchies().keySet());
    for (String name : names) {
      plan.hierarchy(
          "hierarchies." + name, from.hierarchies().get(name), to.hierarchies().get(name));
    }
    return List.copyOf(plan.changes);
  }

  private void nodes(ClusterConfig from, ClusterConfig to) {
    NodeChange.refusals(from, to)
        .forEach((where, why) -> changes.add(new Change(where, why, Effect.REFUSED)));
    for (String node : NodeChange.joining(from, to)) {
      changes.add(
          new Change("nodes." + node, "joins; start its controller with this file", Effect.NONE));
    }
    for (String node : NodeChange.leaving(from, to)) {
      changes.add(
          new Change(
              "nodes." + node,
              "leaves; it is retired before, and its controller is stopped afterwards",
              Effect.NONE));
    }
  }

  /** Leases are counted on these, so that all controllers would have to change them at once. */
  private void refused(String where, Object from, Object to) {
    if (!from.equals(to)) {
      changes.add(
          new Change(
              where,
              "cannot be changed by apply: docs/ha.md, Configuration, says how all controllers are"
                  + " started anew with it",
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
    resources(where + ".resources", from.resources(), to.resources());
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
