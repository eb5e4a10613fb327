package io.mgtm.ha.model;

import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Which nodes may take others' place while a cluster runs. What has to do with where hierarchies
 * are is decided with the replicated state.
 */
public final class NodeChange {
  private NodeChange() {}

  /** Names of nodes that are in the second and not in the first. */
  public static Set<String> joining(ClusterConfig before, ClusterConfig after) {
    return others(after.nodes().keySet(), before.nodes().keySet());
  }

  /** Names of nodes that are in the first and not in the second. */
  public static Set<String> leaving(ClusterConfig before, ClusterConfig after) {
    return others(before.nodes().keySet(), after.nodes().keySet());
  }

  private static Set<String> others(Set<String> names, Set<String> known) {
    Set<String> others = new LinkedHashSet<>(names);
    others.removeAll(known);
    return others;
  }

  /**
   * Why not, by key of the file; empty when they may. Who stays must be a majority: new nodes alone
   * would found another cluster of the same name, when they begin before these have let them in.
   */
  public static Map<String, String> refusals(ClusterConfig before, ClusterConfig after) {
    Map<String, String> refusals = new TreeMap<>();
    int stay = 0;
    for (Map.Entry<String, Node> each : before.nodes().entrySet()) {
      Node next = after.nodes().get(each.getKey());
      if (next != null && !next.equals(each.getValue())) {
        refusals.put(
            "nodes." + each.getKey(),
            "cannot be changed while it is in the cluster: retire it, and put a node of another"
                + " name in its place");
      }
      stay += next == null ? 0 : 1;
    }
    if (!before.witness().equals(after.witness())) {
      refusals.put(
          "nodes",
          "a witness comes, goes or changes only when all controllers are started anew with the"
              + " file: docs/ha.md, Configuration");
    } else if (2 * stay <= before.nodes().size()) {
      refusals.put(
          "nodes",
          "%d of %d nodes would stay, and a majority must; change fewer at a time"
              .formatted(stay, before.nodes().size()));
    }
    return refusals;
  }
}
