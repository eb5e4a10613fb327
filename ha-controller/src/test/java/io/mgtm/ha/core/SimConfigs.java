package io.mgtm.ha.core;

import io.mgtm.ha.model.ClusterConfig;
import io.mgtm.ha.model.Hierarchy;
import io.mgtm.ha.model.Node;
import io.mgtm.ha.model.Policy;
import io.mgtm.ha.model.Policy.Failback;
import io.mgtm.ha.model.Policy.Failover;
import io.mgtm.ha.model.Resource;
import io.mgtm.ha.model.Timing;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** Small clusters of all kinds. */
final class SimConfigs {
  /** What a resource with replicated data is named; no other is. */
  static final String VOLUME = "volume";

  /** The kit of what is repaired while those that stand on it stay in service. */
  static final String ALONE = "alone";

  static final Timing TIMING = new Timing(1_000, 4_000, 1_000, 5);

  /** What operators make of it. */
  static final List<Timing> TIMINGS =
      List.of(
          TIMING,
          new Timing(1_000, 4_000, 3_000, 5),
          new Timing(500, 2_000, 400, 5),
          new Timing(1_000, 9_000, 1_000, 5),
          new Timing(1_500, 9_000, 3_000, 5));

  private SimConfigs() {}

  static ClusterConfig any(SplittableRandom random) {
    int kind = random.nextInt(3);
    int count = kind == 2 ? 5 : 3;
    boolean witness = kind == 0;
    boolean twoSites = random.nextInt(3) == 0;
    Map<String, Node> nodes = new LinkedHashMap<>();
    for (int i = 0; i < count; i++) {
      String site = twoSites && i % 2 == 1 ? "far" : "";
      nodes.put("n" + i, new Node(site, witness && i == 2, null, List.of(), null, ""));
    }
    Map<String, Hierarchy> hierarchies = new LinkedHashMap<>();
    int services = 1 + random.nextInt(2);
    for (int i = 0; i < services; i++) {
      List<String> on = new ArrayList<>();
      int places = witness ? 2 : 2 + random.nextInt(count - 1);
      int first = random.nextInt(witness ? 2 : count);
      for (int k = 0; k < places; k++) {
        on.add("n" + (first + k) % (witness ? 2 : count));
      }
      hierarchies.put("h" + i, new Hierarchy(on, policy(random), resources(random)));
    }
    return new ClusterConfig("sim", TIMING, nodes, hierarchies);
  }

  /** A pair with a third node in the place of its witness, where what has no volume may run too. */
  static ClusterConfig grown(ClusterConfig pair, String third) {
    Map<String, Node> nodes = new LinkedHashMap<>(pair.nodes());
    nodes.keySet().removeAll(pair.witness().stream().toList());
    nodes.put(third, new Node("", false, null, List.of(), null, ""));
    Map<String, Hierarchy> hierarchies = new LinkedHashMap<>(pair.hierarchies());
    hierarchies.replaceAll(
        (name, each) -> {
          List<String> on = new ArrayList<>(each.nodes());
          if (!each.resources().containsKey(VOLUME)) {
            on.add(third);
          }
          return new Hierarchy(on, each.policy(), each.resources());
        });
    return new ClusterConfig(pair.cluster(), pair.timing(), nodes, hierarchies);
  }

  /** One node less. */
  static ClusterConfig without(ClusterConfig config, String node) {
    Map<String, Node> nodes = new LinkedHashMap<>(config.nodes());
    nodes.remove(node);
    Map<String, Hierarchy> hierarchies = new LinkedHashMap<>(config.hierarchies());
    hierarchies.replaceAll(
        (name, each) ->
            new Hierarchy(
                each.nodes().stream().filter(on -> !on.equals(node)).toList(),
                each.policy(),
                each.resources()));
    return new ClusterConfig(config.cluster(), config.timing(), nodes, hierarchies);
  }

  private static Policy policy(SplittableRandom random) {
    return new Policy(
        random.nextInt(3),
        8_000,
        random.nextInt(8) == 0 ? Failover.MANUAL_FIRST : Failover.AUTOMATIC,
        random.nextBoolean() ? Failover.MANUAL_FIRST : Failover.AUTOMATIC,
        3_000,
        random.nextInt(3) == 0 ? Failback.WHEN_IN_STEP : Failback.NEVER,
        3,
        60_000);
  }

  private static Map<String, Resource> resources(SplittableRandom random) {
    Map<String, String> pace =
        Map.of(
            "quickCheckMs", "1500",
            "deepCheckMs", "6000",
            "startMs", "2000",
            "stopMs", "2000",
            "checkMs", "1000");
    Map<String, Resource> resources = new LinkedHashMap<>();
    String below = null;
    if (random.nextInt(3) > 0) {
      resources.put(VOLUME, new Resource("sim", List.of(), pace, Map.of()));
      below = VOLUME;
    }
    int more = resources.isEmpty() ? 1 + random.nextInt(2) : random.nextInt(2);
    for (int i = 0; i < more; i++) {
      String kit = below == null ? ALONE : "sim";
      resources.put(
          "r" + i, new Resource(kit, below == null ? List.of() : List.of(below), pace, Map.of()));
      below = "r" + i;
    }
    return resources;
  }
}
