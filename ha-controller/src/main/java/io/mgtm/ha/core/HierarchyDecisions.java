package io.mgtm.ha.core;

import io.mgtm.ha.core.ClusterCommand.Blame;
import io.mgtm.ha.core.ClusterCommand.Halt;
import io.mgtm.ha.core.ClusterCommand.Leave;
import io.mgtm.ha.core.ClusterCommand.MarkCopies;
import io.mgtm.ha.core.ClusterCommand.Pend;
import io.mgtm.ha.core.ClusterCommand.Place;
import io.mgtm.ha.core.ClusterCommand.Release;
import io.mgtm.ha.core.ClusterCommand.Repaired;
import io.mgtm.ha.core.ClusterCommand.Revoke;
import io.mgtm.ha.core.ClusterCommand.Unpend;
import io.mgtm.ha.core.ClusterCommand.Wait;
import io.mgtm.ha.core.Grant.Copies;
import io.mgtm.ha.core.OperatorCommand.Rest;
import io.mgtm.ha.core.OperatorCommand.Stop;
import io.mgtm.ha.core.Placement.Answer;
import io.mgtm.ha.core.Placement.Failure;
import io.mgtm.ha.core.Placement.Stage;
import io.mgtm.ha.core.Report.State;
import io.mgtm.ha.model.Policy;
import io.mgtm.ha.model.Policy.Failback;
import io.mgtm.ha.model.Policy.Failover;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What is decided of one hierarchy. */
final class HierarchyDecisions {
  /** A preferred node must have been in contact for so many leases before anything goes back. */
  private static final int FAILBACK_LEASES = 3;

  private final Observation seen;
  private final String name;
  private final Placement placement;
  private final Policy policy;
  private final Candidates candidates;
  private final List<Decision> decisions;

  HierarchyDecisions(Observation seen, String name, List<Decision> decisions) {
    this.seen = seen;
    this.name = name;
    this.placement = seen.placement(name);
    this.policy = seen.hierarchy(name).policy();
    this.candidates = new Candidates(seen, name);
    this.decisions = decisions;
  }

  void decide() {
    markCopies();
    recordRepairs();
    switch (placement.stage()) {
      case OUT -> whenOut();
      case HELD -> whenHeld();
      case LEAVING, REVOKED -> whenLeaving();
    }
  }

  /**
   * What the primary says of copies; the mark makes late words harmless. One that does not hear
   * this leader is told of no mark, and none is made: it would only keep the copy from being used.
   */
  private void markCopies() {
    String node = placement.node();
    Report report = report(node);
    if (report == null
        || !seen.contact(node)
        || seen.nodes().get(node).last().seen().term() != seen.state().term()) {
      return;
    }
    for (Map.Entry<String, CopyReport> each : report.copies().entrySet()) {
      CopyReport word = each.getValue();
      Copies known = seen.state().copies().getOrDefault(name, Map.of()).get(each.getKey());
      if (word.mark() != null
          && word.mark().epoch() == placement.epoch()
          && (known == null || word.mark().compareTo(known.mark()) > 0)) {
        add(
            new MarkCopies(name, each.getKey(), word.mark(), word.inSync(), word.following()),
            "the primary " + placement.node() + " says which copies are in step",
            Map.of());
      }
    }
  }

  private void recordRepairs() {
    NodeView view = seen.nodes().get(placement.node());
    Report report = report(placement.node());
    if (report == null || report.recoveries() == 0 || report.epoch() != placement.epoch()) {
      return;
    }
    Mark mark = new Mark(report.epoch(), view.last().incarnation(), report.recoveries());
    if (placement.repaired() == null || mark.compareTo(placement.repaired()) > 0) {
      add(
          new Repaired(name, mark, report.detail()),
          "checks failed on " + placement.node(),
          Map.of());
    }
  }

  private void whenOut() {
    if (!placement.wanted() || !placement.halted().isEmpty()) {
      return;
    }
    String toward = placement.toward();
    if (!toward.isEmpty() && candidates.whyNot(toward).isEmpty()) {
      place(toward, placement.last().isEmpty() ? "it is wanted" : "it moves to " + toward);
      return;
    }
    if (seen.state().inMaintenance(name, "")) {
      waitFor("it is in maintenance", Map.of());
      return;
    }
    long failovers = recentFailovers();
    if (failovers > policy.failoversMax()) {
      add(
          new Halt(name, "it has failed over " + failovers + " times"),
          "the policy allows " + policy.failoversMax() + " in its window",
          Map.of());
      return;
    }
    if (candidates.unheard()) {
      return;
    }
    if (candidates.willLook(toward)) {
      waitForNodes(candidates.reasons());
      return;
    }
    List<String> able = candidates.able("", placement.last());
    String target = permitted(able, placement.last());
    if (!target.isEmpty()) {
      place(target, placement.last().isEmpty() ? "it is wanted" : "it was out of service");
    } else if (able.isEmpty()) {
      waitForNodes(candidates.reasons());
    } else {
      pend(able.get(0), "it was out of service on " + placement.last());
    }
  }

