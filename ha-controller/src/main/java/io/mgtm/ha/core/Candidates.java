package io.mgtm.ha.core;

import io.mgtm.ha.core.Grant.Copies;
import io.mgtm.ha.core.Placement.Failure;
import io.mgtm.ha.core.Report.State;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** Which nodes could have a hierarchy in service, and why others could not. */
final class Candidates {
  private static final Pattern TIMES = Pattern.compile("\\d+ ms");

  private static final String NOT_LOOKED = "has not looked yet at what it has";

  private final Observation seen;
  private final String hierarchy;
  private final Placement placement;

  Candidates(Observation seen, String hierarchy) {
    this.seen = seen;
    this.hierarchy = hierarchy;
    this.placement = seen.placement(hierarchy);
  }

  /**
   * Those that could, other than {@code except}; of the site of {@code from} first. Those that lag
   * only when no other could.
   */
  List<String> able(String except, String from) {
    List<String> near = new ArrayList<>();
    List<String> far = new ArrayList<>();
    for (String node : seen.hierarchy(hierarchy).nodes()) {
      if (!node.equals(except) && whyNot(node).isEmpty()) {
        (from.isEmpty() || seen.sameSite(from, node) ? near : far).add(node);
      }
    }
    near.addAll(far);
    List<String> whole = near.stream().filter(node -> lagging(node).isEmpty()).toList();
    return whole.isEmpty() ? near : whole;
  }

  /** Whether one of them has not been heard yet and need not be silent: the leader is young. */
  boolean unheard() {
    for (String node : seen.hierarchy(hierarchy).nodes()) {
      if (seen.contact(node) && seen.nodes().get(node).contactMs() == 0) {
        return true;
      }
    }
    return false;
  }

  /** Whether a node is there, and has not said yet what it has: its controller has just started. */
  boolean willLook(String node) {
    return whyNot(node).equals(NOT_LOOKED);
  }

  /** Why the others could not, by node. */
  Map<String, String> reasons() {
    Map<String, String> reasons = new LinkedHashMap<>();
    for (String node : seen.hierarchy(hierarchy).nodes()) {
      String why = whyNot(node);
      if (!why.isEmpty()) {
        reasons.put(node, why);
      }
    }
    return reasons;
  }

  /** Why a node could not have it in service; empty when it could. No figures that change. */
  String whyNot(String node) {
    NodeView view = seen.nodes().get(node);
    if (view == null) {
      return "is not configured";
    }
    if (seen.state().retired().containsKey(node)) {
      return StateChange.RETIRED;
    }
    if (seen.state().nodeMaintenance().contains(node) && !node.equals(placement.toward())) {
      return "is in maintenance";
    }
    if (!seen.contact(node)) {
      return "is silent";
    }
    Report report = view.report(hierarchy);
    if (report == null
        || report.state() == State.UNKNOWN
        || view.last().seen().term() != seen.state().term()) {
      return NOT_LOOKED;
    }
    if (report.state() != State.OUT) {
      return "has not taken it out of service" + stuck(report);
    }
    Failure failure = placement.failures().get(node);
    if (failure != null && failedLast()) {
      long leftOutMs = failure.leftOutMs(windowMs());
      if (seen.at() - failure.at() < leftOutMs) {
        return "has failed: %s: %s, and is left out for %d s"
            .formatted(failure.resource(), failure.detail(), leftOutMs / 1_000);
      }
    }
    return whyNotCopies(node, report);
  }

  /** Why its stop has failed; as often as that is tried the words are the same. */
  private static String stuck(Report report) {
    return report.state() == State.STUCK && !report.detail().isEmpty()
        ? ": %s: %s"
            .formatted(report.failed(), TIMES.matcher(report.detail()).replaceAll("its time"))
        : "";
  }

  /** Whether the last node that had it could not, so that failures elsewhere count as well. */
  private boolean failedLast() {
    return placement.failures().values().stream()
        .anyMatch(failure -> failure.epoch() == placement.epoch());
  }

  /** Whether a node could not have it in service of late, though it may be tried again. */
  boolean hasFailed(String node) {
    Failure failure = placement.failures().get(node);
    return failure != null && seen.at() - failure.at() < windowMs();
  }

  private long windowMs() {
    return seen.hierarchy(hierarchy).policy().localRecoveryWindowMs();
  }

  private String whyNotCopies(String node, Report report) {
    boolean lossAccepted = placement.acceptLoss().equals(node);
    for (Map.Entry<String, CopyReport> each : report.copies().entrySet()) {
      String copy = each.getValue().copy();
      boolean usable =
          copy.equals(CopyReport.UP_TO_DATE)
              || copy.equals(CopyReport.CONSISTENT)
              || (lossAccepted && copy.equals(CopyReport.OUTDATED));
      if (!usable) {
        return "its copy of " + each.getKey() + " is " + copy + " by its own word";
      }
    }
    if (lossAccepted) {
      return "";
    }
    Map<String, Copies> known = seen.state().copies().getOrDefault(hierarchy, Map.of());
    for (Map.Entry<String, Copies> each : known.entrySet()) {
      String why = whyNotCopy(node, each.getKey(), each.getValue());
      if (!why.isEmpty()) {
        return why;
      }
    }
    // Before any primary has given its word, only the node that had it last, or the one that the
    // configuration names first, or that an operator names, can have what counts.
    String first = placement.last();
    if (first.isEmpty()) {
      first = seen.hierarchy(hierarchy).nodes().get(0);
    }
    for (String resource : report.copies().keySet()) {
      if (!known.containsKey(resource) && !node.equals(first) && !node.equals(placement.toward())) {
        return "nobody knows yet whose copy of " + resource + " is the newest";
      }
    }
    return "";
  }

  private String whyNotCopy(String node, String resource, Copies copies) {
    return seen.nodes().get(node).report(hierarchy).copies().containsKey(resource)
        ? copies.whyNot(resource, node)
        : "has not said how its copy of " + resource + " is";
  }

  /** Resources of which a node's copy is used by an operator's leave only. */
  Set<String> lossAccepted(String node) {
    if (!placement.acceptLoss().equals(node)) {
      return Set.of();
    }
    Map<String, Copies> known = seen.state().copies().getOrDefault(hierarchy, Map.of());
    Set<String> accepted =
        new TreeSet<>(seen.nodes().get(node).report(hierarchy).copies().keySet());
    accepted.removeIf(
        resource ->
            known.containsKey(resource) && known.get(resource).whyNot(resource, node).isEmpty());
    return accepted;
  }

  /** Resources of which a node's copy may lack the end of what was acknowledged. */
  List<String> lagging(String node) {
    return seen.state().copies().getOrDefault(hierarchy, Map.of()).entrySet().stream()
        .filter(each -> each.getValue().following().contains(node))
        .map(Map.Entry::getKey)
        .toList();
  }
}
