package io.mgtm.ha.core;

import io.mgtm.ha.core.Grant.Order;
import java.util.Set;

/**
 * A node's lease on a hierarchy: the newest orders, until when they hold, and what the watchdog is
 * told of that. Owner thread.
 */
final class HierarchyLease {
  private final String hierarchy;
  private final NodeAgent agent;
  private Order order;
  private boolean told;
  private long end;

  /** What is in service is ended so long before the lease is over. */
  private long margin;

  /** Within so long after its end the watchdog must have acted. */
  private int guardMs;

  private boolean guarded;

  HierarchyLease(String hierarchy, NodeAgent agent) {
    this.hierarchy = hierarchy;
    this.agent = agent;
  }

  /**
   * The orders of the newest grant.
   *
   * @param newOrder null when it does not name the hierarchy
   * @return whether the lease lasts longer now
   */
  boolean ordered(Order newOrder, Grant grant) {
    told = true;
    order = newOrder;
    long newEnd = grant.sentAt() + grant.leaseMs();
    if (order == null || newEnd <= end) {
      return false;
    }
    end = newEnd;
    margin = grant.leaseMs() / 8;
    guardMs = grant.guardMs();
    return true;
  }

  /** Whether a grant has said what shall be. */
  boolean isTold() {
    return told;
  }

  /** Null when the newest grant did not name the hierarchy. */
  Order order() {
    return order;
  }

  /** Whether the orders are to repair what has failed. */
  boolean repairs() {
    return order != null && order.repair();
  }

  boolean mayRun(long now) {
    return order != null && order.run() && now < end - margin;
  }

  /** Whether what is guarded is to be ended now. */
  boolean isEnding(long now) {
    return guarded && now >= end - margin;
  }

  /** Has the watchdog end these resources when the lease is over. */
  void guard(Set<String> resources) {
    guarded = true;
    agent.effects().guard(hierarchy, resources, end, guardMs);
  }

  /** Of one that the node was never given nobody has said how soon the watchdog must act. */
  void unguard() {
    guarded = false;
    agent.effects().guard(hierarchy, Set.of(), 0, agent.guardMs());
  }
}
