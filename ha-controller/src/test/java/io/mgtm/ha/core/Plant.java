package io.mgtm.ha.core;

import io.mgtm.ha.core.ClusterCommand.MarkCopies;
import io.mgtm.ha.core.Grant.Copies;
import io.mgtm.ha.core.OperatorCommand.Rest;
import io.mgtm.ha.core.Report.State;
import io.mgtm.ha.core.SimProcess.Belief;
import io.mgtm.ha.model.ClusterConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Faults that are planted to see them caught, each with a seed that does. */
enum Plant {
  NONE(0, ""),
  /** A leader grants without asking the log whether it leads. */
  UNCONFIRMED(193, "is in service on"),
  /** A leader counts those who voted when its term began, also when others vote by now. */
  FORMER_VOTERS(653, "is in service on"),
  /** A lease counts as over at once. */
  NO_WAIT(1, "is in service on"),
  /** Nobody is taken for retired. */
  NOT_RETIRED(16, "is retired and not idle"),
  /** Nobody asks the log for the witness, which sends no heartbeats. */
  WITNESS_UNASKED(11, "is told to be silent, and is connected"),
  /** A witness counts as connected. */
  WITNESS_BELIEVED(12, "the witness is silent, and that is not told"),
  /** What is known of copies stays as it was when nodes leave. */
  REMEMBERED(645, "lacks acknowledged writes"),
  /** What was said of a node's copy before the node left counts when it is there again. */
  REJOINED(7050, "lacks acknowledged writes"),
  /** Nobody tells a node that it counts lower than before. */
  OVERTAKEN_UNTOLD(125, "not all that is wanted came in service"),
  /** Every copy counts as UpToDate. */
  OUTDATED_COPY(2068, "lacks acknowledged writes"),
  /** The watchdog takes longer than others wait. */
  SLOW_WATCHDOG(8, "without a lease"),
  /** A grant for another incarnation is obeyed. */
  FORMER_INCARNATION(4, "without a lease"),
  /** A node that says OUT is believed, whatever it has seen. */
  OLD_OUT(3902, "is in service on"),
  /** An agent that has not looked says OUT. */
  OUT_UNSEEN(197, "is in service on"),
  /** A leader that has granted nothing takes leases of others for over. */
  YOUNG_LEADER(32, "is in service on"),
  /** A primary goes on without a copy before the state has the mark. */
  EARLY_GO(17, "lacks acknowledged writes"),
  /** A primary says that a copy is in sync again before its resync is done. */
  EARLY_LIFT(9, "lacks acknowledged writes"),
  /** Words of former primaries count as well. */
  OLD_EPOCH(2422, "lacks acknowledged writes"),
  /** A fence agent that has failed, or hangs, is believed to have switched the node off. */
  FENCE_FAILED(9416, "is in service on"),
  /** A fence agent's answer counts for the incarnation that runs when it comes, however late. */
  FENCE_LATE(11207, "is in service on"),
  /** A node that was switched off counts as off though a later incarnation of it is heard. */
  FENCE_FORMER_INCARNATION(11207, "is in service on"),
  /** A watchdog keeps the time that it had when its controller began; others wait less by now. */
  WATCHDOG_UNTOLD(262, "without a lease"),
  /** A new leader waits as the present timing says, though longer leases of a former may be out. */
  FORMER_FORGOTTEN(754, "is in service on");

  /** A schedule in which it does harm. */
  final long seed;

  /** What is said of that harm. */
  final String caught;

  Plant(long seed, String caught) {
    this.seed = seed;
    this.caught = caught;
  }

  /** Whom the log is connected with. */
  List<String> alter(List<String> connected, ClusterConfig config) {
    return switch (this) {
      case WITNESS_UNASKED -> List.of();
      case WITNESS_BELIEVED -> List.copyOf(config.nodes().keySet());
      default -> connected;
    };
  }

  /** What a new leader knows. */
  ClusterState alter(ClusterState state) {
    return this == FORMER_FORGOTTEN
        ? with(state, state.copies(), state.joined(), state.retired(), null)
        : state;
  }

  /** What a leader decides. */
  List<Decision> decide(Observation seen) {
    List<Decision> decisions = new ArrayList<>(Decisions.decide(alter(seen)));
    if (this == OLD_EPOCH) {
      seen.state().placements().forEach((name, placement) -> repeat(seen, name, decisions));
    }
    return decisions;
  }

  /** What an agent says. */
  FenceAnswer alter(FenceAnswer answer) {
    return this == FENCE_FAILED
        ? new FenceAnswer(answer.request(), answer.node(), true, answer.how())
        : answer;
  }

