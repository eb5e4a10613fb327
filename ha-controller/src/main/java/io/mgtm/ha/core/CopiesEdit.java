package io.mgtm.ha.core;

import io.mgtm.ha.core.ClusterCommand.MarkCopies;
import io.mgtm.ha.core.ClusterCommand.Place;
import io.mgtm.ha.core.Grant.Copies;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** What is known of a hierarchy's copies, while a command changes it. */
final class CopiesEdit {
  private final List<String> nodes;
  private final long wall;
  private final Map<String, Copies> all;

  /**
   * Begins with what is known.
   *
   * @param nodes of the hierarchy
   * @param wall milliseconds since 1970
   */
  CopiesEdit(Map<String, Copies> known, List<String> nodes, long wall) {
    all = new TreeMap<>(known);
    this.nodes = nodes;
    this.wall = wall;
  }

  Map<String, Copies> done() {
    return Collections.unmodifiableMap(all);
  }

  /**
   * Takes a primary's word; why not, empty when it did. Not of nodes that have left meanwhile, also
   * when they are there again: they may be other machines, with other data. A primary knows of
   * itself also when it has not read the newest configuration yet.
   *
   * @param primary its node
   * @param joined which version of the configuration has put a node in
   */
  String mark(MarkCopies word, String primary, Map<String, Long> joined) {
    Copies before = all.get(word.resource());
    if (before != null && before.mark().compareTo(word.mark()) >= 0) {
      return "a newer mark is known";
    }
    Predicate<String> known =
        node -> node.equals(primary) || joined.getOrDefault(node, 0L) <= word.mark().joins();
    mark(word.resource(), word.mark(), kept(word.upToDate(), known), kept(word.following(), known));
    return "";
  }

  /**
   * The copy there is the one that counts from now on, and those that have more are behind; why
   * not, empty when it is so.
   *
   * @param accepted the node whose copy may be used whatever it lacks
   */
  String acceptLoss(Place place, String accepted) {
    if (!place.lossAccepted().isEmpty() && !accepted.equals(place.node())) {
      return "nobody has accepted what the copy on " + place.node() + " lacks";
    }
    for (String resource : place.lossAccepted()) {
      mark(resource, new Mark(place.epoch(), 0, 0), Set.of(place.node()), Set.of());
    }
    return "";
  }

  /** Forgets copies on other nodes than the hierarchy's. */
  String forgetOthers() {
    all.replaceAll(
        (resource, known) ->
            new Copies(
                known.mark(),
                kept(known.upToDate(), node -> true),
                kept(known.following(), node -> true),
                known.outdated().entrySet().stream()
                    .filter(each -> nodes.contains(each.getKey()))
                    .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue))));
    return "";
  }

  private Set<String> kept(Set<String> names, Predicate<String> also) {
    return names.stream().filter(nodes::contains).filter(also).collect(Collectors.toSet());
  }

  private void mark(String resource, Mark mark, Set<String> upToDate, Set<String> following) {
    Copies before = all.get(resource);
    Map<String, Long> outdated = new TreeMap<>();
    for (String node : nodes) {
      if (!upToDate.contains(node) && !following.contains(node)) {
        outdated.put(node, before == null ? wall : before.outdated().getOrDefault(node, wall));
      }
    }
    all.put(resource, new Copies(mark, upToDate, following, outdated));
  }
}
