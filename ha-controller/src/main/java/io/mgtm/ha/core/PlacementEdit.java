package io.mgtm.ha.core;

import io.mgtm.ha.core.Placement.Answer;
import io.mgtm.ha.core.Placement.Failure;
import io.mgtm.ha.core.Placement.Pending;
import io.mgtm.ha.core.Placement.Stage;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** A placement while a command changes it. */
final class PlacementEdit {
  private static final int FAILOVERS_MAX = 64;

  Stage stage;
  String node;
  String last;
  long epoch;
  long changed;
  boolean wanted;
  String toward;
  String acceptLoss;
  String halted;
  String waiting;
  Pending pending;
  Mark repaired;
  final List<Long> failovers;
  final Map<String, Failure> failures;

  private final long version;
  private final long at;

  /**
   * Begins with a placement.
   *
   * @param version of the state that the command makes
   * @param at the cluster's time
   */
  PlacementEdit(Placement from, long version, long at) {
    this.version = version;
    this.at = at;
    stage = from.stage();
    node = from.node();
    last = from.last();
    epoch = from.epoch();
    changed = from.changed();
    wanted = from.wanted();
    toward = from.toward();
    acceptLoss = from.acceptLoss();
    halted = from.halted();
    waiting = from.waiting();
    pending = from.pending();
    repaired = from.repaired();
    failovers = new ArrayList<>(from.failovers());
    failures = new TreeMap<>(from.failures());
  }

  /** Changes what nodes are ordered. */
  private void to(Stage newStage) {
    stage = newStage;
    changed = version;
  }

  /** What an operator's start or switchover makes good. */
  private void forgive() {
    halted = "";
    waiting = "";
    pending = null;
    failures.clear();
    failovers.clear();
  }

  private void countFailover() {
    failovers.add(at);
    if (failovers.size() > FAILOVERS_MAX) {
      failovers.remove(0);
    }
  }

  // Each of these does a command, or changes nothing and answers why not.

  String start(OperatorCommand.Start command) {
    boolean failed = failures.containsKey(node);
    if (stage == Stage.HELD && !Set.of("", node).contains(command.node())) {
      return "it is on " + node + ": use switchover to move it";
    }
    if (stage == Stage.HELD && command.acceptLoss()) {
      return "it is on " + node + " already, with the newest copy";
    }
    wanted = true;
    forgive();
    if (stage == Stage.HELD && failed) {
      to(Stage.LEAVING);
      toward = node;
    } else if (stage != Stage.HELD) {
      goTo(command.node(), command.acceptLoss());
    }
    return "";
  }

  private void goTo(String next, boolean lossAccepted) {
    toward = next;
    acceptLoss = lossAccepted ? next : "";
  }

  String stop() {
    wanted = false;
    goTo("", false);
    forgive();
    if (stage == Stage.HELD) {
      to(Stage.LEAVING);
    }
    return "";
  }

  /**
   * Moves it.
   *
   * @param outdated what the copy there lacks, when an operator has not accepted that
   */
  String switchover(OperatorCommand.Switchover command, String outdated) {
    if (!wanted) {
      return "it is stopped: start it first";
    }
    if (stage == Stage.HELD && node.equals(command.node())) {
      return "it is on " + node + " already";
    }
    if (!outdated.isEmpty()) {
      return outdated;
    }
    forgive();
    goTo(command.node(), command.acceptLoss());
    if (stage == Stage.HELD) {
      to(Stage.LEAVING);
    }
    return "";
  }

  String answer(boolean confirm) {
    if (pending == null) {
      return "no failover of it is pending";
    }
    pending =
        new Pending(
            pending.toward(),
            pending.since(),
            pending.deadline(),
            confirm ? Answer.CONFIRMED : Answer.CANCELLED);
    return "";
  }

  /** It is not on its way to a node any more that is retired. */
  void notToward(String retired) {
    if (toward.equals(retired)) {
      goTo("", false);
    }
  }

  void place(ClusterCommand.Place command) {
    to(Stage.HELD);
    node = command.node();
    last = command.node();
    epoch = command.epoch();
    goTo("", false);
    waiting = "";
    pending = null;
  }

  /** Its node could not have it in service. */
  void blame(ClusterCommand.Blame command, long windowMs) {
    Failure before = failures.get(node);
    int again = before == null || before.isForgotten(at, windowMs) ? 0 : before.again() + 1;
    failures.put(
        node,
        new Failure(
            at, command.epoch(), command.resource(), command.detail(), again, command.served()));
  }

  /**
   * Has its node take it out.
   *
   * @param failover whether it counts as one; what never came in service has not failed over
   */
  void leave(String next, boolean failover) {
    Failure failure = failures.get(node);
    boolean unstarted = failure != null && failure.epoch() == epoch && !failure.served();
    to(Stage.LEAVING);
    toward = next;
    pending = null;
    if (failover && !unstarted) {
      countFailover();
    }
  }

  void revoke(String next) {
    if (stage == Stage.HELD) {
      toward = next;
      countFailover();
    }
    to(Stage.REVOKED);
    pending = null;
    waiting = "";
  }

  void release() {
    to(Stage.OUT);
    node = "";
  }

  void halt(String reason) {
    halted = reason;
    waiting = "";
    pending = null;
  }

  Placement done() {
    return new Placement(
        stage,
        node,
        last,
        epoch,
        changed,
        wanted,
        toward,
        acceptLoss,
        halted,
        waiting,
        pending,
        repaired,
        List.copyOf(failovers),
        Collections.unmodifiableMap(failures));
  }
}
