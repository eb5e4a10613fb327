package io.mgtm.query.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.testing.Await;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sessions that change the schema at the same time, before two real servers. */
class DdlWaitIT {
  private static final int APPLY_MS = 1_000;

  /** Held by the leader's own session, so that who asks for it has something to do. */
  private static final long LOCK = 7;

  @TempDir private static Path folder;
  @AutoClose private static Cluster cluster;

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private Connection alice;
  private Statement statement;
  private Connection other;
  private Connection direct;

  @BeforeAll
  static void start() throws Exception {
    Tools.needPostgres();
    cluster = new Cluster(folder, 2, "dtp", "create table kept (id int primary key, n int)");
    cluster.applyMs = APPLY_MS;
    cluster.startReplicator();
  }

  @BeforeEach
  void connect() throws SQLException {
    alice = cluster.alice();
    statement = alice.createStatement();
    other = cluster.alice();
    other.setAutoCommit(false);
    other.createStatement().execute("create table others_own (id int)");
    direct = cluster.servers.get(0).direct("app");
    direct.createStatement().execute("select pg_advisory_lock(" + LOCK + ")");
  }

  @AfterEach
  void everyServerHasTheSame() throws Exception {
    direct.close();
    other.close();
    alice.close();
    threads.shutdown();
    assertThat(threads.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
    cluster.assertAlike();
    cluster.assertSchemasAlike();
  }

  private CompletableFuture<Void> run(Statement by, String sql) {
    return CompletableFuture.runAsync(
        () -> {
          try {
            by.execute(sql);
          } catch (SQLException e) {
            throw new IllegalStateException(e.getSQLState(), e);
          }
        },
        threads);
  }

  /** The other session's transaction, which has changed the schema, runs a statement. */
  private CompletableFuture<Void> work() throws SQLException {
    CompletableFuture<Void> works =
        run(other.createStatement(), "select pg_advisory_xact_lock(" + LOCK + ")");
    Await.until(
        "it to run",
        () ->
            cluster
                    .servers
                    .get(0)
                    .number(
                        "select count(*) from pg_locks where locktype = 'advisory' and not granted")
                == 1);
    return works;
  }

  @Test
  void changeWaitsForOneThatIsAtWork() throws Exception {
    CompletableFuture<Void> works = work();
    CompletableFuture<Void> waits = run(statement, "alter table kept add column more int");
    assertThatThrownBy(() -> waits.get(3 * APPLY_MS, TimeUnit.MILLISECONDS))
        .isInstanceOf(TimeoutException.class);
    direct.createStatement().execute("select pg_advisory_unlock(" + LOCK + ")");
    works.get(60, TimeUnit.SECONDS);
    other.commit();
    waits.get(60, TimeUnit.SECONDS);
    statement.execute("alter table kept drop column more");
    statement.execute("drop table others_own");
  }

  @Test
  void changeThatWaitsIsCancelled() throws Exception {
    CompletableFuture<Void> works = work();
    CompletableFuture<Void> waits = run(statement, "alter table kept add column more int");
    Await.until(
        "it to be cancelled",
        () -> {
          statement.cancel();
          return waits.isDone();
        });
    assertThatThrownBy(waits::join).hasMessageContaining("57014");
    direct.createStatement().execute("select pg_advisory_unlock(" + LOCK + ")");
    works.get(60, TimeUnit.SECONDS);
    other.rollback();
    statement.execute("alter table kept add column more int");
    statement.execute("alter table kept drop column more");
  }

  @Test
  void changeDoesNotWaitForOneThatDoesNothing() throws Exception {
    assertThatThrownBy(() -> statement.execute("alter table kept add column more int"))
        .isInstanceOfSatisfying(
            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("55P03"));
    other.rollback();
    statement.execute("alter table kept add column more int");
    statement.execute("alter table kept drop column more");
  }

  /** Each would wait for the other, and no server could see it. */
  @Test
  void changeOfATransactionThatHoldsLocksDoesNotWaitForLong() throws Exception {
    alice.setAutoCommit(false);
    statement.execute("insert into kept values (1, 1)");
    CompletableFuture<Void> works =
        run(other.createStatement(), "alter table kept add column more int");
    assertThatThrownBy(() -> statement.execute("create table alices_own (id int)"))
        .isInstanceOfSatisfying(
            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("55P03"));
    alice.rollback();
    alice.setAutoCommit(true);
    works.get(60, TimeUnit.SECONDS);
    other.rollback();
    assertThat(cluster.number("select count(*) from kept")).isZero();
  }
}
