package io.mgtm.query.session;

import io.mgtm.query.fleet.CommitLog;
import io.mgtm.query.fleet.Ejection;
import io.mgtm.query.fleet.Fleet;
import io.mgtm.query.fleet.Node;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import java.util.stream.LongStream;

/** What the replicator that serves tells Prometheus, counted since it does. Any thread. */
public final class QueryMetrics {
  /** How all names begin. */
  public static final String PREFIX = "mgtm_query_";

  private static final Duration[] LATENCY_BUCKETS =
      LongStream.of(
              100,
              250,
              500,
              1_000,
              2_500,
              5_000,
              10_000,
              25_000,
              50_000,
              100_000,
              250_000,
              500_000,
              1_000_000,
              2_500_000,
              10_000_000)
          .mapToObj(micros -> Duration.ofNanos(micros * 1_000))
          .toArray(Duration[]::new);

  private static final String SERVER = "server";
  private static final double MILLIS = 1_000;

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final Fleet fleet;
  private final CommitLog commits;
  private final StatementCounts statements = new StatementCounts(registry);
  private final Counter moved =
      Counter.builder(PREFIX + "reads_moved")
          .description("Reads that the leader took, as commits kept them waiting elsewhere.")
          .register(registry);
  private final Counter late =
      Counter.builder(PREFIX + "snapshots_late")
          .description("Snapshots that commits did not wait for any longer.")
          .register(registry);
  private final Set<Node> known = new HashSet<>();

  /**
   * Of a replicator that begins to serve.
   *
   * @param commits null where there is none
   */
  public QueryMetrics(Fleet fleet, Sessions sessions, TransactionLimit limit, CommitLog commits) {
    this.fleet = fleet;
    this.commits = commits;
    Gauge.builder(PREFIX + "sessions", sessions, Sessions::count)
        .description("Clients that are in.")
        .register(registry);
    Gauge.builder(PREFIX + "transactions_waiting", limit, TransactionLimit::waiting)
        .description("Transactions that wait for their turn to run.")
        .register(registry);
    update();
  }

  StatementCounts statements() {
    return statements;
  }

  /** Reads that the leader took, as commits kept them waiting elsewhere. */
  Counter moved() {
    return moved;
  }

  /** Snapshots that commits did not wait for any longer. */
  Counter late() {
    return late;
  }

  /** Takes over which servers there are: what is asked of a new one is timed from then on. */
  public synchronized void update() {
    List<Node> now = fleet.nodes();
    known.stream().filter(node -> !now.contains(node)).forEach(this::forget);
    known.retainAll(now);
    now.stream().filter(known::add).forEach(this::register);
  }

  /** All of them, as Prometheus reads them. */
  public synchronized String scrape() {
    update();
    return registry.scrape();
  }

  private void forget(Node node) {
    registry.getMeters().stream()
        .filter(meter -> node.toString().equals(meter.getId().getTag(SERVER)))
        .forEach(registry::remove);
  }

  private void register(Node node) {
    Tags tags = Tags.of(SERVER, node.toString());
    gauge("server_in", "Whether it is in.", node, one -> one.isIn() ? 1 : 0);
    gauge("server_running", "Requests that it has not answered.", node, Node::running);
    gauge(
        "server_out_seconds",
        "For how long it has been out, 0 for one that is in.",
        node,
        one ->
            one.isIn() ? 0 : Math.max(0, System.currentTimeMillis() - one.outSinceMs()) / MILLIS);
    gauge(
        "server_lag_commits",
        "Commits that are decided and not confirmed by one that is in; entries of the log that"
            + " one that is out misses at most.",
        node,
        this::lag);
    counter("reads", "Units of reads that it was given.", node, tags, one -> one.reads().sum());
    counter("writes", "Segments that wrote as the leader.", node, tags, one -> one.writes().sum());
    counter("effects", "What it did after the leader.", node, tags, one -> one.effects().sum());
    counter(
        "admissions",
        "Times that it was let in while others were at work.",
        node,
        tags,
        one -> one.admissions().sum());
    for (Ejection kind : Ejection.values()) {
      if (kind != Ejection.REMOVED) {
        counter(
            "ejections",
            "Times that it was put out, by the reason.",
            node,
            tags.and("reason", kind.label()),
            one -> one.ejections(kind).sum());
      }
    }
    node.time(
        Timer.builder(PREFIX + "server_latency")
            .description("From a request to the end of its answer.")
            .tags(tags)
            .serviceLevelObjectives(LATENCY_BUCKETS)
            .register(registry));
  }

  private double lag(Node node) {
    long behind = node.behind(commits == null ? 0 : commits.lastCommits());
    return behind == Node.UNKNOWN ? Double.NaN : behind;
  }

  private void gauge(String name, String help, Node node, ToDoubleFunction<Node> value) {
    Gauge.builder(PREFIX + name, node, value)
        .description(help)
        .tag(SERVER, node.toString())
        .register(registry);
  }

  private void counter(
      String name, String help, Node node, Tags tags, ToDoubleFunction<Node> value) {
    FunctionCounter.builder(PREFIX + name, node, value)
        .description(help)
        .tags(tags)
        .register(registry);
  }
}
