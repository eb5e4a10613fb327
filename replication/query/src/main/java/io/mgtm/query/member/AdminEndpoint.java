package io.mgtm.query.member;

import io.mgtm.common.HostPort;
import io.mgtm.common.HttpEndpoint;
import io.mgtm.query.catalogue.Catalogues;
import io.mgtm.query.config.QueryConfig;
import io.mgtm.query.connection.Futures;
import io.mgtm.query.fleet.Node;
import io.mgtm.query.fleet.OrderLog;
import io.mgtm.query.fleet.PositionTable;
import io.mgtm.query.recovery.Foreigners;
import io.mgtm.query.recovery.Repair;
import io.mgtm.query.recovery.Verifier;
import io.mgtm.query.session.Shared;
import io.mgtm.query.sql.Refusal;
import io.mgtm.query.sql.SqlException;
import io.mgtm.query.sql.Statement;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Answers commands in JSON, {@code /metrics}, and {@code /health}. */
final class AdminEndpoint implements AutoCloseable {
  private final QueryConfig config;
  private final Entrance entrance;
  private final OrderLog order;

  /** Null where the replicator is alone. */
  private final GroupView group;

  private final HttpEndpoint server;

  /**
   * Listens.
   *
   * @param succession null where the replicator is alone
   * @throws IOException when the address cannot be listened on
   */
  AdminEndpoint(QueryConfig config, Entrance entrance, OrderLog order, Succession succession)
      throws IOException {
    this.config = config;
    this.entrance = entrance;
    this.order = order;
    this.group =
        succession == null ? null : new GroupView(config, order, succession, entrance.forwards());
    server =
        HttpEndpoint.listen("admin", config.admin())
            .page("/status", this::status)
            .page("/servers", parameters -> servers())
            .slowPage("/verify", parameters -> verify())
            .page("/explain", this::explain)
            .slowChange("/repair", this::repair)
            .slowChange("/add-server", this::addServer)
            .change("/remove-server", this::removeServer)
            .change("/promote", this::promote)
            .page("/serving", parameters -> Map.of("sessions", serving().sessions().count()))
            .metrics(this::metrics)
            .health(this::trouble, () -> group == null ? "" : group.detail())
            .start();
  }

  HostPort address() {
    return HostPort.of(server.address());
  }

  private Map<String, Object> status(Map<String, String> parameters) throws IOException {
    Map<String, Object> status = new LinkedHashMap<>();
    if (group != null) {
      status.put("group", group.status());
    }
    Tenure now = entrance.tenure();
    if (now == null) {
      return status;
    }
    Shared shared = now.shared();
    status.put("leader", shared.fleet().leader().toString());
    status.put("serversIn", shared.fleet().in().size());
    status.put("serversMin", shared.config().serversMin());
    status.put("sessions", shared.sessions().count());
    status.put("servers", servers());
    status.put("captures", shared.catalogues().captures());
    status.put("adding", now.membership().underWay());
    if (!parameters.containsKey("brief")) {
      status.put("foreignBackends", new Foreigners(shared, now.own()).find());
    }
    return status;
  }

  private Tenure serving() throws IOException {
    Tenure now = entrance.tenure();
    if (now == null) {
      throw new IOException("this replicator does not serve now; " + group.detail());
    }
    return now;
  }

  private List<Map<String, Object>> servers() throws IOException {
    Shared shared = serving().shared();
    long last = shared.commits().lastCommits();
    List<Map<String, Object>> servers = new ArrayList<>();
    for (Node node : shared.fleet().nodes()) {
      Map<String, Object> one = new LinkedHashMap<>();
      boolean leads = node.isIn() && node == shared.fleet().leader();
      one.put("server", node.toString());
      one.put("version", node.kind().version());
      one.put("state", leads ? "leader" : node.isIn() ? "in" : "out");
      one.put("running", node.running());
      long behind = node.behind(last);
      one.put("behind", behind == Node.UNKNOWN ? null : behind);
      one.put("reads", node.reads().sum());
      one.put("writes", node.writes().sum());
      one.put("effects", node.effects().sum());
      one.put("why", node.why());
      servers.add(one);
    }
    return servers;
  }

