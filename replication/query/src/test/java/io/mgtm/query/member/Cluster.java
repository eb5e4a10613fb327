package io.mgtm.query.member;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.common.HostPort;
import io.mgtm.query.config.QueryConfig.Reads;
import io.mgtm.testing.Await;
import io.mgtm.testing.OwnAddress;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Several PostgreSQL servers of a test's own, and a replicator before them. */
final class Cluster {
  final Path folder;
  final List<Postgres> servers = new ArrayList<>();
  QueryServer replicator;

  /** Where a replicator of another process listens, or null. */
  volatile HostPort external;

  /** Several replicators, or null. */
  volatile List<HostPort> several;

  int serversMin = 1;
  Reads reads = Reads.COMMITTED;
  long spoolBytes = 8 << 20;
  int applyMs = 60_000;

  /** Starts servers with the tables of pgbench, and what {@code sql} makes in the database app. */
  Cluster(Path folder, int count, String sql) throws Exception {
    this(folder, count, "dtgp", sql);
  }

  /**
   * The same.
   *
   * @param pgbenchSteps what pgbench does to make its tables, as its option -I says; {@code dtp}
   *     leaves them empty, which makes comparing the servers quick
   */
  Cluster(Path folder, int count, String pgbenchSteps, String sql) throws Exception {
    this(folder, Collections.nCopies(count, OwnAddress.HOST), pgbenchSteps, sql);
  }

  /** The same with one server at each of these addresses of this machine. */
  Cluster(Path folder, List<String> hosts, String pgbenchSteps, String sql) throws Exception {
    this.folder = folder;
    Postgres first = new Postgres(folder.resolve("pg0"), Tools.SERVERS, List.of(), hosts.get(0));
    servers.add(first);
    fill(first, pgbenchSteps, sql);
    first.shutDown();
    for (int i = 1; i < hosts.size(); i++) {
      servers.add(new Postgres(folder.resolve("pg" + i), first, hosts.get(i)));
    }
    first.startAgain();
  }

  /** The same with one server, and one more of the version whose programs these are. */
  static Cluster mixed(Path folder, Path programs, String pgbenchSteps, String sql)
      throws Exception {
    Cluster cluster = new Cluster(folder, 1, pgbenchSteps, sql);
    Postgres other = new Postgres(folder.resolve("other"), programs, List.of());
    cluster.servers.add(other);
    // A client's proof is one for all servers.
    for (String role : List.of("alice", "mgtm")) {
      other.sql(
          "postgres",
          "ALTER ROLE %s PASSWORD '%s'".formatted(role, cluster.servers.get(0).verifier(role)));
    }
    cluster.fill(other, pgbenchSteps, sql);
    return cluster;
  }

  private void fill(Postgres server, String pgbenchSteps, String sql) throws Exception {
    Tools.run(
            folder,
            Map.of("PGPASSWORD", Postgres.PASSWORD),
            List.of(
                Tools.PROGRAMS + "/pgbench",
                "-i",
                "-I",
                pgbenchSteps,
                "-q",
                "-h",
                server.address.host(),
                "-p",
                Integer.toString(server.address.port()),
                "-U",
                "alice",
                "app"))
        .succeeded();
    try (Connection alice = alice(server.address)) {
      alice.createStatement().execute(sql);
    }
  }

  /** Runs it as a superuser, at each server itself. */
  void sql(String database, String sql) throws SQLException {
    for (Postgres server : servers) {
      server.sql(database, sql);
    }
  }

  /** As docs/query.md has a superuser do it. */
  void letAliceWriteWithoutTriggers() throws SQLException {
    sql("app", "GRANT SET ON PARAMETER session_replication_role TO alice");
  }

  /** The same, and rows that triggers and functions write are given to all servers. */
  void letRowsBeCaptured() throws SQLException {
    letAliceWriteWithoutTriggers();
    sql("app", "GRANT SET ON PARAMETER backtrace_functions TO mgtm");
  }

  void startReplicator() throws Exception {
    replicator =
        QueryServer.start(
            TestConfig.several(
                folder,
                servers.stream().map(one -> one.address).toList(),
                serversMin,
                reads,
                spoolBytes,
                applyMs));
  }

  /** Makes a role that may enter all servers, at which one verifier is. */
  void createRole(String name) throws SQLException {
    String password = Postgres.PASSWORD;
    for (Postgres server : servers) {
      String create = "create role %s login password %s";
      server.sql("postgres", create.formatted(name, Postgres.literal(password)));
      password = server.verifier(name);
    }
  }

  static Connection alice(HostPort at) throws SQLException {
    return connect(at, "alice", "app");
  }

  private static Connection connect(HostPort at, String role, String database) throws SQLException {
    return DriverManager.getConnection(
        "jdbc:postgresql://" + at + "/" + database, role, Postgres.PASSWORD);
  }

  /** Through the replicator. */
  Connection connect(String role, String database) throws SQLException {
    return connect(address(), role, database);
  }

