package io.mgtm.ha.core;

import io.mgtm.ha.model.Hierarchy;
import io.mgtm.ha.model.Policy;

/**
 * A hierarchy as its node goes by it, and as it is by the newest configuration. Other resources
 * take their place only when {@link #take} says so; policy and joins count at once, the latter only
 * where kits name copies by the newest parameters. Owner thread.
 */
final class UsedConfig {
  private final String name;
  private final NodeAgent agent;
  private Hierarchy used;
  private Hierarchy latest;
  private long joins;

  UsedConfig(String name, Hierarchy first, NodeAgent agent) {
    this.name = name;
    this.agent = agent;
    this.latest = first;
  }

  /** A newer one is known. */
  void configured(Hierarchy next) {
    latest = next;
    if (!isOutdated()) {
      joins = agent.joins(name);
    }
  }

  /** Whether the resources in use are others than those of the newest. */
  boolean isOutdated() {
    return !latest.resources().equals(used.resources());
  }

  /** The newest comes in use: its resources, of which nothing is known yet. */
  Stack take() {
    used = latest;
    joins = agent.joins(name);
    agent.effects().uses(name, used);
    return new Stack(name, used, agent);
  }

  Policy policy() {
    return latest.policy();
  }

  /** What a report on it takes at most; see {@link HeartbeatSize}. */
  int reportBytes() {
    return HeartbeatSize.of(name, used);
  }

  /** See {@link Mark#joins}: as kits know it. */
  long joins() {
    return joins;
  }
}
