package io.mgtm.ha.api;

import io.mgtm.ha.core.ClusterState;
import io.mgtm.ha.core.OperatorCommand.Maintain;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Tells who begins or ends maintenance for nothing that it is so, and of what there is some. */
final class MaintenanceWords {
  private MaintenanceWords() {}

  /** That it is as asked already; empty when it is not. */
  static Optional<String> done(Maintain command, ClusterState state) {
    boolean on =
        switch (command.scope()) {
          case CLUSTER -> state.clusterMaintenance();
          case NODE -> state.nodeMaintenance().contains(command.name());
          case HIERARCHY -> state.hierarchyMaintenance().contains(command.name());
        };
    boolean known =
        switch (command.scope()) {
          case CLUSTER -> true;
          case NODE -> state.config() != null && state.config().nodes().containsKey(command.name());
          case HIERARCHY -> state.placements().containsKey(command.name());
        };
    if (on != command.on() || !known) {
      return Optional.empty();
    }
    String what =
        switch (command.scope()) {
          case CLUSTER -> "the cluster";
          case NODE -> "node " + command.name();
          case HIERARCHY -> "hierarchy " + command.name();
        };
    return Optional.of(
        on
            ? what + " is in maintenance already"
            : what + " is not in maintenance; " + elsewhere(state));
  }

  private static String elsewhere(ClusterState state) {
    List<String> all = new ArrayList<>();
    if (state.clusterMaintenance()) {
      all.add("the cluster");
    }
    state.nodeMaintenance().forEach(name -> all.add("node " + name + " (--node)"));
    state.hierarchyMaintenance().forEach(name -> all.add("hierarchy " + name + " (--hierarchy)"));
    return all.isEmpty()
        ? "nothing is"
        : String.join(", ", all) + (all.size() > 1 ? " are" : " is");
  }
}
