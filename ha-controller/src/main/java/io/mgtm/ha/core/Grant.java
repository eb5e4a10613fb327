package io.mgtm.ha.core;

import java.time.Instant;
import java.util.Map;
import java.util.Set;

/**
 * The leader's answer to a heartbeat, sent on every path. The node's lease on each hierarchy that
 * it names ends at {@code sentAt + leaseMs}, and the leader waits for it as long as these lease and
 * guard take: whatever the configuration of either side says by then, they go together.
 *
 * @param node whom it is for
 * @param incarnation of the heartbeat; an older or newer incarnation drops it
 * @param seq of the heartbeat; 0 where it answers none, see {@link #overtaken}
 * @param sentAt of the heartbeat
 * @param seen the leader's term and the version of the state that the orders are from
 * @param guardMs the node's watchdog must be one that acts within so long; otherwise this gives it
 *     no lease
 * @param orders by hierarchy; what is not named shall be out, and has no lease
 */
public record Grant(
    String node,
    long incarnation,
    long seq,
    long sentAt,
    Seen seen,
    int leaseMs,
    int guardMs,
    Map<String, Order> orders) {

  /**
   * Tells a node that counts lower than an earlier incarnation, as after it has lost its folder
   * while its clock was behind, by which it would have to be above. It grants nothing, and the
   * incarnation that it names has no use for it.
   */
  static Grant overtaken(String node, long incarnation, Seen seen) {
    return new Grant(node, incarnation, 0, 0, seen, 0, 0, Map.of());
  }

  boolean answers() {
    return seq > 0;
  }

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
   * @param mark whose word it is; with count 0 an operator's, who has accepted what that copy lacks
   * @param following see {@link CopyReport#following}
   * @param outdated since when the other copies lack what was acknowledged, milliseconds since 1970
   */
  public record Copies(
      Mark mark, Set<String> upToDate, Set<String> following, Map<String, Long> outdated) {

    /** Why a node's copy may not be brought in service; empty when it may. */
    String whyNot(String resource, String node) {
      if (upToDate.contains(node) || following.contains(node)) {
        return "";
      }
      Long since = outdated.get(node);
      return "its copy of "
          + resource
          + " is Outdated: it lacks what was acknowledged "
          + (since == null ? "elsewhere" : "since " + Instant.ofEpochSecond(since / 1_000));
    }

    /** On what grounds a kit brings a node's copy in service. */
    Map<String, String> grounds(String node) {
      if (upToDate.contains(node) && mark.count() > 0) {
        return Map.of(CopyReport.VOUCHED, "true");
      }
      return upToDate.contains(node) || following.contains(node)
          ? Map.of(CopyReport.ACCEPT_LOSS, "true")
          : Map.of();
    }
  }
}
