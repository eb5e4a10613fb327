package io.mgtm.ha.core;

import io.mgtm.ha.core.Grant.Copies;
import io.mgtm.ha.core.Report.State;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Faults that are planted to see them caught. */
enum Plant {
  NONE,
  /** A leader grants without asking the log whether it leads. */
  UNCONFIRMED,
  /** A lease counts as over at once. */
  NO_WAIT,
  /** Every copy counts as UpToDate. */
  OUTDATED_COPY,
  /** The watchdog takes longer than others wait. */
  SLOW_WATCHDOG,
  /** A grant for another incarnation is obeyed. */
  FORMER_INCARNATION,
  /** A node that says OUT is believed, whatever it has seen. */
  OLD_OUT,
  /** An agent that has not looked says OUT. */
  OUT_UNSEEN,
  /** A leader that has granted nothing takes leases of others for over. */
  YOUNG_LEADER;

  /** What the leader takes for observed. */
  Observation alter(Observation seen) {
    return switch (this) {
      case NO_WAIT -> new Observation(seen.at(), seen.state(), allOver(seen, false));
      case YOUNG_LEADER -> new Observation(seen.at(), seen.state(), allOver(seen, true));
      case OUTDATED_COPY -> new Observation(seen.at(), allUpToDate(seen.state()), seen.nodes());
      case OLD_OUT -> new Observation(seen.at(), seen.state(), allObedient(seen));
      default -> seen;
    };
  }

  private static Map<String, NodeView> allOver(Observation seen, boolean onlyUnheard) {
    Map<String, NodeView> altered = new TreeMap<>(seen.nodes());
    altered.replaceAll(
        (node, view) ->
            onlyUnheard && view.contactMs() > 0
                ? view
                : new NodeView(
                    view.silentMs(),
                    view.contactMs(),
                    view.last(),
                    Set.copyOf(seen.state().placements().keySet()),
                    view.fenced(),
                    view.paths()));
    return altered;
  }

  private static Map<String, NodeView> allObedient(Observation seen) {
    Map<String, NodeView> altered = new TreeMap<>(seen.nodes());
    altered.replaceAll(
        (node, view) -> {
          Heartbeat last = view.last();
          Heartbeat obedient =
              last == null
                  ? null
                  : new Heartbeat(
                      last.cluster(),
                      last.node(),
                      last.incarnation(),
                      last.seq(),
                      last.sentAt(),
                      new Seen(seen.state().term(), Long.MAX_VALUE),
                      last.answered(),
                      last.reports());
          return new NodeView(
              view.silentMs(),
              view.contactMs(),
              obedient,
              view.over(),
              view.fenced(),
              view.paths());
        });
    return altered;
  }

  private static ClusterState allUpToDate(ClusterState state) {
    Map<String, Map<String, Copies>> copies = new TreeMap<>(state.copies());
    copies.replaceAll(
        (hierarchy, known) -> {
          Map<String, Copies> all = new TreeMap<>(known);
          all.replaceAll(
              (resource, each) -> new Copies(each.mark(), state.config().nodes().keySet(), true));
          return all;
        });
    return new ClusterState(
        state.format(),
        state.version(),
        state.at(),
        state.term(),
        state.leader(),
        state.config(),
        state.configVersion(),
        state.placements(),
        copies,
        state.clusterMaintenance(),
        state.nodeMaintenance(),
        state.hierarchyMaintenance(),
        state.silentNodes(),
        state.lastEvent(),
        state.events(),
        state.notified());
  }

  /** What an agent says. */
  Heartbeat alter(Heartbeat sent) {
    if (this != OUT_UNSEEN) {
      return sent;
    }
    Map<String, Report> reports = new TreeMap<>(sent.reports());
    reports.replaceAll(
        (hierarchy, report) ->
            report.state() != State.UNKNOWN
                ? report
                : new Report(
                    State.OUT, 0, 0, "", "", report.resources(), report.copies(), Map.of()));
    return new Heartbeat(
        sent.cluster(),
        sent.node(),
        sent.incarnation(),
        sent.seq(),
        sent.sentAt(),
        sent.seen(),
        sent.answered(),
        reports);
  }
}
