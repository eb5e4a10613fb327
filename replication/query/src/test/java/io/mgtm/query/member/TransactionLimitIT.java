package io.mgtm.query.member;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.testing.Await;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** More transactions than may run at the leader at once, before two servers. */
class TransactionLimitIT {
  private static final String TABLES =
      "create table counted (id int primary key, n int not null default 0);"
          + "insert into counted select n from generate_series(0, 99) n";

  private static final int CLIENTS = 20;

  @TempDir private static Path folder;
  @AutoClose private static Cluster cluster;

  /** Updates that were not cancelled. */
  private int done;

  @BeforeAll
  static void start() throws Exception {
    Tools.needPostgres();
    cluster = new Cluster(folder, 2, "dtp", TABLES);
    cluster.startReplicator();
  }

  private static void count(Connection at, int id) throws SQLException {
    try (Statement statement = at.createStatement()) {
      statement.executeUpdate("update counted set n = n + 1 where id = " + id);
    }
  }

  private static long waiting() throws Exception {
    return Tools.metric(cluster.replicator.admin(), "mgtm_query_transactions_waiting");
  }

  private static void keepBusy(int id, AtomicBoolean over) {
    try (Connection alice = cluster.alice();
        Statement statement = alice.createStatement()) {
      alice.setAutoCommit(false);
      while (!over.get()) {
        statement.execute("select pg_sleep(0.1)");
        statement.executeUpdate("update counted set n = n + 1 where id = " + id);
        alice.commit();
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void cancelUntil(AtomicBoolean over, Statement statement) {
    try {
      while (!over.get()) {
        statement.cancel();
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void openTransactionsDoNotKeepOthersOut() throws Exception {
    List<Connection> open = new ArrayList<>();
    try (Connection alice = cluster.alice()) {
      for (int i = 0; i < TestConfig.TRANSACTIONS_MAX; i++) {
        Connection one = cluster.alice();
        open.add(one);
        one.setAutoCommit(false);
        count(one, i);
      }
      count(alice, 50);
      for (Connection one : open) {
        one.commit();
      }
    } finally {
      for (Connection one : open) {
        one.close();
      }
    }
    assertThat(cluster.number("select n from counted where id = 50")).isOne();
    cluster.assertAlike();
  }

  /**
   * Whether it was not cancelled: pgjdbc asks for that once for each run of a statement, and may do
   * so before the replicator has the statement.
   */
  private boolean isDone(Statement statement) {
    try {
      done += statement.executeUpdate("update counted set n = n + 1 where id = 60");
      return true;
    } catch (SQLException e) {
      assertThat(e.getSQLState()).isEqualTo("57014");
      return false;
    }
  }

  /** Each of these holds its turn for as long as it may. */
  @Test
  void whatWaitsForItsTurnIsCancelled() throws Exception {
    AtomicBoolean over = new AtomicBoolean();
    List<CompletableFuture<Void>> busy = new ArrayList<>();
    ExecutorService threads = Executors.newCachedThreadPool();
    try (Connection alice = cluster.alice();
        Statement statement = alice.createStatement()) {
      for (int i = 0; i < CLIENTS; i++) {
        int id = i;
        busy.add(CompletableFuture.runAsync(() -> keepBusy(id, over), threads));
      }
      Await.until("a long line", () -> waiting() > CLIENTS / 2);
      busy.add(CompletableFuture.runAsync(() -> cancelUntil(over, statement), threads));
      Await.until("an update to be cancelled", () -> !isDone(statement));
      over.set(true);
      for (CompletableFuture<Void> one : busy) {
        one.get(180, TimeUnit.SECONDS);
      }
      count(alice, 61);
    } finally {
      over.set(true);
      threads.shutdown();
    }
    assertThat(cluster.number("select n from counted where id = 60")).isEqualTo(done);
    assertThat(cluster.number("select n from counted where id = 61")).isOne();
    Await.until("nobody to wait", () -> waiting() == 0);
    cluster.assertAlike();
  }
}
