package io.mgtm.bench.tpcc;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.mgtm.bench.tpcc.TpccTrial.Result;
import io.mgtm.bench.volume.Exec;
import io.mgtm.common.HostPort;
import io.mgtm.query.local.LocalPostgres;
import io.mgtm.testing.Await;
import io.mgtm.testing.OwnAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Against a PostgreSQL of the class's own. */
class TpccIT {
  @TempDir private static Path folder;
  private static LocalPostgres server;
  private static TpccTrial trial;

  @BeforeAll
  static void start() throws Exception {
    Assumptions.assumeTrue(Exec.postgres() != null, "PostgreSQL is not installed");
    HostPort address = new HostPort(OwnAddress.HOST, OwnAddress.port());
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    server =
        new LocalPostgres(
            LocalPostgres.installed(),
            folder.resolve("pg"),
            address,
            List.of("host all all 127.0.0.0/8 scram-sha-256"));
    server.create(TpccTrial.PASSWORD);
    server.start(List.of("max_connections=30", "fsync=off", "autovacuum=off"));
    trial = new TpccTrial(folder, "jdbc:postgresql://" + address + "/postgres", "postgres");
  }

  @AfterAll
  static void stop() {
    if (server != null) {
      server.close();
    }
  }

  /** A schema of its own for each test, by the driver's option. */
  private static TpccTrial in(String schema) throws Exception {
    trial.sql("CREATE SCHEMA " + schema);
    return new TpccTrial(
        folder,
        "jdbc:postgresql://" + server.address() + "/postgres?currentSchema=" + schema,
        "postgres");
  }

  @Test
  void loadsRunsAndFindsWhatIsWrong() throws Exception {
    in("whole").loadRunAndBreak();
  }

  @Test
  void tablesOfOthersAreLeftAlone() throws Exception {
    TpccTrial others = in("others");
    others.sql("CREATE TABLE orders (n int)");
    Result refused = others.run("load", "--scale", "100", "--replace");
    assertThat(refused.status()).isOne();
    assertThat(refused.err()).contains("there is a table orders that is not of this benchmark");
    others.sql("SELECT n FROM orders");
    assertThat(others.run("check").err()).contains("nothing is loaded there");
    others.sql("CREATE TABLE tpcc_load (x text)");
    assertThat(others.run("load", "--scale", "100", "--replace").err())
        .contains("there is a table orders that is not of this benchmark");
    others.sql("DROP TABLE orders");
    assertThat(others.run("load", "--scale", "100", "--replace").err())
        .contains("there is a table tpcc_load that is not of this benchmark");
  }

  /** Names are looked for in other schemas too, where tables are of others. */
  @Test
  void tablesOfAnotherSchemaAreLeftAlone() throws Exception {
    trial.sql("CREATE SCHEMA first", "CREATE SCHEMA second");
    TpccTrial both =
        new TpccTrial(
            folder,
            "jdbc:postgresql://" + server.address() + "/postgres?currentSchema=first,second",
            "postgres");
    both.sql("CREATE TABLE second.customer (n int)");
    assertThat(both.run("load", "--scale", "100").status()).isZero();
    both.sql("CREATE VIEW report AS SELECT count(*) FROM stock");
    assertThat(both.run("load", "--scale", "100", "--replace").status()).isOne();
    assertThat(both.run("check").status()).isZero();
    both.sql("DROP VIEW report", "DROP TABLE customer");
    assertThat(both.run("load", "--scale", "100", "--replace").status()).isZero();
    both.sql("SELECT n FROM second.customer");
  }

  /** The only connection's first New-Order or Payment finds its row changed. */
  @Test
  void whoIsInTheWayOfAnotherTriesAgain() throws Exception {
    TpccTrial tried = in("tried");
    assertThat(tried.run("load", "--scale", "100").status()).isZero();
    JsonNode result = disturbed(tried, "COMMIT");
    assertThat(result.at("/retriesBySqlState/40001").asLong()).isOne();
    assertThat(result.get("failures").asLong()).isZero();
    assertThat(result.get("transactions").asLong()).isPositive();
  }

  /** The server's last word may be lost with the connection. */
  @Test
  void aBrokenConnectionIsCountedAndMadeAgain() throws Exception {
    TpccTrial broken = in("broken");
    assertThat(broken.run("load", "--scale", "100").status()).isZero();
    JsonNode result =
        disturbed(
            broken,
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock'");
    assertThat(result.get("failures").asLong()).isOne();
    assertThat(result.at("/firstFailures/0").asText()).containsPattern("SQLSTATE (57P01|08006)");
    assertThat(result.get("transactions").asLong()).isPositive();
    assertThat(result.get("differences").asLong()).isZero();
  }

  /** Holds all rows that writers need until one waits, and does something then. */
  private static JsonNode disturbed(TpccTrial tried, String then) throws Exception {
    try (Connection blocker = tried.connect();
        Connection watcher = trial.connect()) {
      blocker.setAutoCommit(false);
      execute(blocker, "UPDATE warehouse SET w_tax = w_tax");
      execute(blocker, "UPDATE district SET d_tax = d_tax");
      CompletableFuture<Result> running =
          CompletableFuture.supplyAsync(
              () ->
                  tried.run(
                      "run",
                      "--connections=1",
                      "--seconds=2",
                      "--warmup=0",
                      "--isolation=repeatable-read",
                      "--json"));
      Await.until("a transaction waits", () -> running.isDone() || waits(watcher));
      execute(blocker, then);
      blocker.rollback();
      return running.join().json();
    }
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (var statement = connection.createStatement()) {
      var unused = statement.execute(sql);
    }
  }

  private static boolean waits(Connection watcher) throws SQLException {
    try (var statement = watcher.createStatement();
        var found =
            statement.executeQuery(
                "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'")) {
      return found.next();
    }
  }
}
