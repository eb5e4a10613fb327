package io.mgtm.query.server;

import java.util.List;
import java.util.function.ToLongFunction;

/** What the replicator that serves tells Prometheus. Any thread. */
final class QueryMetrics {
  private static final String PREFIX = "mgtm_query_";
  private static final long MILLIS = 1000;

  private final StringBuilder out = new StringBuilder();
  private final Shared shared;
  private final List<Node> nodes;

  private QueryMetrics(Shared shared) {
    this.shared = shared;
    this.nodes = shared.fleet().nodes();
  }

  static String text(Shared shared) {
    QueryMetrics metrics = new QueryMetrics(shared);
    metrics.servers();
    metrics.lag();
    metrics.ejections();
    metrics.statements();
    return metrics.out.toString();
  }

  private void servers() {
    metric(out, "sessions", "gauge", "Clients that are in.");
    out.append(PREFIX + "sessions ").append(shared.sessions().count()).append('\n');
    metric(out, "transactions_waiting", "gauge", "Transactions that wait for their turn to run.");
    out.append(PREFIX + "transactions_waiting ").append(shared.limit().waiting()).append('\n');
    each("server_in", "gauge", "Whether the server is in.", node -> node.isIn() ? 1 : 0);
    each("server_running", "gauge", "Requests that the server has not answered.", Node::running);
    each(
        "reads_total",
        "counter",
        "Units of reads that were given to the server.",
        node -> node.reads().sum());
    each(
        "writes_total",
        "counter",
        "Segments that wrote at the server as the leader.",
        node -> node.writes().sum());
    each(
        "effects_total",
        "counter",
        "What the server did after the leader.",
        node -> node.effects().sum());
    metric(out, "server_latency_seconds", "histogram", "From a request to the end of its answer.");
    for (Node node : nodes) {
      node.latency().appendTo(out, PREFIX + "server_latency_seconds", label(node));
    }
  }

  private void lag() {
    long now = System.currentTimeMillis();
    each(
        "server_out_seconds",
        "gauge",
        "For how long the server has been out, 0 for one that is in.",
        node -> node.isIn() ? 0 : Math.max(0, now - node.outSinceMs()) / MILLIS);
    metric(
        out,
        "server_lag_commits",
        "gauge",
        "Commits that are decided and not confirmed by a server that is in; entries of the log"
            + " that one that is out misses at most.");
    long last = shared.commits().lastCommits();
    for (Node node : nodes) {
      long behind = node.behind(last);
      if (behind != Node.UNKNOWN) {
        out.append(PREFIX + "server_lag_commits{%s} %d\n".formatted(label(node), behind));
      }
    }
  }

  private void ejections() {
    metric(out, "ejections_total", "counter", "Times that the server was put out, by the reason.");
    for (Node node : nodes) {
      for (Ejection kind : Ejection.values()) {
        if (kind != Ejection.REMOVED) {
          out.append(
              PREFIX
                  + "ejections_total{%s,reason=\"%s\"} %d\n"
                      .formatted(label(node), kind.label(), node.ejections(kind).sum()));
        }
      }
    }
    each(
        "admissions_total",
        "counter",
        "Times that the server was let in while others were at work.",
        node -> node.admissions().sum());
  }

  private void statements() {
    metric(
        out,
        "statements_total",
        "counter",
        "Statements of clients, by the class that explain has.");
    shared.statements().appendTo(out, PREFIX + "statements_total");
  }

  static void metric(StringBuilder out, String name, String type, String help) {
    out.append("# HELP %1$s %3$s\n# TYPE %1$s %2$s\n".formatted(PREFIX + name, type, help));
  }

  private static String label(Node node) {
    return "server=\"" + node + '"';
  }

  private void each(String name, String type, String help, ToLongFunction<Node> value) {
    metric(out, name, type, help);
    for (Node node : nodes) {
      out.append(PREFIX + "%s{%s} %d\n".formatted(name, label(node), value.applyAsLong(node)));
    }
  }
}