  private long recentFailovers() {
    return placement.failovers().stream()
        .filter(at -> seen.at() - at < policy.failoversWindowMs())
        .count();
  }

  private void place(String target, String cause) {
    add(
        new Place(name, target, placement.epoch() + 1, candidates.lossAccepted(target)),
        cause + ", and " + target + " is the first that can have it" + loss(target),
        candidates.reasons());
  }

  /** What it means that a copy lags. */
  private String loss(String target) {
    List<String> lagging = candidates.lagging(target);
    return lagging.isEmpty()
        ? ""
        : "; its copy of "
            + String.join(", ", lagging)
            + " is asynchronous: what had not reached it is lost, from the end of what was"
            + " acknowledged";
  }

  private void waitForNodes(Map<String, String> reasons) {
    StringBuilder text = new StringBuilder();
    reasons.forEach(
        (node, why) ->
            text.append(text.isEmpty() ? "" : "; ").append(node).append(' ').append(why));
    waitFor(text.toString(), reasons);
  }

  private void waitFor(String reason, Map<String, String> observations) {
    if (!reason.equals(placement.waiting())) {
      add(
          new Wait(name, reason),
          reason.isEmpty() ? "its node is well" : "it is wanted",
          observations);
    }
  }

  private void whenHeld() {
    String node = placement.node();
    if (seen.state().inMaintenance(name, node)) {
      return;
    }
    if (!seen.contact(node)) {
      moveAway(node + " is silent on all paths", true);
      return;
    }
    Report report = seen.obedient(node, name);
    if (report == null || report.epoch() != placement.epoch()) {
      return;
    }
    if (report.state() == State.FAILED || report.state() == State.STUCK) {
      Failure known = placement.failures().get(node);
      if (known == null || known.epoch() != placement.epoch()) {
        add(
            new Blame(name, placement.epoch(), report.failed(), report.detail(), report.served()),
            node + " has given up repairing it",
            Map.of(node, report.failed() + ": " + report.detail()));
      } else {
        moveAway(node + " has failed: " + report.failed() + ": " + report.detail(), false);
      }
      return;
    }
    if (placement.pending() != null) {
      add(
          new Unpend(name, placement.epoch()),
          node + " is in contact, and " + report.state(),
          Map.of(node, report.detail()));
    } else if (seen.state().retired().containsKey(node)) {
      retire(node);
    } else if (!placement.waiting().isEmpty()) {
      waitFor("", Map.of());
    } else if (report.state() == State.IN && policy.failback() == Failback.WHEN_IN_STEP) {
      failback(node);
    }
  }

  /**
   * Away from a node that an operator takes out, whatever the policy says of failovers; not to a
   * copy that may lack something.
   */
  private void retire(String node) {
    if (candidates.unheard()) {
      return;
    }
    Map<String, String> reasons = candidates.reasons();
    for (String able : candidates.able(node, node)) {
      List<String> lagging = candidates.lagging(able);
      if (lagging.isEmpty()) {
        add(
            new Leave(name, placement.epoch(), able),
            node + " is retired, and " + able + " is the first that can have it",
            reasons);
        return;
      }
      reasons.put(able, "its copy of " + String.join(", ", lagging) + " is asynchronous");
    }
    if (seen.state().retired().get(node) == Rest.STOPS) {
      add(new Stop(name), node + " is retired, and no other node can have it", reasons);
    } else {
      waitForNodes(reasons);
    }
  }

  /** Away from a node that is silent or has failed, as far as the policy permits. */
  private void moveAway(String cause, boolean silent) {
    List<String> able = candidates.able(placement.node(), placement.node());
    String target = permitted(able, placement.node());
    if (!able.isEmpty() && target.isEmpty()) {
      pend(able.get(0), cause);
    } else if (!target.isEmpty() || !silent) {
      // One that failed is taken out even when nobody can take it: half a service serves nobody.
      add(
          silent
              ? new Revoke(name, placement.epoch(), target)
              : new Leave(name, placement.epoch(), target),
          cause,
          candidates.reasons());
    } else {
      waitForNodes(candidates.reasons());
    }
  }

