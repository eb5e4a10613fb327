package io.mgtm.ha.config;

import io.mgtm.ha.model.Resource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Looks for resources that stand on each other in a circle. */
final class Cycle {
  private final Map<String, Resource> resources;
  private final Set<String> sound = new HashSet<>();
  private final List<String> path = new ArrayList<>();

  private Cycle(Map<String, Resource> resources) {
    this.resources = resources;
  }

  /** The names of a circle, as {@code a, b, a}. */
  static Optional<String> find(Map<String, Resource> resources) {
    Cycle search = new Cycle(resources);
    return resources.keySet().stream().map(search::from).flatMap(Optional::stream).findFirst();
  }

  private Optional<String> from(String name) {
    int before = path.indexOf(name);
    if (before >= 0) {
      return Optional.of(String.join(", ", path.subList(before, path.size())) + ", " + name);
    }
    if (sound.contains(name)) {
      return Optional.empty();
    }
    path.add(name);
    for (String below : resources.get(name).on()) {
      Optional<String> found = from(below);
      if (found.isPresent()) {
        return found;
      }
    }
    path.remove(name);
    sound.add(name);
    return Optional.empty();
  }
}
