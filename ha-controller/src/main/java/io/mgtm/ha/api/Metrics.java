package io.mgtm.ha.api;

import io.mgtm.ha.core.Report;
import io.mgtm.ha.model.ClusterConfig;
import io.mgtm.ha.model.Node;
import io.mgtm.ha.node.ClusterView;
import java.util.Map;

/** What a controller knows, in Prometheus' text format. */
final class Metrics {
  private final StringBuilder out = new StringBuilder();

  private Metrics() {}

  /**
   * All of it.
   *
   * @param config that of the file, as long as the controllers have agreed on none
   */
  static String text(ClusterView view, ClusterConfig config) {
    Metrics m = new Metrics();
    m.family("leads", "gauge", "Whether this controller leads.");
    m.sample("leads", "", view.leader().equals(view.node()) ? 1 : 0);
    m.family("leader_known", "gauge", "Whether a controller leads.");
    m.sample("leader_known", "", view.leader().isEmpty() ? 0 : 1);
    m.family(
        "path_silent_seconds",
        "gauge",
        "How long a node was not heard on a path; since the controller's start where it never was.");
    view.nodes()
        .forEach(
            (node, status) ->
                status
                    .silentMs()
                    .forEach(
                        (path, ms) ->
                            m.sample(
                                "path_silent_seconds",
                                labels("node", node, "path", path),
                                ms / 1_000.0)));
    m.neverHeard(view, config);
    m.inService(view);
    m.family("hierarchy_epoch", "counter", "How often a hierarchy was placed on a node.");
    view.state()
        .placements()
        .forEach(
            (hierarchy, placement) ->
                m.sample(
                    "hierarchy_epoch", labels("hierarchy", hierarchy), (double) placement.epoch()));
    m.family("hierarchy_halted", "gauge", "Whether it stays out until an operator starts it.");
    m.family("hierarchy_pending", "gauge", "Whether a failover waits for an operator.");
    view.state()
        .placements()
        .forEach(
            (hierarchy, placement) -> {
              String of = labels("hierarchy", hierarchy);
              m.sample("hierarchy_halted", of, placement.halted().isEmpty() ? 0 : 1);
              m.sample("hierarchy_pending", of, placement.waitsForOperator() ? 1 : 0);
            });
    m.copies(view);
    m.quorumDisk(view);
    m.family("notify_behind", "gauge", "Events after the one up to which a target was told.");
    view.state()
        .notified()
        .forEach(
            (target, position) ->
                m.sample(
                    "notify_behind",
                    labels("target", target),
                    (double) view.state().lastEvent() - position));
    m.family("events_total", "counter", "Events of the cluster.");
    m.sample("events_total", "", (double) view.state().lastEvent());
    return m.out.toString();
  }

  /** Names of the configuration: letters, digits, dots, dashes and underscores. */
  private static String labels(String... namesAndValues) {
    StringBuilder text = new StringBuilder("{");
    for (int i = 0; i < namesAndValues.length; i += 2) {
      text.append(i == 0 ? "" : ",")
          .append(namesAndValues[i])
          .append("=\"")
          .append(namesAndValues[i + 1])
          .append('"');
    }
    return text.append('}').toString();
  }

  /** Silent for as long as this controller runs, so that an alarm needs no first word. */
  private void neverHeard(ClusterView view, ClusterConfig config) {
    config
        .nodes()
        .forEach(
            (name, node) -> {
              Map<String, Long> heard =
                  view.nodes().containsKey(name) ? view.nodes().get(name).silentMs() : Map.of();
              // A witness sends nothing, and a controller does not hear itself on a path.
              boolean speaks = !node.witness() && !name.equals(view.node());
              for (int i = 0; speaks && i < node.paths().size(); i++) {
                if (!heard.containsKey(Node.path(i))) {
                  sample(
                      "path_silent_seconds",
                      labels("node", name, "path", Node.path(i)),
                      view.runningMs() / 1_000.0);
                }
              }
            });
  }

  private void copies(ClusterView view) {
    family(
        "volume_copies_up_to_date",
        "gauge",
        "Nodes whose copy has everything acknowledged, the primary's included.");
    family(
        "volume_copies_following",
        "gauge",
        "Nodes whose copy is asynchronous and connected, or was when the primary was heard last.");
    view.state()
        .copies()
        .forEach(
            (hierarchy, resources) ->
                resources.forEach(
                    (resource, copies) -> {
                      String of = labels("hierarchy", hierarchy, "resource", resource);
                      sample("volume_copies_up_to_date", of, copies.upToDate().size());
                      sample("volume_copies_following", of, copies.following().size());
                    }));
  }

  private void quorumDisk(ClusterView view) {
    family(
        "quorum_disk_answers",
        "gauge",
        "Whether a node says that the quorum disk votes for it; 0 where it has been silent for a lease.");
    view.nodes()
        .forEach(
            (name, node) -> {
              if (node.disk() != null) {
                boolean answers = node.disk().votes() && isHeard(view, node);
                sample("quorum_disk_answers", labels("node", name), answers ? 1 : 0);
              }
            });
  }

  private void inService(ClusterView view) {
    family(
        "hierarchy_in_service",
        "gauge",
        "Whether a node says that it has it in service; 0 where it has been silent for a lease.");
    for (Map.Entry<String, ClusterView.NodeStatus> node : view.nodes().entrySet()) {
      boolean heard = isHeard(view, node.getValue());
      node.getValue()
          .reports()
          .forEach(
              (hierarchy, report) ->
                  sample(
                      "hierarchy_in_service",
                      labels("hierarchy", hierarchy, "node", node.getKey()),
                      heard && report.state() == Report.State.IN ? 1 : 0));
    }
  }

  /** What a node said before it fell silent may be long over. */
  private static boolean isHeard(ClusterView view, ClusterView.NodeStatus status) {
    int leaseMs = view.state().timing().leaseMs();
    return status.silentMs().values().stream().anyMatch(silentMs -> silentMs < leaseMs);
  }

  private void family(String name, String type, String help) {
    out.append("# HELP mgtm_ha_%1$s %3$s\n# TYPE mgtm_ha_%1$s %2$s\n".formatted(name, type, help));
  }

  private void sample(String name, String labels, double value) {
    out.append("mgtm_ha_").append(name).append(labels).append(' ').append(value).append('\n');
  }
}
