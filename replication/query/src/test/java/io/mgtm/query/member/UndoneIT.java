package io.mgtm.query.member;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.testing.Await;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What was undone at the leader waits at another server for a lock that somebody keeps for long. No
 * commit waits for that.
 */
class UndoneIT {
  private static final String TABLES =
      "create table kept (id int primary key, n int); insert into kept values (1, 0), (2, 0), (3, 0)";

  private static final String WAITING =
      "select count(*) from pg_locks where not granted and locktype in ('transactionid', 'tuple')";

  @TempDir private Path folder;
  private Cluster cluster;
  private Postgres other;
  private Connection locks;
  private Connection first;

  /** Somebody has locked a row there, and a transaction waits that has written another. */
  @BeforeEach
  void start() throws Exception {
    Tools.needPostgres();
    cluster = new Cluster(folder, 2, "dtp", TABLES);
    other = cluster.servers.get(1);
    cluster.startReplicator();
    first = cluster.alice();
    first.setAutoCommit(false);
    locks = other.direct("app");
    locks.setAutoCommit(false);
    Sql.run(locks, "select from kept where id = 1 for update");
  }

  @AfterEach
  void stop() throws Exception {
    first.close();
    locks.close();
    cluster.close();
  }

  private void awaitThatItWaits() {
    Await.until("it to wait at the other server", () -> other.number(WAITING) > 0);
  }

  private void firstWrites() throws SQLException {
    Sql.run(first, "update kept set n = n + 1 where id = 2");
    Sql.run(first, "update kept set n = n + 1 where id = 1");
    awaitThatItWaits();
  }

  private static void commits(Connection at) throws Exception {
    CompletableFuture.runAsync(
            () -> {
              try {
                at.commit();
              } catch (SQLException e) {
                throw new IllegalStateException(e);
              }
            })
        .get(60, TimeUnit.SECONDS);
  }

  private void assertNumbers(int first, int second, int third) throws Exception {
    locks.rollback();
    cluster.assertAlike();
    cluster.assertNobodyWasPutOut();
    assertThat(cluster.number("select n from kept where id = 1")).isEqualTo(first);
    assertThat(cluster.number("select n from kept where id = 2")).isEqualTo(second);
    assertThat(cluster.number("select n from kept where id = 3")).isEqualTo(third);
  }

  @Test
  void itIsRolledBack() throws Exception {
    firstWrites();
    first.rollback();
    Sql.run(first, "update kept set n = n + 2 where id = 3");
    commits(first);
    assertNumbers(0, 0, 2);
  }

  @Test
  void itHasFailed() throws Exception {
    firstWrites();
    Sql.assertFails("22012", () -> Sql.run(first, "select 1 / 0"));
    first.rollback();
    Sql.run(first, "update kept set n = n + 2 where id = 2");
    commits(first);
    assertNumbers(0, 2, 0);
  }

  @Test
  void aSavepointTakesItBack() throws Exception {
    Sql.run(first, "update kept set n = n + 2 where id = 3");
    Savepoint savepoint = first.setSavepoint();
    firstWrites();
    first.rollback(savepoint);
    Sql.run(first, "update kept set n = n + 3 where id = 2");
    commits(first);
    assertNumbers(0, 3, 2);
  }

  @Test
  void itsClientLeaves() throws Exception {
    firstWrites();
    first.close();
    try (Connection second = cluster.alice()) {
      second.setAutoCommit(false);
      Sql.run(second, "update kept set n = n + 2 where id = 2");
      commits(second);
    }
    assertNumbers(0, 2, 0);
  }
}
