package io.mgtm.ha.core;

import io.mgtm.ha.core.Grant.Copies;
import io.mgtm.ha.core.Placement.Stage;
import io.mgtm.ha.model.ClusterConfig;
import io.mgtm.ha.model.Hierarchy;
import io.mgtm.ha.model.NodeChange;
import java.util.Collections;
import java.util.Map;
import java.util.Set;

/** Which configuration may take another's place while hierarchies are in service. */
final class ConfigChange {
  private final ClusterConfig before;
  private final ClusterConfig after;

  /**
   * From one to another.
   *
   * @param before null when there was none
   */
  ConfigChange(ClusterConfig before, ClusterConfig after) {
    this.before = before;
    this.after = after;
  }

  /** Why not; empty when it may. */
  String refusal(
      Map<String, Placement> placements,
      Map<String, Map<String, Copies>> copies,
      Set<String> retired) {
    for (Map.Entry<String, Hierarchy> each : after.hierarchies().entrySet()) {
      for (String node : each.getValue().nodes()) {
        if (!after.nodes().containsKey(node) || after.nodes().get(node).witness()) {
          return each.getKey() + " shall run on " + node + ", which is no node with resources";
        }
      }
    }
    if (before == null) {
      return "";
    }
    if (!before.cluster().equals(after.cluster())) {
      return "the cluster is named " + before.cluster() + ", not " + after.cluster();
    }
    String refused = nodes(placements, retired);
    if (refused.isEmpty()) {
      refused = placed(placements);
    }
    return refused.isEmpty() ? copies(copies) : refused;
  }

  /** Who leaves, or is silent for a while, has nothing, and got nothing since that was sure. */
  private String nodes(Map<String, Placement> placements, Set<String> retired) {
    for (Map.Entry<String, String> each : NodeChange.refusals(before, after).entrySet()) {
      return each.getKey() + ": " + each.getValue();
    }
    Set<String> leaving = NodeChange.withResources(NodeChange.leaving(before, after), before);
    Set<String> moving = NodeChange.withResources(NodeChange.moving(before, after), before);
    String refused = idle(leaving, "leaves", placements, retired);
    return refused.isEmpty() ? idle(moving, "gets other addresses", placements, retired) : refused;
  }

  private static String idle(
      Set<String> nodes, String why, Map<String, Placement> placements, Set<String> retired) {
    for (String node : nodes) {
      if (!retired.contains(node)) {
        return "%s %s, and is not retired: mgtm ha node retire %s comes first"
            .formatted(node, why, node);
      }
      for (Map.Entry<String, Placement> each : placements.entrySet()) {
        if (each.getValue().node().equals(node)) {
          return "%s %s, and still has %s".formatted(node, why, each.getKey());
        }
      }
    }
    return "";
  }

  private String placed(Map<String, Placement> placements) {
    for (Map.Entry<String, Placement> each : placements.entrySet()) {
      Placement placement = each.getValue();
      if (placement.stage() == Stage.OUT) {
        continue;
      }
      String name = each.getKey();
      Hierarchy was = before.hierarchies().get(name);
      Hierarchy will = after.hierarchies().get(name);
      if (will == null
          || !will.resources().equals(was.resources())
          || !will.nodes().contains(placement.node())) {
        return name + " is on " + placement.node() + ": stop it before it is changed or removed";
      }
    }
    return "";
  }

  /** What has been acknowledged must stay where somebody may have it in service. */
  private String copies(Map<String, Map<String, Copies>> copies) {
    for (Map.Entry<String, Hierarchy> hierarchy : after.hierarchies().entrySet()) {
      for (Map.Entry<String, Copies> each :
          copies.getOrDefault(hierarchy.getKey(), Map.of()).entrySet()) {
        Set<String> upToDate = each.getValue().upToDate();
        if (hierarchy.getValue().resources().containsKey(each.getKey())
            && Collections.disjoint(upToDate, hierarchy.getValue().nodes())) {
          return "no node of %s would have a copy of %s with all that was acknowledged; %s has"
              .formatted(hierarchy.getKey(), each.getKey(), String.join(", ", upToDate));
        }
      }
    }
    return "";
  }
}
