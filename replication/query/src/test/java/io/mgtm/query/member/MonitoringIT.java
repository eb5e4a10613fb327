package io.mgtm.query.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.mgtm.testing.Await;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What monitoring sees of servers and statements, and what is refused where too few are in. */
class MonitoringIT {
  private static final String TABLES = "create table kept (id int primary key, n int)";

  @TempDir private Path folder;
  @AutoClose private Cluster cluster;

  @BeforeAll
  static void need() {
    Tools.needPostgres();
  }

  private void start(int serversMin) throws Exception {
    cluster = new Cluster(folder, 2, "dtp", TABLES);
    cluster.serversMin = serversMin;
    cluster.startReplicator();
  }

  private String server(int i) {
    return cluster.servers.get(i).address.toString();
  }

  private HttpResponse<String> get(String path) throws IOException, InterruptedException {
    URI at = URI.create("http://" + cluster.replicator.admin() + path);
    return HttpClient.newHttpClient()
        .send(HttpRequest.newBuilder(at).build(), HttpResponse.BodyHandlers.ofString());
  }

  /** The value of one metric. */
  private long metric(String name) throws IOException, InterruptedException {
    return Tools.metric(cluster.replicator.admin(), name);
  }

  private long statements(String of) throws IOException, InterruptedException {
    return metric("mgtm_query_statements_total{class=\"" + of + "\"}");
  }

  private long of(String name, int server) throws IOException, InterruptedException {
    return metric("mgtm_query_%s{server=\"%s\"}".formatted(name, server(server)));
  }

  private long ejections(int server, String reason) throws IOException, InterruptedException {
    return cluster.ejections(cluster.servers.get(server).address, reason);
  }

  private void insert(int id) throws SQLException {
    try (Connection alice = cluster.alice();
        Statement statement = alice.createStatement()) {
      statement.execute("insert into kept (id, n) values (%d, 1)".formatted(id));
    }
  }

  @Test
  void metricsMoveByWhatWasDone() throws Exception {
    start(1);
    long reads = statements("READ");
    try (Connection alice = cluster.alice();
        Statement statement = alice.createStatement()) {
      statement.execute("insert into kept (id, n) values (1, 1)");
      statement.execute("update kept set n = 2 where id = 1");
      statement.execute("insert into kept select id + 1, n from kept");
      for (int i = 0; i < 4; i++) {
        statement.execute("select n from kept where id = 1");
      }
      assertThatThrownBy(() -> statement.execute("create database x"))
          .hasMessageContaining("differ");
    }
    assertThat(statements("KEY_LOCAL")).isEqualTo(2);
    assertThat(statements("ROWS")).isEqualTo(1);
    assertThat(statements("READ") - reads).isEqualTo(4);
    assertThat(statements("REFUSED")).isEqualTo(1);
    assertThat(statements("DDL")).isZero();
    for (int i = 0; i < 2; i++) {
      long answered = of("server_latency_seconds_count", i);
      assertThat(answered).isPositive();
      assertThat(get("/metrics").body())
          .contains(
              "mgtm_query_server_latency_seconds_bucket{server=\"%s\",le=\"+Inf\"} %d"
                  .formatted(server(i), answered));
      assertThat(of("server_lag_commits", i)).isZero();
      assertThat(of("server_out_seconds", i)).isZero();
      assertThat(of("admissions_total", i)).isZero();
    }

    Tools.ask(cluster.replicator.admin(), "/promote?server=" + server(1));
    cluster.awaitIn(2);
    assertThat(ejections(0, "promoted")).isOne();
    assertThat(of("admissions_total", 0)).isOne();
    dies(0);
  }

