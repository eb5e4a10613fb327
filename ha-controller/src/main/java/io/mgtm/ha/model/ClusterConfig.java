package io.mgtm.ha.model;

import java.util.Map;
import java.util.Optional;

/**
 * What the controllers of a cluster agree on. Read from a file when a cluster begins, part of the
 * replicated state from then on.
 *
 * @param cluster the name that all its controllers have in common
 * @param nodes by name, in the order of the file
 * @param hierarchies by name, in the order of the file
 */
public record ClusterConfig(
    String cluster, Timing timing, Map<String, Node> nodes, Map<String, Hierarchy> hierarchies) {

  /** So many at most: each has a place in the file that the watchdog shares with its controller. */
  public static final int HIERARCHIES_MAX = 256;

  /** The witness's name, if there is one. */
  public Optional<String> witness() {
    return nodes.entrySet().stream()
        .filter(node -> node.getValue().witness())
        .map(Map.Entry::getKey)
        .findFirst();
  }

  /** The same cluster with other hierarchies. */
  public ClusterConfig withHierarchies(Map<String, Hierarchy> others) {
    return new ClusterConfig(cluster, timing, nodes, others);
  }
}
