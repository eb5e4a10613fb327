package io.mgtm.ha.model;

import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
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

  /** Without the witness of a configuration, which has nothing in service. */
  public static Set<String> withResources(Set<String> names, ClusterConfig of) {
    return others(names, of.witness().map(Set::of).orElse(Set.of()));
  }

  /** Names of nodes that their addresses in the first do not reach any more by the second. */
  public static Set<String> moving(ClusterConfig before, ClusterConfig after) {
    Set<String> moving = new LinkedHashSet<>();
    before
        .nodes()
        .forEach(
            (name, from) -> {
              Node to = after.nodes().get(name);
              if (to != null && !isReachedAs(from, to)) {
                moving.add(name);
              }
            });
    return moving;
  }

  /** More paths, or fewer at the end, leave the others as they are. */
  private static boolean isReachedAs(Node from, Node to) {
    int both = Math.min(from.paths().size(), to.paths().size());
    return Objects.equals(to.group(), from.group())
        && Objects.equals(to.api(), from.api())
        && to.paths().subList(0, both).equals(from.paths().subList(0, both));
  }

  private static Set<String> others(Set<String> names, Set<String> known) {
    Set<String> others = new LinkedHashSet<>(names);
    others.removeAll(known);
    return others;
  }

  /**
   * Why not, by key of the file; empty when they may. Who stays must be a majority: new nodes alone
   * would found another cluster of the same name, when they begin before these have let them in.
   * And it stays what it is: a witness's folder and a node's are two.
   */
  public static Map<String, String> refusals(ClusterConfig before, ClusterConfig after) {
    Map<String, String> refusals = new TreeMap<>();
    Set<String> stay = new LinkedHashSet<>(before.nodes().keySet());
    stay.retainAll(after.nodes().keySet());
    for (String node : stay) {
      if (before.nodes().get(node).witness() != after.nodes().get(node).witness()) {
        refusals.put(
            "nodes." + node,
            "a node with resources and a witness are two: %s becomes the other only under another name"
                .formatted(node));
      }
    }
    Set<String> votes = new LinkedHashSet<>(before.logMembers().keySet());
    int votesBefore = votes.size();
    votes.retainAll(after.logMembers().keySet());
    if (2 * votes.size() <= votesBefore) {
      refusals.put(
          "nodes",
          "%d of %d nodes would stay, and a majority must; change fewer at a time"
              .formatted(votes.size(), votesBefore));
    }
    return refusals;
  }
}