  /** One that does not lead. */
  private void dies(int one) throws Exception {
    cluster.servers.get(one).kill();
    Await.until("it to be out", () -> cluster.replicator.serversIn().size() == 1);
    for (int id = 10; id < 15; id++) {
      insert(id);
    }
    assertThat(of("server_lag_commits", one)).isGreaterThanOrEqualTo(5);
    assertThat(of("server_lag_commits", 1 - one)).isZero();
    assertThat(ejections(one, "away")).isOne();
    assertThat(ejections(one, "differs") + ejections(one, "late")).isZero();
    Await.until("it to be out for a second", () -> of("server_out_seconds", one) > 0);

    cluster.servers.get(one).startAgain();
    cluster.awaitIn(2);
    assertThat(of("server_lag_commits", one)).isZero();
    assertThat(of("admissions_total", one)).isEqualTo(2);
    assertThat(of("admissions_total", 1 - one)).isZero();
    cluster.servers.get(one).sql("app", "delete from kept where id = 10");
    try (Connection alice = cluster.alice()) {
      alice.createStatement().execute("update kept set n = 5 where id = 10");
    }
    assertThat(ejections(one, "differs")).isOne();
  }

  /** Its rows are those that it had before, and it only lacks what it was given. */
  @Test
  void aServerWhereAnOperatorCancelsAWriteAgainAndAgainComesBack() throws Exception {
    start(1);
    insert(1);
    Postgres other = cluster.servers.get(1);
    try (Connection round = other.direct("app");
        Connection alice = cluster.alice()) {
      round.setAutoCommit(false);
      round.createStatement().execute("select from kept where id = 1 for update");
      CompletableFuture<Integer> write =
          CompletableFuture.supplyAsync(() -> update(alice, "update kept set n = 7 where id = 1"));
      String cancelled =
          "select count(pg_cancel_backend(pid)) from pg_stat_activity"
              + " where usename = 'alice' and wait_event_type = 'Lock'";
      Await.until(
          "the write to be cancelled each time that it is given",
          () -> other.number(cancelled) == 0 && cluster.replicator.serversIn().size() == 1);
      assertThat(write.get(180, TimeUnit.SECONDS)).isOne();
      assertThat(ejections(1, "failed")).isOne();
      assertThat(ejections(1, "differs")).isZero();
    }
    cluster.awaitIn(2);
    assertThat(cluster.number("select n from kept")).isEqualTo(7);
    cluster.assertAlike();
  }

  private static int update(Connection at, String sql) {
    try (Statement statement = at.createStatement()) {
      return statement.executeUpdate(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Who may not be the replicator's role is seen, whatever its connection is called. */
  @Test
  void aBackendIsNotTheReplicatorsByItsNameAlone() throws Exception {
    start(1);
    String url = "jdbc:postgresql://%s/app?ApplicationName=mgtm%%20query".formatted(server(1));
    try (Connection disguised = DriverManager.getConnection(url, "alice", Postgres.PASSWORD)) {
      assertThat(disguised.isValid(60)).isTrue();
      assertThat(get("/status").body())
          .contains("\"foreignBackends\":[\"" + server(1) + ": backend ")
          .contains("of alice in app");
    }
    assertThat(get("/status?brief=true").body())
        .contains("\"sessions\":")
        .doesNotContain("foreignBackends");
  }

  @Test
  void nothingIsWrittenWhileFewerServersAreInThanMust() throws Exception {
    start(2);
    insert(1);
    cluster.servers.get(1).kill();
    Await.until("the second to be out", () -> cluster.replicator.serversIn().size() == 1);
    assertThatThrownBy(() -> insert(2))
        .isInstanceOfSatisfying(
            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("53000"));
    try (Connection alice = cluster.alice();
        Statement statement = alice.createStatement()) {
      try (ResultSet rows = statement.executeQuery("select count(*) from kept")) {
        assertThat(rows.next()).isTrue();
        assertThat(rows.getLong(1)).isOne();
      }
      alice.setAutoCommit(false);
      statement.execute("update kept set n = 7");
      assertThatThrownBy(alice::commit).hasMessageContaining("fewer servers are in");
      alice.rollback();
    }
    HttpResponse<String> health = get("/health");
    assertThat(health.statusCode()).isEqualTo(503);
    assertThat(health.body()).contains("1 servers are in, writes need 2");

    cluster.servers.get(1).startAgain();
    cluster.awaitIn(2);
    insert(3);
    assertThat(cluster.number("select sum(id * n) from kept")).isEqualTo(4);
    JsonNode refused = Tools.ask(cluster.replicator.admin(), "/remove-server?server=" + server(1));
    assertThat(refused.path("error").asText()).contains("2 servers are in, and 2 must be");
  }
}
