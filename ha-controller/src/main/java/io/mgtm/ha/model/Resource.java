package io.mgtm.ha.model;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Something that can be brought in service, checked, and taken out of service.
 *
 * @param kit the name of the kit that knows how
 * @param on names of the resources of the same hierarchy that it stands on
 * @param parameters what the kit is told, on every node
 * @param at by node, what it is told there instead
 */
public record Resource(
    String kit,
    List<String> on,
    Map<String, String> parameters,
    Map<String, Map<String, String>> at) {

  /** Parameters of all kits: how often it is checked, and how long its calls may take. */
  public static final Set<String> PACE =
      Set.of("quickCheckMs", "deepCheckMs", "startMs", "stopMs", "checkMs");

  /** Keeps lists immutable. */
  public Resource {
    on = List.copyOf(on);
  }

  /** What the kit is told on a node. */
  public Map<String, String> parametersOn(String node) {
    Map<String, String> merged = new LinkedHashMap<>(parameters);
    merged.putAll(at.getOrDefault(node, Map.of()));
    return merged;
  }
}
