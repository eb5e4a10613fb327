package io.mgtm.ha.core;

import io.mgtm.ha.core.ClusterCommand.LeasesOver;
import io.mgtm.ha.core.ClusterCommand.Silent;
import io.mgtm.ha.core.ClusterCommand.SilentPath;
import io.mgtm.ha.core.ClusterCommand.Tick;
import io.mgtm.ha.core.Placement.Stage;
import io.mgtm.ha.model.ClusterConfig;
import io.mgtm.ha.model.Node;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What a leader decides: a pure function of what it has observed. */
public final class Decisions {
  /** How much of the cluster's time a change of leaders may lose while a countdown runs. */
  static final long TICK_MS = 10_000;

  private Decisions() {}

  /**
   * What shall be committed next. Each hierarchy gets one step at a time; the next is decided when
   * it is committed.
   */
  public static List<Decision> decide(Observation seen) {
    List<Decision> decisions = new ArrayList<>();
    if (seen.state().config() == null) {
      return decisions;
    }
    silences(seen, decisions);
    silentPaths(seen, decisions);
    quorumDisk(seen, decisions);
    formerLeases(seen, decisions);
    boolean countdown = false;
    for (Map.Entry<String, Placement> each : seen.state().placements().entrySet()) {
      Placement placement = each.getValue();
      new HierarchyDecisions(seen, each.getKey(), decisions).decide();
      countdown |=
          placement.pending() != null
              || failedOfLate(seen, each.getKey())
              || (!placement.failovers().isEmpty() && placement.stage() != Stage.HELD);
    }
    if (countdown && decisions.isEmpty() && seen.at() - seen.state().at() >= TICK_MS) {
      decisions.add(
          new Decision(new Tick(), Decision.BY_ITSELF, "a countdown is under way", Map.of()));
    }
    return decisions;
  }

  private static boolean failedOfLate(Observation seen, String hierarchy) {
    long windowMs = seen.hierarchy(hierarchy).policy().localRecoveryWindowMs();
    return seen.placement(hierarchy).failures().values().stream()
        .anyMatch(failure -> !failure.isForgotten(seen.at(), windowMs));
  }

  private static void formerLeases(Observation seen, List<Decision> decisions) {
    FormerLeases former = seen.state().former();
    if (former != null && (former.until() == 0 || seen.at() >= former.until())) {
      long until = former.until() == 0 ? seen.at() + former.waitMs() : 0;
      decisions.add(
          new Decision(
              new LeasesOver(until), Decision.BY_ITSELF, "the timing has changed", Map.of()));
    }
  }

  private static void silences(Observation seen, List<Decision> decisions) {
    for (Map.Entry<String, NodeView> each : seen.nodes().entrySet()) {
      String node = each.getKey();
      boolean silent = !seen.contact(node);
      boolean witness = seen.state().config().nodes().get(node).witness();
      boolean told = seen.state().silentNodes().contains(node);
      // A leader that has just begun takes nobody for silent, and has not heard anybody yet.
      if (told ? each.getValue().contactMs() > 0 : silent) {
        decisions.add(
            new Decision(
                new Silent(node, silent),
                Decision.BY_ITSELF,
                silent ? notReached(witness) : "it hears the leader and is heard",
                Map.of(node, each.getValue().heard())));
      }
    }
  }

  /** A network that is lost costs nothing yet; the next one may be the last. */
  private static void silentPaths(Observation seen, List<Decision> decisions) {
    seen.state()
        .config()
        .nodes()
        .forEach(
            (name, node) -> {
              // Of a single one its own silence tells; leader and witness send nothing on them.
              boolean told =
                  node.paths().size() > 1 && !node.witness() && !name.equals(seen.state().leader());
              for (int i = 0; told && i < node.paths().size(); i++) {
                silentPath(seen, name, Node.path(i), decisions);
              }
            });
  }

  /** Silent only while the node was in contact for a lease: the leader did not stand still. */
  private static void silentPath(
      Observation seen, String node, String path, List<Decision> decisions) {
    NodeView view = seen.nodes().get(node);
    long leaseMs = seen.state().config().timing().leaseMs();
    Long agoMs = view.paths().get(path);
    boolean heard = agoMs != null && agoMs <= leaseMs;
    boolean silent = !heard && view.contactMs() > leaseMs;
    SilentPath next = new SilentPath(node, path, silent);
    boolean told = seen.state().silentPaths().contains(next.key());
    if (told ? heard : silent) {
      decisions.add(
          new Decision(
              next,
              Decision.BY_ITSELF,
              silent
                  ? "nothing came from it there for as long as a lease, while it was heard elsewhere"
                  : "it is heard there",
              Map.of(node, view.heard())));
    }
  }

  /** A disk that is lost costs nothing yet; a node that is lost beside it costs the majority. */
  private static void quorumDisk(Observation seen, List<Decision> decisions) {
    seen.nodes()
        .forEach(
            (node, view) -> {
              DiskReport disk = view.last() == null ? null : view.last().disk();
              if (disk == null || !seen.contact(node)) {
                return;
              }
              SilentPath next = new SilentPath(node, ClusterConfig.QUORUM_DISK, !disk.votes());
              if (next.silent() != seen.state().silentPaths().contains(next.key())) {
                decisions.add(
                    new Decision(
                        next,
                        Decision.BY_ITSELF,
                        disk.votes() ? "it answers " + node : disk.wrong(),
                        Map.of()));
              }
            });
  }

  private static String notReached(boolean witness) {
    return witness
        ? "for as long as a lease, the controllers' log has not been connected with it: it does not vote"
        : "its leases have run out, it was not reached on any path for so long";
  }
}
