package io.mgtm.ha.core;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.mgtm.ha.model.ClusterConfig;
import java.util.Set;

/**
 * A change of the {@link ClusterState}. Those with an epoch are refused when the placement has
 * another one by then.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "do")
@JsonSubTypes({
  @JsonSubTypes.Type(value = OperatorCommand.Configure.class, name = "configure"),
  @JsonSubTypes.Type(value = OperatorCommand.Start.class, name = "start"),
  @JsonSubTypes.Type(value = OperatorCommand.Stop.class, name = "stop"),
  @JsonSubTypes.Type(value = OperatorCommand.Switchover.class, name = "switchover"),
  @JsonSubTypes.Type(value = OperatorCommand.Answer.class, name = "answer"),
  @JsonSubTypes.Type(value = OperatorCommand.Maintain.class, name = "maintain"),
  @JsonSubTypes.Type(value = OperatorCommand.Retire.class, name = "retire"),
  @JsonSubTypes.Type(value = OperatorCommand.Activate.class, name = "activate"),
  @JsonSubTypes.Type(value = ActionRefused.class, name = "refused"),
  @JsonSubTypes.Type(value = Notified.class, name = "notified"),
  @JsonSubTypes.Type(value = ClusterCommand.Lead.class, name = "lead"),
  @JsonSubTypes.Type(value = ClusterCommand.Tick.class, name = "tick"),
  @JsonSubTypes.Type(value = ClusterCommand.LeasesOver.class, name = "leasesOver"),
  @JsonSubTypes.Type(value = ClusterCommand.Place.class, name = "place"),
  @JsonSubTypes.Type(value = ClusterCommand.Leave.class, name = "leave"),
  @JsonSubTypes.Type(value = ClusterCommand.Revoke.class, name = "revoke"),
  @JsonSubTypes.Type(value = ClusterCommand.Release.class, name = "release"),
  @JsonSubTypes.Type(value = ClusterCommand.Pend.class, name = "pend"),
  @JsonSubTypes.Type(value = ClusterCommand.Unpend.class, name = "unpend"),
  @JsonSubTypes.Type(value = ClusterCommand.Halt.class, name = "halt"),
  @JsonSubTypes.Type(value = ClusterCommand.Wait.class, name = "wait"),
  @JsonSubTypes.Type(value = ClusterCommand.Blame.class, name = "blame"),
  @JsonSubTypes.Type(value = ClusterCommand.Repaired.class, name = "repaired"),
  @JsonSubTypes.Type(value = ClusterCommand.MarkCopies.class, name = "markCopies"),
  @JsonSubTypes.Type(value = ClusterCommand.Silent.class, name = "silent"),
  @JsonSubTypes.Type(value = ClusterCommand.SilentPath.class, name = "silentPath"),
  @JsonSubTypes.Type(value = ClusterCommand.Fenced.class, name = "fenced")
})
public sealed interface ClusterCommand
    permits OperatorCommand,
        ClusterCommand.OfHierarchy,
        ClusterCommand.OfNode,
        ClusterCommand.Lead,
        ClusterCommand.LeasesOver,
        ClusterCommand.Tick {

  /** The hierarchy or node that it is about; the cluster otherwise. */
  default String subject() {
    return StateChange.CLUSTER;
  }

  /** What it does, a sentence for people. */
  String what();

  /** Does it; answers why not, empty when it did. */
  String applyTo(StateChange state);

  /** What is about one hierarchy. */
  non-sealed interface OfHierarchy extends ClusterCommand {
    String hierarchy();

    @Override
    default String subject() {
      return hierarchy();
    }
  }

  /** What is about one node. */
  non-sealed interface OfNode extends ClusterCommand {
    String node();

    @Override
    default String subject() {
      return node();
    }
  }

  // What the leader decides; what operators ask is an OperatorCommand.

  /** A leader begins; it grants nothing before this is committed. */
  record Lead(long term, String leader) implements ClusterCommand {
    @Override
    public String what() {
      return leader + " leads, term " + term;
    }

    @Override
    public String applyTo(StateChange state) {
      return state.lead(this);
    }
  }

  /** Carries the cluster's time over to the next leader. */
  record Tick() implements ClusterCommand {
    @Override
    public String what() {
      return "";
    }

    @Override
    public String applyTo(StateChange state) {
      return "";
    }
  }

  /**
   * Says when the {@link FormerLeases} are over.
   *
   * @param until cluster time; 0: they are
   */
  record LeasesOver(long until) implements ClusterCommand {
    @Override
    public String what() {
      return "";
    }

    @Override
    public String applyTo(StateChange state) {
      return state.over(this);
    }
  }

  /**
   * A node may have it in service from now on.
   *
   * @param epoch the new one
   * @param lossAccepted resources whose copy there counts from now on, whatever it lacks
   */
  record Place(String hierarchy, String node, long epoch, Set<String> lossAccepted)
      implements OfHierarchy {
    @Override
    public String what() {
      return "comes in service on "
          + node
          + (lossAccepted.isEmpty()
              ? ""
              : ", whatever its copy of " + String.join(", ", lossAccepted) + " lacks");
    }

    @Override
    public String applyTo(StateChange state) {
      return state.place(this);
    }
  }

  /** Its node shall take it out in order; counts as a failover unless it could not start it. */
  record Leave(String hierarchy, long epoch, String toward) implements OfHierarchy {
    @Override
    public String what() {
      return "is taken out of service" + (toward.isEmpty() ? "" : " to move to " + toward);
    }

    @Override
    public String applyTo(StateChange state) {
      return state.leave(this);
    }
  }

  /** Its node gets no lease on it any more; counts as a failover if it had one until now. */
  record Revoke(String hierarchy, long epoch, String toward) implements OfHierarchy {
    @Override
    public String what() {
      return "loses its lease" + (toward.isEmpty() ? "" : ", to move to " + toward);
    }

    @Override
    public String applyTo(StateChange state) {
      return state.revoke(this);
    }
  }

  /** Its node is surely out. */
  record Release(String hierarchy, long epoch) implements OfHierarchy {
    @Override
    public String what() {
      return "is out of service";
    }

    @Override
    public String applyTo(StateChange state) {
      return state.release(this);
    }
  }

  /** A failover waits for an operator. */
  record Pend(String hierarchy, long epoch, String toward, long deadline) implements OfHierarchy {
    @Override
    public String what() {
      return "waits for an operator to confirm or cancel that it moves to " + toward;
    }

    @Override
    public String applyTo(StateChange state) {
      return state.pend(this);
    }
  }

  /** What led to a pending failover is over. */
  record Unpend(String hierarchy, long epoch) implements OfHierarchy {
    @Override
    public String what() {
      return "need not move any more";
    }

    @Override
    public String applyTo(StateChange state) {
      return state.unpend(this);
    }
  }

  /** It stays out until an operator starts it. */
  record Halt(String hierarchy, String reason) implements OfHierarchy {
    @Override
    public String what() {
      return "stays out of service until an operator starts it: " + reason;
    }

    @Override
    public String applyTo(StateChange state) {
      return state.halt(this);
    }
  }

  /** Why it is out though it is wanted; empty when that is over. */
  record Wait(String hierarchy, String reason) implements OfHierarchy {
    @Override
    public String what() {
      return reason.isEmpty() ? "need not wait any more" : "no node can have it: " + reason;
    }

    @Override
    public String applyTo(StateChange state) {
      return state.waiting(this);
    }
  }

  /**
   * Its node could not have it in service.
   *
   * @param served whether it had been in service there, so that it is not its start that has failed
   */
  record Blame(
      String hierarchy,
      long epoch,
      String resource,
      String detail,
      @JsonInclude(JsonInclude.Include.NON_DEFAULT) boolean served)
      implements OfHierarchy {
    @Override
    public String what() {
      return "has failed: " + (resource.isEmpty() ? "" : resource + ": ") + detail;
    }

    @Override
    public String applyTo(StateChange state) {
      return state.blame(this);
    }
  }

  /** Its node has repaired something in place. */
  record Repaired(String hierarchy, Mark mark, String detail) implements OfHierarchy {
    @Override
    public String what() {
      return "is being repaired in place, " + mark.count() + " times by now: " + detail;
    }

    @Override
    public String applyTo(StateChange state) {
      return state.repaired(this);
    }
  }

  /** Its primary says which copies have everything acknowledged, and which all but the end. */
  record MarkCopies(
      String hierarchy, String resource, Mark mark, Set<String> upToDate, Set<String> following)
      implements OfHierarchy {
    @Override
    public String what() {
      return "UpToDate copies of "
          + resource
          + " are on "
          + String.join(", ", upToDate)
          + (following.isEmpty()
              ? ""
              : ", asynchronous ones that follow on " + String.join(", ", following));
    }

    @Override
    public String applyTo(StateChange state) {
      return state.markCopies(this);
    }
  }

  /** A node is silent, or is heard again. */
  record Silent(String node, boolean silent) implements OfNode {
    @Override
    public String what() {
      return silent ? "is silent" : "is heard again";
    }

    @Override
    public String applyTo(StateChange state) {
      return state.silent(this);
    }
  }

  /**
   * A node is silent on one of its paths while it is heard on another, or is heard there again. The
   * quorum disk counts as one, on which a node is heard that the disk votes for.
   */
  record SilentPath(String node, String path, boolean silent) implements OfNode {
    /** By which {@link ClusterState#silentPaths} has it. */
    String key() {
      return node + " " + path;
    }

    /** Whether a key is of a network of a node, and not of the quorum disk. */
    static boolean isNetworkOf(String node, String key) {
      return key.startsWith(node + " ") && !key.endsWith(" " + ClusterConfig.QUORUM_DISK);
    }

    @Override
    public String what() {
      if (path.equals(ClusterConfig.QUORUM_DISK)) {
        return silent ? "gets no vote of the quorum disk" : "gets votes of the quorum disk again";
      }
      return (silent ? "is silent on " : "is heard again on ") + path;
    }

    @Override
    public String applyTo(StateChange state) {
      return state.silentPath(this);
    }
  }

  /**
   * What came of a fence agent; only told: its effect is a {@link Release}.
   *
   * @param counts whether it makes sure that the node is out
   * @param how see {@link FenceAnswer}
   */
  record Fenced(String node, boolean off, boolean counts, String how) implements OfNode {
    private static final int TEXT_MAX = 300;

    /** Keeps the text short: an agent has written parts of it. */
    public Fenced {
      how = how.length() <= TEXT_MAX ? how : how.substring(0, TEXT_MAX);
    }

    @Override
    public String what() {
      return off
          ? "has been switched off by " + how + (counts ? "" : ", too late to count")
          : "has not been switched off by " + how;
    }

    @Override
    public String applyTo(StateChange state) {
      return "";
    }
  }
}