  private Map<String, Object> verify() throws IOException {
    Tenure now = serving();
    List<Verifier.Difference> differences = Futures.await(now.steward().verifier().verify());
    Map<String, Object> found = new LinkedHashMap<>();
    found.put("servers", now.shared().fleet().in().size());
    found.put("rowsDifferent", differences.stream().mapToLong(d -> Math.abs(d.rows())).sum());
    found.put("differences", differences.stream().map(d -> d.node() + ": " + d.text()).toList());
    return found;
  }

  private Map<String, Object> repair(Map<String, String> parameters) throws IOException {
    Repair repair = serving().repair();
    List<String> left = new ArrayList<>();
    String table = parameters.get("table");
    List<Repair.Repaired> done =
        table == null ? repair.all(left) : repair.table(parameter(parameters, "database"), table);
    Map<String, Object> found = new LinkedHashMap<>();
    found.put("rowsRemoved", done.stream().mapToLong(Repair.Repaired::removed).sum());
    found.put("rowsWritten", done.stream().mapToLong(Repair.Repaired::written).sum());
    found.put("repaired", done.stream().map(Repair.Repaired::text).toList());
    found.put("differences", left);
    return found;
  }

  private Map<String, Object> addServer(Map<String, String> parameters) throws IOException {
    Tenure now = serving();
    List<String> copied = now.membership().add(address(parameters));
    Map<String, Object> added = new LinkedHashMap<>();
    added.put("added", address(parameters).toString());
    added.put("databasesCopied", copied);
    added.put("serversIn", now.shared().fleet().in().size());
    return added;
  }

  private Map<String, Object> removeServer(Map<String, String> parameters) throws IOException {
    Tenure now = serving();
    now.membership().remove(address(parameters));
    Map<String, Object> removed = new LinkedHashMap<>();
    removed.put("removed", address(parameters).toString());
    removed.put("leader", now.shared().fleet().leader().toString());
    removed.put("serversIn", now.shared().fleet().in().size());
    return removed;
  }

  private Map<String, Object> promote(Map<String, String> parameters) throws IOException {
    Tenure now = serving();
    now.membership().promote(address(parameters));
    Map<String, Object> promoted = new LinkedHashMap<>();
    promoted.put("leader", now.shared().fleet().leader().toString());
    promoted.put("serversIn", now.shared().fleet().in().size());
    return promoted;
  }

  private static String parameter(Map<String, String> parameters, String name) throws IOException {
    String value = parameters.getOrDefault(name, "");
    if (value.isEmpty()) {
      throw new IOException("the parameter " + name + " is missing");
    }
    return value;
  }

  private static HostPort address(Map<String, String> parameters) throws IOException {
    try {
      return HostPort.parse(parameters.getOrDefault("server", ""));
    } catch (IllegalArgumentException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  private List<Map<String, Object>> explain(Map<String, String> parameters) throws IOException {
    Shared shared = serving().shared();
    String sql = parameter(parameters, "sql");
    String database = parameter(parameters, "database");
    Catalogues.Known known = Futures.await(shared.catalogues().of(database));
    List<Map<String, Object>> all = new ArrayList<>();
    try {
      for (Statement statement : known.classifier().statements(sql)) {
        Map<String, Object> one = new LinkedHashMap<>();
        Refusal refusal = known.captures().refusal(statement);
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
    Tenure now = entrance.tenure();
    if (now == null) {
      return group.trouble();
    }
    if (now.shared().fleet().isDeposed()) {
      return PositionTable.TAKEN_OVER + "; stop one of the two, and start the other again";
    }
    int in = now.shared().fleet().in().size();
    int min = config.serversMin();
    return in >= min ? noRoom() : "%d servers are in, writes need %d".formatted(in, min);
  }

  private String noRoom() {
    try {
      String why = order.noRoom();
      return why.isEmpty() ? "" : "nothing can be written: " + why;
    } catch (IOException e) {
      return "the log of commits does not answer: " + e.getMessage();
    }
  }

  private String metrics() {
    Tenure now = entrance.tenure();
    String ofGroup = group == null ? "" : group.metrics(now != null);
    return now == null ? ofGroup : ofGroup + now.shared().metrics().scrape();
  }

  @Override
  public void close() {
    server.close();
  }
}
