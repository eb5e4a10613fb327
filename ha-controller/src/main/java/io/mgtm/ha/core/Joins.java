package io.mgtm.ha.core;

import io.mgtm.ha.model.ClusterConfig;
import io.mgtm.ha.model.Hierarchy;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * Which version of the configuration has put a node in a hierarchy, by hierarchy and node; nothing
 * of those that began with the cluster. A node that has left may come back as another machine, with
 * other data: what was said of its copy before that does not count any more.
 */
final class Joins {
  private Joins() {}

  /**
   * Those with the next configuration.
   *
   * @param before null when there was none
   * @param version of the next
   */
  static Map<String, Map<String, Long>> after(
      Map<String, Map<String, Long>> known,
      ClusterConfig before,
      ClusterConfig next,
      long version) {
    Map<String, Map<String, Long>> joins = new TreeMap<>();
    if (before == null) {
      return joins;
    }
    for (Map.Entry<String, Hierarchy> each : next.hierarchies().entrySet()) {
      Map<String, Long> of = new TreeMap<>(known.getOrDefault(each.getKey(), Map.of()));
      of.keySet().retainAll(each.getValue().nodes());
      Hierarchy was = before.hierarchies().get(each.getKey());
      for (String node : each.getValue().nodes()) {
        if (was == null || !was.nodes().contains(node)) {
          of.put(node, version);
        }
      }
      if (!of.isEmpty()) {
        joins.put(each.getKey(), Collections.unmodifiableMap(of));
      }
    }
    return Collections.unmodifiableMap(joins);
  }

  /** The version that has put in the last of a hierarchy's nodes; 0 when none has. */
  static long last(Map<String, Map<String, Long>> joins, String hierarchy) {
    return joins.getOrDefault(hierarchy, Map.of()).values().stream()
        .mapToLong(Long::longValue)
        .max()
        .orElse(0);
  }
}