  /** What the leader takes for observed of nodes that agents have switched off. */
  Observation believe(Observation seen, Map<String, Belief> beliefs, long term) {
    if (this != FENCE_LATE && this != FENCE_FORMER_INCARNATION) {
      return seen;
    }
    Map<String, String> off = new TreeMap<>();
    seen.state().placements().keySet().forEach(hierarchy -> off.put(hierarchy, "planted"));
    Map<String, NodeView> altered = new TreeMap<>(seen.nodes());
    altered.replaceAll(
        (node, view) -> {
          Belief belief = beliefs.get(node);
          boolean counts =
              belief != null
                  && belief.term() == term
                  && (this == FENCE_FORMER_INCARNATION
                      || belief.incarnation() == incarnation(view));
          return counts
              ? new NodeView(
                  view.silentMs(), view.contactMs(), view.last(), view.over(), off, view.paths())
              : view;
        });
    return new Observation(seen.at(), seen.state(), altered);
  }

  static long incarnation(NodeView view) {
    return view.last() == null ? 0 : view.last().incarnation();
  }

  private static void repeat(Observation seen, String hierarchy, List<Decision> decisions) {
    Map<String, Copies> known = seen.state().copies().getOrDefault(hierarchy, Map.of());
    long epoch = seen.placement(hierarchy).epoch();
    for (NodeView view : seen.nodes().values()) {
      Report report = view.report(hierarchy);
      CopyReport word = report == null ? null : report.copies().get(SimConfigs.VOLUME);
      Copies copies = known.get(SimConfigs.VOLUME);
      if (word != null
          && word.mark() != null
          && word.mark().epoch() < epoch
          && copies != null
          && copies.mark().epoch() == epoch) {
        Mark mark = new Mark(epoch, copies.mark().incarnation(), copies.mark().count() + 1);
        ClusterCommand again =
            new MarkCopies(hierarchy, SimConfigs.VOLUME, mark, word.inSync(), word.following());
        decisions.add(new Decision(again, Decision.BY_ITSELF, "planted", Map.of()));
      }
    }
  }

  /** What the leader takes for observed. */
  private Observation alter(Observation seen) {
    return switch (this) {
      case NO_WAIT -> new Observation(seen.at(), seen.state(), allOver(seen, false));
      case YOUNG_LEADER -> new Observation(seen.at(), seen.state(), allOver(seen, true));
      case OUTDATED_COPY ->
          new Observation(
              seen.at(),
              with(seen.state(), allUpToDate(seen.state()), seen.state().retired()),
              seen.nodes());
      case NOT_RETIRED ->
          new Observation(
              seen.at(), with(seen.state(), seen.state().copies(), Map.of()), seen.nodes());
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
                      last.reports(),
                      null);
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

  private static Map<String, Map<String, Copies>> allUpToDate(ClusterState state) {
    Map<String, Map<String, Copies>> copies = new TreeMap<>(state.copies());
    copies.replaceAll(
        (hierarchy, known) -> {
          Map<String, Copies> all = new TreeMap<>(known);
          all.replaceAll(
              (resource, each) ->
                  new Copies(each.mark(), state.config().nodes().keySet(), Set.of(), Map.of()));
          return all;
        });
    return copies;
  }

  /** What becomes of a configuration that is committed. */
  ClusterState configured(ClusterState before, ClusterState after) {
    return switch (this) {
      case REMEMBERED -> with(after, before.copies(), after.retired());
      case REJOINED -> with(after, after.copies(), Map.of(), after.retired(), after.former());
      default -> after;
    };
  }

  private static ClusterState with(
      ClusterState state, Map<String, Map<String, Copies>> copies, Map<String, Rest> retired) {
    return with(state, copies, state.joined(), retired, state.former());
  }

  private static ClusterState with(
      ClusterState state,
      Map<String, Map<String, Copies>> copies,
      Map<String, Map<String, Long>> joined,
      Map<String, Rest> retired,
      FormerLeases former) {
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
        joined,
        state.clusterMaintenance(),
        state.nodeMaintenance(),
        state.hierarchyMaintenance(),
        retired,
        state.silentNodes(),
        state.silentPaths(),
        state.lastEvent(),
        state.events(),
        state.notified(),
        former);
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
                    State.OUT, 0, 0, "", "", false, report.resources(), report.copies(), Map.of()));
    return new Heartbeat(
        sent.cluster(),
        sent.node(),
        sent.incarnation(),
        sent.seq(),
        sent.sentAt(),
        sent.seen(),
        sent.answered(),
        reports,
        null);
  }
}
