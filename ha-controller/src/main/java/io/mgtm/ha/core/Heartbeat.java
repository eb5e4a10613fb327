package io.mgtm.ha.core;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.Map;

/**
 * How a node stands; sent to every node, itself included, on every path.
 *
 * @param cluster the cluster's name, empty when the node does not know it yet; who receives it
 *     drops those of other clusters
 * @param node who sends it
 * @param incarnation of its controller; a later start has a higher one
 * @param seq counts the incarnation's heartbeats, from 1
 * @param sentAt on the node's monotonic clock; nobody else reads it, a grant brings it back
 * @param seen the orders that it obeys
 * @param answered the newest of the incarnation's heartbeats that was answered; 0 before any was
 * @param reports by hierarchy
 * @param disk what it says of the quorum disk, null when it has none
 */
public record Heartbeat(
    String cluster,
    String node,
    long incarnation,
    long seq,
    long sentAt,
    Seen seen,
    long answered,
    Map<String, Report> reports,
    @JsonInclude(JsonInclude.Include.NON_NULL) DiskReport disk) {

  /** Whether it was sent after another one of the same node. */
  public boolean isAfter(Heartbeat other) {
    return incarnation != other.incarnation ? incarnation > other.incarnation : seq > other.seq;
  }
}
