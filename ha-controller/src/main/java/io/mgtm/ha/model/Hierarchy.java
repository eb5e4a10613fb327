package io.mgtm.ha.model;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Resources that are in service on one node together, or on none.
 *
 * @param nodes where it may run, the preferred one first
 * @param resources by name; those that others stand on are brought in service first
 */
public record Hierarchy(List<String> nodes, Policy policy, Map<String, Resource> resources) {

  /** Keeps lists immutable. */
  public Hierarchy {
    nodes = List.copyOf(nodes);
  }

  /** The resources, those that others stand on before these. */
  public List<String> bottomUp() {
    Set<String> ordered = new LinkedHashSet<>();
    resources.keySet().forEach(resource -> place(resource, ordered));
    return List.copyOf(ordered);
  }

  private void place(String resource, Set<String> ordered) {
    if (!ordered.contains(resource) && resources.containsKey(resource)) {
      for (String below : resources.get(resource).on()) {
        if (!below.equals(resource)) {
          place(below, ordered);
        }
      }
      ordered.add(resource);
    }
  }
}
