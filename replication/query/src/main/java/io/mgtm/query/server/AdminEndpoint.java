package io.mgtm.query.server;

import io.mgtm.common.HostPort;
import io.mgtm.common.HttpEndpoint;
import io.mgtm.query.sql.Refusal;
import io.mgtm.query.sql.SqlException;
import io.mgtm.query.sql.Statement;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;

/** Answers commands in JSON, {@code /metrics}, and {@code /health}. */
final class AdminEndpoint implements AutoCloseable {
  private final Shared shared;
  private final Steward steward;
  private final Foreigners foreigners;
  private final HttpEndpoint server;

  /**
   * Listens.
   *
   * @throws IOException when the address cannot be listened on
   */
  AdminEndpoint(HostPort at, Shared shared, Steward steward, OwnRole role) throws IOException {
    this.shared = shared;
    this.steward = steward;
    this.foreigners = new Foreigners(shared, role);
    server =
        HttpEndpoint.listen("admin", at)
            .page("/status", parameters -> status())
            .page("/servers", parameters -> servers())
            .page("/verify", parameters -> verify())
            .page("/explain", this::explain)
            .metrics(this::metrics)
            .health(this::trouble, () -> "")
            .start();
  }

  HostPort address() {
    return HostPort.of(server.address());
  }

  private Map<String, Object> status() throws IOException {
    Map<String, Object> status = new LinkedHashMap<>();
    status.put("leader", shared.fleet().leader().toString());
    status.put("serversIn", shared.fleet().in().size());
    status.put("serversMin", shared.config().serversMin());
    status.put("sessions", shared.sessions().count());
    status.put("servers", servers());
    status.put("foreignBackends", foreigners.find());
    return status;
  }

  private List<Map<String, Object>> servers() {
    List<Map<String, Object>> servers = new ArrayList<>();
    for (Node node : shared.fleet().nodes()) {
      Map<String, Object> one = new LinkedHashMap<>();
      boolean leads = node.isIn() && node == shared.fleet().leader();
      one.put("server", node.toString());
      one.put("state", leads ? "leader" : node.isIn() ? "in" : "out");
      one.put("running", node.running());
      one.put("reads", node.reads().sum());
      one.put("writes", node.writes().sum());
      one.put("effects", node.effects().sum());
      one.put("why", node.why());
      servers.add(one);
    }
    return servers;
  }

  private Map<String, Object> verify() throws IOException {
    List<Verifier.Difference> differences = Steward.await(steward.verifier().verify());
    Map<String, Object> found = new LinkedHashMap<>();
    found.put("servers", shared.fleet().in().size());
    found.put("rowsDifferent", differences.stream().mapToLong(d -> Math.abs(d.rows())).sum());
    found.put("differences", differences.stream().map(d -> d.node() + ": " + d.text()).toList());
    return found;
  }

  private List<Map<String, Object>> explain(Map<String, String> parameters) throws IOException {
    String sql = parameters.getOrDefault("sql", "");
    String database = parameters.getOrDefault("database", shared.config().role().database());
    Catalogues.Known known = Steward.await(shared.catalogues().of(database));
    List<Map<String, Object>> all = new ArrayList<>();
    try {
      for (Statement statement : known.classifier().statements(sql)) {
        Map<String, Object> one = new LinkedHashMap<>();
        Refusal refusal = Refusal.of(statement);
        one.put("statement", statement.text());
        one.put("class", statement.statementClass().name());
        one.put("why", statement.classification().why());
        one.put("runs", statement.statementClass().runs());
        one.put("refused", refusal == null ? null : refusal.message());
        one.put("instead", refusal == null ? null : refusal.hint());
        all.add(one);
      }
    } catch (SqlException e) {
      throw new IOException("the replicator cannot read this statement: " + e.getMessage(), e);
    }
    return all;
  }

  private String trouble() {
    int in = shared.fleet().in().size();
    int min = shared.config().serversMin();
    return in >= min ? "" : "%d servers are in, writes need %d".formatted(in, min);
  }

  private String metrics() {
    StringBuilder out = new StringBuilder();
    metric(out, "sessions", "gauge", "Clients that are in.");
    out.append("mgtm_query_sessions ").append(shared.sessions().count()).append('\n');
    metric(out, "server_in", "gauge", "Whether the server is in.");
    each(out, "server_in", node -> node.isIn() ? 1 : 0);
    metric(out, "server_running", "gauge", "Requests that the server has not answered.");
    each(out, "server_running", Node::running);
    metric(out, "reads_total", "counter", "Units of reads that were given to the server.");
    each(out, "reads_total", node -> node.reads().sum());
    metric(out, "writes_total", "counter", "Segments that wrote at the server as the leader.");
    each(out, "writes_total", node -> node.writes().sum());
    metric(out, "effects_total", "counter", "What the server did after the leader.");
    each(out, "effects_total", node -> node.effects().sum());
    return out.toString();
  }

  private static void metric(StringBuilder out, String name, String type, String help) {
    out.append(
        "# HELP mgtm_query_%1$s %3$s\n# TYPE mgtm_query_%1$s %2$s\n".formatted(name, type, help));
  }

  private void each(StringBuilder out, String name, ToLongFunction<Node> value) {
    for (Node node : shared.fleet().nodes()) {
      out.append(
          "mgtm_query_%s{server=\"%s\"} %d\n".formatted(name, node, value.applyAsLong(node)));
    }
  }

  @Override
  public void close() {
    server.close();
  }
}
