package io.mgtm.ha.core;

import java.util.Map;
import java.util.Set;

/**
 * The leader's answer to a heartbeat, sent on every path. The node's lease on each hierarchy that
 * it names ends at {@code sentAt + leaseMs}.
 *
 * @param node whom it is for
 * @param incarnation of the heartbeat; another incarnation drops it
 * @param seq of the heartbeat
 * @param sentAt of the heartbeat
 * @param seen the leader's term and the version of the state that the orders are from
 * @param orders by hierarchy; what is not named shall be out, and has no lease
 */
public record Grant(
    String node,
    long incarnation,
    long seq,
    long sentAt,
    Seen seen,
    int leaseMs,
    Map<String, Order> orders) {

  /**
   * What a node shall do with a hierarchy.
   *
   * @param run true: have it in service; false: take it out in order, under the lease
   * @param epoch of the placement
   * @param repair whether failed resources are repaired; not in maintenance
   * @param marks by resource, what the state says of its copies
   */
  public record Order(boolean run, long epoch, boolean repair, Map<String, Copies> marks) {}

  /**
   * Which copies of a resource's data have everything acknowledged.
   *
   * @param mark whose word it is
   * @param guarded see {@link CopyReport#guarded}
   */
  public record Copies(Mark mark, Set<String> upToDate, boolean guarded) {}
}