  HostPort address() {
    return external == null ? HostPort.of(replicator.address()) : external;
  }

  /** Through the replicator, or that of several which serves. */
  /** The one that leads. */
  Postgres leader() {
    String first = replicator.serversIn().get(0).toString();
    return servers.stream()
        .filter(one -> one.address.toString().equals(first))
        .findFirst()
        .orElseThrow();
  }

  /** What each of the other servers would give next, were it to lead. */
  List<Long> nextElsewhere(String sequence) throws SQLException {
    List<Long> next = new ArrayList<>();
    for (Postgres one : servers) {
      if (one != leader()) {
        next.add(
            one.number(
                "select last_value + case when is_called then seqincrement else 0 end from "
                    + sequence
                    + ", pg_sequence where seqrelid = '"
                    + sequence
                    + "'::regclass"));
      }
    }
    return next;
  }

  Connection alice() throws SQLException {
    return several == null ? alice(address()) : DriverManager.getConnection(url(several));
  }

  /** As docs/query.md has clients find the one that serves. */
  private static String url(List<HostPort> hosts) {
    return "jdbc:postgresql://%s/app?user=alice&password=%s&hostRecheckSeconds=2&connectTimeout=5&socketTimeout=5&sslmode=disable"
        .formatted(
            hosts.stream().map(HostPort::toString).collect(Collectors.joining(",")),
            URLEncoder.encode(Postgres.PASSWORD, StandardCharsets.UTF_8));
  }

  /** The one number that all servers answer alike. */
  long number(String sql) throws SQLException {
    long found = servers.get(0).number(sql);
    for (Postgres one : servers) {
      assertThat(one.number(sql)).as("%s at %s", sql, one.address).isEqualTo(found);
    }
    return found;
  }

  void awaitIn(int count) {
    Await.until(count + " servers to be in", () -> replicator.serversIn().size() == count);
  }

  /** How often a server was put out, for one reason. */
  long ejections(HostPort server, String reason) throws IOException, InterruptedException {
    String metric = "mgtm_query_ejections_total{reason=\"%s\",server=\"%s\"}";
    return Tools.metric(replicator.admin(), metric.formatted(reason, server));
  }

  void assertNobodyWasPutOut() throws IOException, InterruptedException {
    for (Postgres server : servers) {
      for (String reason : List.of("away", "late", "failed", "differs")) {
        assertThat(ejections(server.address, reason)).as("%s: %s", server.address, reason).isZero();
      }
    }
  }

  /** All servers are in, and have the same rows. */
  void assertAlike() throws Exception {
    assertThat(replicator.verify()).isEmpty();
    assertThat(replicator.serversIn()).hasSize(servers.size());
  }

  /** All servers have the same schema, as pg_dump tells it. */
  void assertSchemasAlike() throws Exception {
    String first = schemaOf(servers.get(0));
    for (Postgres one : servers) {
      assertThat(schemaOf(one)).isEqualTo(first);
    }
  }

  private String schemaOf(Postgres at) throws Exception {
    List<String> command =
        List.of(
            Tools.PROGRAMS + "/pg_dump",
            "-s",
            "-h",
            at.address.host(),
            "-p",
            Integer.toString(at.address.port()),
            "-U",
            "postgres",
            "app");
    return Tools.run(folder, Map.of("PGPASSWORD", Postgres.PASSWORD), command)
        .succeeded()
        .output()
        .replaceAll("(?m)^.(un)?restrict .*$", "");
  }

  /** No move is missing that was acknowledged, none is there twice or by half, at any server. */
  void assertMoved(Transfers transfers) throws Exception {
    assertAlike();
    assertNothingLost(transfers);
  }

  /** The same, once the servers were compared. */
  void assertNothingLost(Transfers transfers) throws Exception {
    assertThat(number("select sum(balance) from account")).isEqualTo(20_000);
    for (int client = 0; client < transfers.acknowledged().size(); client++) {
      String of = " from move where client = " + client;
      long last = number("select max(number)" + of);
      assertThat(number("select count(*)" + of)).isEqualTo(last);
      assertThat(last).isGreaterThanOrEqualTo(transfers.acknowledged().get(client));
    }
  }

  Tools.Result program(String name, String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of(Tools.PROGRAMS + "/" + name));
    command.addAll(List.of(arguments));
    return run(address(), command);
  }

  /** A command as alice, to whom the variables of libpq say where to connect. */
  Tools.Result run(HostPort at, List<String> command) throws Exception {
    return Tools.run(
        folder,
        Map.of(
            "PGHOST",
            at.host(),
            "PGPORT",
            Integer.toString(at.port()),
            "PGUSER",
            "alice",
            "PGDATABASE",
            "app",
            "PGPASSWORD",
            Postgres.PASSWORD),
        command);
  }

  void close() throws Exception {
    if (replicator != null) {
      replicator.close();
    }
    for (Postgres one : servers) {
      one.stop();
    }
  }
}
