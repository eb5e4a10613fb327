package io.mgtm.ha.model;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What the controllers of a cluster agree on. Read from a file when a cluster begins, part of the
 * replicated state from then on.
 *
 * @param cluster the name that all its controllers have in common
 * @param nodes by name, in the order of the file
 * @param hierarchies by name, in the order of the file
 * @param quorumDisk the disk that votes beside two nodes, at the same path on both; empty for none
 */
public record ClusterConfig(
    String cluster,
    Timing timing,
    Map<String, Node> nodes,
    Map<String, Hierarchy> hierarchies,
    String quorumDisk) {

  /** The name that a quorum disk has among the members of the controllers' log. */
  public static final String QUORUM_DISK = "quorum-disk";

  /** An older configuration names no disk. */
  public ClusterConfig {
    quorumDisk = quorumDisk == null ? "" : quorumDisk;
  }

  /** Without a quorum disk. */
  public ClusterConfig(
      String cluster, Timing timing, Map<String, Node> nodes, Map<String, Hierarchy> hierarchies) {
    this(cluster, timing, nodes, hierarchies, "");
  }

  /** So many at most: each has a place in the file that the watchdog shares with its controller. */
  public static final int HIERARCHIES_MAX = 256;

  /** The witness's name, if there is one. */
  public Optional<String> witness() {
    return nodes.entrySet().stream()
        .filter(node -> node.getValue().witness())
        .map(Map.Entry::getKey)
        .findFirst();
  }

  /** The members of the controllers' log, and which of them only votes. */
  public Map<String, Boolean> logMembers() {
    Map<String, Boolean> members = new LinkedHashMap<>();
    nodes.forEach((name, node) -> members.put(name, node.witness()));
    if (!quorumDisk.isEmpty()) {
      members.put(QUORUM_DISK, true);
    }
    return members;
  }

  /** The member that only votes, empty for none. */
  public String logWitness() {
    return quorumDisk.isEmpty() ? witness().orElse("") : QUORUM_DISK;
  }

  /** The same cluster with other hierarchies. */
  public ClusterConfig withHierarchies(Map<String, Hierarchy> others) {
    return new ClusterConfig(cluster, timing, nodes, others, quorumDisk);
  }
}