  /** The first that it may move to by itself now; empty when there is none. */
  private String permitted(List<String> able, String from) {
    for (String node : able) {
      if (from.isEmpty() || node.equals(from) || permits(mode(from, node))) {
        return node;
      }
    }
    return "";
  }

  private Failover mode(String from, String to) {
    return seen.sameSite(from, to) ? policy.failover() : policy.failoverBetweenSites();
  }

  private boolean permits(Failover mode) {
    if (mode == Failover.AUTOMATIC) {
      return true;
    }
    if (placement.pending() == null || placement.pending().answer() == Answer.CANCELLED) {
      return false;
    }
    return placement.pending().answer() == Answer.CONFIRMED
        || (mode == Failover.MANUAL_FIRST && seen.at() >= placement.pending().deadline());
  }

  private void pend(String target, String cause) {
    if (placement.pending() != null) {
      return;
    }
    String from = placement.node().isEmpty() ? placement.last() : placement.node();
    long deadline =
        mode(from, target) == Failover.MANUAL_FIRST
            ? seen.at() + policy.betweenSitesWaitMs()
            : Long.MAX_VALUE;
    add(
        new Pend(name, placement.epoch(), target, deadline),
        cause + ", and the policy asks an operator before it moves to " + target + loss(target),
        candidates.reasons());
  }

  private void failback(String node) {
    for (Copies copies : seen.state().copies().getOrDefault(name, Map.of()).values()) {
      if (copies.mark().epoch() != placement.epoch()) {
        // Its primary has not said yet who is in step with it.
        return;
      }
    }
    List<String> nodes = seen.hierarchy(name).nodes();
    long recent = recentFailovers();
    long contactMs = (long) FAILBACK_LEASES * seen.state().config().timing().leaseMs();
    for (String preferred : nodes.subList(0, Math.max(0, nodes.indexOf(node)))) {
      if (recent < policy.failoversMax()
          && seen.nodes().get(preferred) != null
          && seen.nodes().get(preferred).contactMs() >= contactMs
          && !candidates.hasFailed(preferred)
          && candidates.whyNot(preferred).isEmpty()) {
        add(
            new Leave(name, placement.epoch(), preferred),
            preferred + " is preferred, has returned and is in step",
            Map.of(preferred, seen.nodes().get(preferred).heard()));
        return;
      }
    }
  }

  private void whenLeaving() {
    String node = placement.node();
    String out = seen.out(node, name);
    if (!out.isEmpty()) {
      add(new Release(name, placement.epoch()), out, Map.of());
      return;
    }
    Report report = seen.obedient(node, name);
    if (placement.stage() == Stage.LEAVING && report != null && report.state() == State.STUCK) {
      stuck(node, report);
    }
  }

  /**
   * A node that cannot take it out has tried all that its watchdog could do at the lease's end. The
   * end of the lease makes sure of it only where the watchdog's device resets the machine then.
   */
  private void stuck(String node, Report report) {
    Map<String, String> said = Map.of(node, report.failed() + ": " + report.detail());
    if (seen.isResetByItsWatchdog(node)) {
      add(
          new Revoke(name, placement.epoch(), placement.toward()),
          node + " cannot take it out of service, and its watchdog resets it",
          said);
    } else {
      waitFor(
          node + " cannot take it out of service: end there what is left of it, or switch it off",
          said);
    }
  }

  private Report report(String node) {
    NodeView view = seen.nodes().get(node);
    return view == null ? null : view.report(name);
  }

  /** Names what was seen of the node and of those that could not take it. */
  private void add(ClusterCommand command, String cause, Map<String, String> others) {
    Map<String, String> observations = new LinkedHashMap<>();
    String node = placement.node().isEmpty() ? placement.last() : placement.node();
    NodeView view = seen.nodes().get(node);
    if (view != null) {
      Report report = view.report(name);
      observations.put(
          "node " + node,
          view.heard()
              + (view.over().contains(name) ? ", its lease is over" : "")
              + (report == null ? "" : ", said " + report.state() + " " + report.detail()));
    }
    observations.put("placement", placement.stage() + ", epoch " + placement.epoch());
    observations.putAll(others);
    decisions.add(new Decision(command, Decision.BY_ITSELF, cause, observations));
  }
}
