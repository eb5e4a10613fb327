package io.mgtm.query.member;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.testing.Await;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** Two servers, one of which is held up in the middle of what a client does when somebody dies. */
abstract class CommitFaults {
  /** Waited for where a commit is noted. */
  static final String POSITION = "mgtm.position";

  static final String TOKENS = "select count(*) from mgtm.prepared";

  private static final String WAITING =
      " from pg_locks where not granted and relation = '%s'::regclass";

  @TempDir private Path folder;
  Cluster cluster;
  LoneReplicator process;
  Postgres leader;
  Postgres other;

  @BeforeAll
  static void need() {
    Tools.needPostgres();
  }

  final void startServers(String tables) throws Exception {
    cluster = new Cluster(folder, 2, "dtp", tables);
    leader = cluster.servers.get(0);
    other = cluster.servers.get(1);
  }

  final void startProcess() throws Exception {
    process = new LoneReplicator(cluster);
    process.start();
    cluster.alice().close(); // The tables of positions are there.
  }

  final void startHere() throws Exception {
    cluster.startReplicator();
    cluster.alice().close();
  }

  @AfterEach
  void stop() throws Exception {
    if (process != null) {
      process.close();
    }
    cluster.close();
  }

  /** A client's. */
  interface Work {
    void run() throws SQLException;
  }

  /** Begins it at the same time; its SQLSTATE where it fails, else nothing. */
  static CompletableFuture<String> begin(Work work) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            work.run();
            return "";
          } catch (SQLException e) {
            return e.getSQLState();
          }
        });
  }

  static String get(CompletableFuture<String> answer) throws Exception {
    return answer.get(60, TimeUnit.SECONDS);
  }

  /** What is done while a server cannot do a part of it. */
  interface Step {
    void run(CompletableFuture<String> worked, Connection holds) throws Exception;
  }

  /** Begins work, of which a server cannot do the part that needs a table. */
  static void whileItWaits(Postgres at, String table, Work work, Step step) throws Exception {
    try (Connection holds = at.direct("app")) {
      holds.setAutoCommit(false);
      Sql.run(holds, "lock table " + table + " in exclusive mode");
      CompletableFuture<String> worked = begin(work);
      String waits = "select count(*)" + WAITING.formatted(table);
      Await.until("the server to wait", () -> at.number(waits) == 1);
      step.run(worked, holds);
    }
  }

  /** The replicator dies while a server waits. */
  final void kill(CompletableFuture<String> worked, Postgres waits, String table) throws Exception {
    process.kill();
    assertThat(get(worked)).startsWith("08");
    String end = "select count(pg_terminate_backend(pid))" + WAITING.formatted(table);
    Await.until("nobody to wait", () -> waits.number(end) == 0);
  }

  /** The replicator, on what it has kept, which tells all. */
  final void startAgain() throws Exception {
    process.start();
    cluster.alice().close();
    assertThat(process.said()).doesNotContain("rows are compared");
  }

  /** A server that has died. */
  final void comesBack(Postgres server) throws Exception {
    server.startAgain();
    cluster.awaitIn(2);
  }
}
