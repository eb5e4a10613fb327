package io.mgtm.ha.core;

import io.mgtm.ha.core.Grant.Copies;
import io.mgtm.ha.model.ClusterConfig;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/** What is known of the copies of all hierarchies, while a batch changes it. */
final class AllCopies {
  private final Map<String, Map<String, Copies>> all;

  AllCopies(Map<String, Map<String, Copies>> known) {
    all = new TreeMap<>(known);
  }

  Map<String, Map<String, Copies>> done() {
    return Collections.unmodifiableMap(all);
  }

  /** By resource. */
  Map<String, Copies> of(String hierarchy) {
    return all.getOrDefault(hierarchy, Map.of());
  }

  /** Why a node's copies may not be brought in service; empty when they may. */
  String outdated(String hierarchy, String node) {
    for (Map.Entry<String, Copies> known : of(hierarchy).entrySet()) {
      String why = known.getValue().whyNot(known.getKey(), node);
      if (!why.isEmpty()) {
        return node + ": " + why + "; wait for its resync, or accept that loss";
      }
    }
    return "";
  }

  /**
   * Changes those of one hierarchy, or answers why not.
   *
   * @param wall milliseconds since 1970
   */
  String edit(
      String hierarchy, ClusterConfig config, long wall, Function<CopiesEdit, String> change) {
    CopiesEdit edit =
        new CopiesEdit(of(hierarchy), config.hierarchies().get(hierarchy).nodes(), wall);
    String refused = change.apply(edit);
    if (refused.isEmpty() && !edit.done().isEmpty()) {
      all.put(hierarchy, edit.done());
    }
    return refused;
  }

  /**
   * Forgets copies on nodes that a hierarchy cannot run on any more: when one of that name comes
   * back, nobody knows what it has.
   */
  void configured(ClusterConfig next) {
    all.keySet().retainAll(next.hierarchies().keySet());
    all.keySet().forEach(hierarchy -> edit(hierarchy, next, 0, CopiesEdit::forgetOthers));
  }
}
