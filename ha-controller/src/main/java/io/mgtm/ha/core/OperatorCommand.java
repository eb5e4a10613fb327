package io.mgtm.ha.core;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.mgtm.ha.model.ClusterConfig;

/** What operators ask; the leader appends it as it decides on it. */
public sealed interface OperatorCommand extends ClusterCommand
    permits OperatorCommand.Configure,
        OperatorCommand.Start,
        OperatorCommand.Stop,
        OperatorCommand.Switchover,
        OperatorCommand.Answer,
        OperatorCommand.Maintain,
        OperatorCommand.Retire,
        OperatorCommand.Activate,
        ActionRefused,
        Notified {

  /**
   * Takes another configuration.
   *
   * @param version that of the configuration it replaces; 0 for the first
   * @param joins whether it is noted which nodes it puts in; in a log of before that was noted it
   *     is not, so that all who read it agree
   */
  record Configure(
      ClusterConfig config,
      long version,
      @JsonInclude(JsonInclude.Include.NON_DEFAULT) boolean joins)
      implements OperatorCommand {

    /** As it is asked for now. */
    public Configure(ClusterConfig config, long version) {
      this(config, version, true);
    }

    @Override
    public String what() {
      return "configuration " + (version + 1) + " is used";
    }

    @Override
    public String applyTo(StateChange state) {
      return state.configure(this);
    }
  }

  /**
   * Wants a hierarchy in service, and forgets its failures.
   *
   * @param node where, empty to choose
   * @param acceptLoss that the node's copy may lack acknowledged writes
   */
  record Start(String hierarchy, String node, boolean acceptLoss)
      implements OperatorCommand, ClusterCommand.OfHierarchy {
    @Override
    public String what() {
      return "shall be in service"
          + (node.isEmpty() ? "" : " on " + node)
          + (acceptLoss ? ", whatever its copy lacks" : "");
    }

    @Override
    public String applyTo(StateChange state) {
      return state.start(this);
    }
  }

  /** Wants a hierarchy out of service. */
  record Stop(String hierarchy) implements OperatorCommand, ClusterCommand.OfHierarchy {
    @Override
    public String what() {
      return "shall be out of service";
    }

    @Override
    public String applyTo(StateChange state) {
      return state.stop(this);
    }
  }

  /** Moves a hierarchy in order: out on its node first. */
  record Switchover(String hierarchy, String node, boolean acceptLoss)
      implements OperatorCommand, ClusterCommand.OfHierarchy {
    @Override
    public String what() {
      return "shall move to " + node + (acceptLoss ? ", whatever its copy lacks" : "");
    }

    @Override
    public String applyTo(StateChange state) {
      return state.switchover(this);
    }
  }

  /** Confirms or cancels a pending failover. */
  record Answer(String hierarchy, boolean confirm)
      implements OperatorCommand, ClusterCommand.OfHierarchy {
    @Override
    public String what() {
      return "pending failover " + (confirm ? "confirmed" : "cancelled");
    }

    @Override
    public String applyTo(StateChange state) {
      return state.answer(this);
    }
  }

  /**
   * Begins or ends maintenance: nothing is decided or repaired by itself.
   *
   * @param name of the node or hierarchy, empty for the cluster
   */
  record Maintain(Scope scope, String name, boolean on) implements OperatorCommand {
    @Override
    public String subject() {
      return scope == Scope.CLUSTER ? StateChange.CLUSTER : name;
    }

    @Override
    public String what() {
      return "maintenance " + (on ? "begins" : "ends");
    }

    @Override
    public String applyTo(StateChange state) {
      return state.maintain(this);
    }
  }

  /** What is in maintenance. */
  enum Scope {
    CLUSTER,
    NODE,
    HIERARCHY
  }

  /**
   * Takes a node out: what it has moves in order to others, and nothing is placed on it, until it
   * is activated.
   */
  record Retire(String node, Rest rest) implements OperatorCommand, ClusterCommand.OfNode {
    @Override
    public String what() {
      return "retires; what no other node can have "
          + (rest == Rest.STAYS ? "stays meanwhile" : "is stopped");
    }

    @Override
    public String applyTo(StateChange state) {
      return state.retire(this);
    }
  }

  /** What becomes of what a retired node has and no other node can have. */
  enum Rest {
    /** It stays in service there, until another can have it. */
    STAYS,
    /** It is stopped, as by {@link Stop}. */
    STOPS
  }

  /** Takes a retired node back. */
  record Activate(String node) implements OperatorCommand, ClusterCommand.OfNode {
    @Override
    public String what() {
      return "is active again";
    }

    @Override
    public String applyTo(StateChange state) {
      return state.activate(this);
    }
  }
}
