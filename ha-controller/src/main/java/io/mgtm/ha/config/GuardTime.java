package io.mgtm.ha.config;

import io.mgtm.ha.kit.KitException;
import io.mgtm.ha.kit.Kits;
import io.mgtm.ha.model.ClusterConfig;
import io.mgtm.ha.model.Hierarchy;
import io.mgtm.ha.model.Resource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Compares what operators' own programs may take to end a hierarchy with the time that another node
 * waits for it: the guards of scripts, and what OCF agents do to stop.
 */
public final class GuardTime {
  private GuardTime() {}

  /** Programs that run one after the other, the last one first. */
  private record Chain(List<String> resources, int ms) {
    static final Chain EMPTY = new Chain(List.of(), 0);

    Chain then(String resource, int more) {
      List<String> longer = new ArrayList<>(resources);
      longer.add(resource);
      return more == 0 ? this : new Chain(longer, ms + more);
    }
  }

  /** Sentences, by key of the file; empty when all is well. */
  public static Map<String, String> warnings(ClusterConfig config) {
    int guardMs = config.timing().guardMs();
    Map<String, String> warnings = new LinkedHashMap<>();
    config
        .hierarchies()
        .forEach(
            (name, hierarchy) -> {
              Chain longest = longest(hierarchy);
              if (longest.ms() > guardMs) {
                warnings.put("hierarchies." + name, sentence(longest, guardMs));
              }
            });
    return warnings;
  }

  private static String sentence(Chain chain, int guardMs) {
    return "the watchdog may take %d ms for %s, which end one after the other, and after timing.guardMs (%d) another node has it: set timing.guardMs to %1$d or more unless they are quicker for sure"
        .formatted(chain.ms(), String.join(", ", chain.resources()), guardMs);
  }

  /** As in service on the node where that takes longest. */
  private static Chain longest(Hierarchy hierarchy) {
    Map<String, Chain> above = new HashMap<>();
    Chain longest = Chain.EMPTY;
    List<String> bottomUp = hierarchy.bottomUp();
    for (int i = bottomUp.size() - 1; i >= 0; i--) {
      String name = bottomUp.get(i);
      Resource resource = hierarchy.resources().get(name);
      Chain chain = above.getOrDefault(name, Chain.EMPTY).then(name, ms(hierarchy, resource));
      longest = chain.ms() > longest.ms() ? chain : longest;
      for (String below : resource.on()) {
        above.merge(below, chain, (one, other) -> other.ms() > one.ms() ? other : one);
      }
    }
    return longest;
  }

  private static int ms(Hierarchy hierarchy, Resource resource) {
    int most = 0;
    for (String node : hierarchy.nodes()) {
      try {
        most = Math.max(most, Kits.of(resource.kit()).guardMs(resource.parametersOn(node)));
      } catch (KitException e) {
        return 0; // the file is refused, or the agent is on other machines
      }
    }
    return most;
  }
}
