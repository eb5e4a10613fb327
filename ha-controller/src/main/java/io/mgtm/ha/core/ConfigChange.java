package io.mgtm.ha.core;

import io.mgtm.ha.core.Placement.Stage;
import io.mgtm.ha.model.ClusterConfig;
import io.mgtm.ha.model.Hierarchy;
import java.util.Map;

/** Which configuration may take another's place while hierarchies are in service. */
final class ConfigChange {
  private ConfigChange() {}

  /** Why not; empty when it may. */
  static String refusal(
      ClusterConfig before, ClusterConfig after, Map<String, Placement> placements) {
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
      // Leases of the old timing may be out.
      if (after.timing().leaseOverMs() < before.timing().leaseOverMs()) {
        return name + " is on " + placement.node() + ": stop all before leases are made shorter";
      }
    }
    return "";
  }
}
