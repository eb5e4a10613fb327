package io.mgtm.ha.core;

import io.mgtm.ha.core.OperatorCommand.Start;
import io.mgtm.ha.core.OperatorCommand.Switchover;
import io.mgtm.ha.core.Report.State;
import io.mgtm.ha.model.Hierarchy;
import io.mgtm.ha.model.Node;
import java.util.Map;

/**
 * What a leader decides on.
 *
 * @param at the cluster's time
 * @param state the committed state
 * @param nodes by name, all of the configuration
 */
public record Observation(long at, ClusterState state, Map<String, NodeView> nodes) {

  Hierarchy hierarchy(String name) {
    return state.config().hierarchies().get(name);
  }

  Placement placement(String name) {
    return state.placements().get(name);
  }

  /**
   * Why what an operator asks is not done; empty when it is. No service is interrupted for a node
   * that would not take it.
   */
  String refusal(OperatorCommand command) {
    String named = named(command);
    // First: what else stands in the way may have an answer that does not help.
    return nodes.containsKey(named) && !contact(named)
        ? named + " is silent"
        : state.refusal(command);
  }

  /** The node on which the operator wants it in service; empty if the cluster chooses. */
  private static String named(OperatorCommand command) {
    if (command instanceof Start start) {
      return start.node();
    }
    return command instanceof Switchover to ? to.node() : "";
  }

  /** Whether a node hears this leader and is heard. */
  boolean contact(String node) {
    NodeView view = nodes.get(node);
    return view != null && view.silentMs() <= state.config().timing().leaseMs();
  }

  /**
   * What a node says of a hierarchy, after it has seen the orders that stand; null when it has not.
   */
  Report obedient(String node, String hierarchy) {
    NodeView view = nodes.get(node);
    if (view == null || view.last() == null) {
      return null;
    }
    Seen seen = view.last().seen();
    return seen.term() == state.term() && seen.version() >= placement(hierarchy).changed()
        ? view.report(hierarchy)
        : null;
  }

  /** Why a node surely does not have a hierarchy in service; empty when that is not sure. */
  String out(String node, String hierarchy) {
    Report report = obedient(node, hierarchy);
    if (report != null && report.state() == State.OUT) {
      return node + " says that it is out";
    }
    NodeView view = nodes.get(node);
    if (view == null) {
      return "";
    }
    if (view.fenced().containsKey(hierarchy)) {
      return node + " has been switched off by " + view.fenced().get(hierarchy);
    }
    return view.over().contains(hierarchy) ? node + " has no lease on it any more" : "";
  }

  /** Whether the end of a lease resets the node's machine while something is left there. */
  boolean isResetByItsWatchdog(String node) {
    Node of = state.config().nodes().get(node);
    return of != null && !of.watchdogDevice().isEmpty();
  }

  /** Of a node that has left the cluster nobody knows where it was. */
  boolean sameSite(String one, String other) {
    Node from = state.config().nodes().get(one);
    Node to = state.config().nodes().get(other);
    return from == null || to == null || from.site().equals(to.site());
  }
}
