package io.mgtm.ha.node;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.mgtm.ha.core.ClusterState;
import io.mgtm.ha.core.DiskReport;
import io.mgtm.ha.core.Report;
import java.util.List;
import java.util.Map;

/**
 * What one node knows of its cluster.
 *
 * @param node whose view it is
 * @param leader the controller that decides, empty when none is known
 * @param term of that leader
 * @param at the cluster's time now, as this node reckons it; deadlines are in it
 * @param runningMs for how long this controller has run
 * @param connected members of the controllers' group that this one is connected with
 * @param voters members of that group that vote; while nodes come and go not those of the
 *     configuration
 * @param warnings of the controllers' group, and of data that are on too few nodes, a sentence each
 * @param nodes by name, those that were heard since this controller started
 * @param state as the cluster has agreed on it, as far as this node knows
 */
public record ClusterView(
    String node,
    String leader,
    long term,
    long at,
    long runningMs,
    List<String> connected,
    List<String> voters,
    List<String> warnings,
    Map<String, NodeStatus> nodes,
    ClusterState state) {

  /**
   * What was heard of a node.
   *
   * @param incarnation of its controller
   * @param silentMs by path, how long ago it was heard
   * @param reports by hierarchy
   * @param disk what it says of the quorum disk, null when it has none
   */
  public record NodeStatus(
      long incarnation,
      Map<String, Long> silentMs,
      Map<String, Report> reports,
      @JsonInclude(JsonInclude.Include.NON_NULL) DiskReport disk) {}
}
