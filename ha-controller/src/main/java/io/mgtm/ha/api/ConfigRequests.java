package io.mgtm.ha.api;

import io.javalin.http.BadRequestResponse;
import io.javalin.http.Context;
import io.mgtm.common.ConfigException;
import io.mgtm.ha.config.ClusterFile;
import io.mgtm.ha.config.ConfigPlan;
import io.mgtm.ha.core.ClusterState;
import io.mgtm.ha.core.OperatorCommand.Configure;
import io.mgtm.ha.kit.ResourceCheck;
import io.mgtm.ha.model.ClusterConfig;
import io.mgtm.ha.node.HaNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** What a configuration that somebody has sent would change. */
final class ConfigRequests {
  private final HaNode node;
  private final ResourceCheck kits;

  ConfigRequests(HaNode node, ResourceCheck kits) {
    this.node = node;
    this.kits = kits;
  }

  private ClusterConfig proposed(Context ctx) throws ConfigException {
    return ClusterFile.parse("the new configuration", Request.yaml(ctx), kits).config();
  }

  /** With the words by which the leader would refuse it as things are. */
  List<ConfigPlan.Change> plan(Context ctx) throws ConfigException {
    ClusterConfig proposed = proposed(ctx);
    ClusterState state = node.view().state();
    Map<String, String> placed = new TreeMap<>();
    state.placements().forEach((hierarchy, at) -> placed.put(hierarchy, at.node()));
    placed.values().removeIf(String::isEmpty);
    List<ConfigPlan.Change> changes =
        new ArrayList<>(ConfigPlan.now(ConfigPlan.of(node.config(), proposed), placed));
    String refused = state.refusal(new Configure(proposed, state.configVersion()));
    if (!refused.isEmpty() && refusedBy(changes).isEmpty()) {
      changes.add(new ConfigPlan.Change("now", refused, ConfigPlan.Effect.REFUSED));
    }
    return changes;
  }

  private static Optional<ConfigPlan.Change> refusedBy(List<ConfigPlan.Change> changes) {
    return changes.stream().filter(c -> c.effect() == ConfigPlan.Effect.REFUSED).findFirst();
  }

  /**
   * The command that takes it.
   *
   * @throws BadRequestResponse when it can never be taken
   */
  Configure apply(Context ctx) throws ConfigException {
    ClusterConfig proposed = proposed(ctx);
    Optional<ConfigPlan.Change> refused = refusedBy(ConfigPlan.of(node.config(), proposed));
    if (refused.isPresent()) {
      throw new BadRequestResponse(refused.get().where() + ": " + refused.get().what());
    }
    return new Configure(proposed, node.view().state().configVersion());
  }
}
