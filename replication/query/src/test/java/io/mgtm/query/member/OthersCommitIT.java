package io.mgtm.query.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.common.HostPort;
import io.mgtm.testing.Await;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What another server fails to do, and could do if it were given it once more. */
class OthersCommitIT {
  private static final String TABLES =
      "create table kept (id int primary key, n int); insert into kept values (1, 0), (2, 0)";

  private static final String WAITING =
      " from pg_stat_activity where query like 'update % n + 4 %' and wait_event_type = 'Lock'";

  private static final String WRITTEN =
      " from pg_stat_activity where query like 'update % n + 1 %' and state like 'idle in %'";

  @TempDir private Path folder;
  @AutoClose private Cluster cluster;
  @AutoClose private Between other;
  @AutoClose private Connection first;
  @AutoClose private Connection second;

  @BeforeEach
  void start() throws Exception {
    Tools.needPostgres();
    cluster = new Cluster(folder, 2, "dtp", TABLES);
    // So that the second one, which waits first, is the one that looks first.
    cluster.servers.get(1).sql("postgres", "alter database app set deadlock_timeout = '2s'");
    other = new Between(cluster.servers.get(1).address);
    List<HostPort> servers = List.of(cluster.servers.get(0).address, other.address());
    cluster.replicator =
        QueryServer.start(TestConfig.several(folder, servers, cluster.spoolBytes, cluster.applyMs));
    first = cluster.alice();
    first.setAutoCommit(false);
    second = cluster.alice();
    second.setAutoCommit(false);
  }

  // The first transaction lets go of its locks at the leader, and has yet to get one of them at the
  // other server. There it meets a deadlock with the second, which has locked the same rows after
  // it in another order, unless it is cancelled before.

  @Test
  void aDeadlockWithWhatIsRolledBack() throws Exception {
    firstWrites();
    first.rollback();
    secondCommits(other::release);
    assertSecondIsEverywhere();
  }

  @Test
  void withWhatFails() throws Exception {
    firstWrites();
    assertThatThrownBy(() -> first.createStatement().execute("select 1 / 0"))
        .isInstanceOf(SQLException.class);
    secondCommits(other::release);
    first.rollback();
    assertSecondIsEverywhere();
  }

  @Test
  void withWhatASavepointTakesBack() throws Exception {
    Savepoint savepoint = first.setSavepoint();
    firstWrites();
    first.rollback(savepoint);
    secondCommits(other::release);
    first.commit();
    assertSecondIsEverywhere();
  }

  @Test
  void whatIsCancelled() throws Exception {
    try (Connection locks = lock()) {
      secondCommits(
          () -> {
            long began = began();
            cancel();
            Await.until("it to wait once more", () -> !List.of(0L, began).contains(began()));
            locks.rollback();
          });
    }
    assertSecondIsEverywhere();
  }

  /** It is not given that: the server is put out, and comes back by itself. */
  @Test
  void whatIsCancelledWithASetting() throws Exception {
    second.createStatement().execute("set application_name = 'second'");
    try (Connection locks = lock()) {
      secondCommits(this::cancel);
      locks.rollback();
    }
    assertThat(ejections("failed")).isOne();
    assertThat(ejections("differs")).isZero();
    cluster.awaitIn(2);
    cluster.assertAlike();
  }

  private Connection lock() throws SQLException {
    Connection locks = cluster.servers.get(1).direct("app");
    locks.setAutoCommit(false);
    locks.createStatement().execute("select from kept where id = 1 for update");
    return locks;
  }

  private long waiting() throws SQLException {
    return cluster.servers.get(1).number("select count(*)" + WAITING);
  }

  /** When the transaction began that waits, in microseconds. */
  private long began() throws SQLException {
    return cluster
        .servers
        .get(1)
        .number(
            "select coalesce(max(extract(epoch from xact_start) * 1000000)::bigint, 0)" + WAITING);
  }

  private void cancel() throws SQLException {
    String cancel = "select count(*) from (select pg_cancel_backend(pid)" + WAITING + ") c";
    assertThat(cluster.servers.get(1).number(cancel)).isOne();
  }

  private void firstWrites() throws SQLException {
    update(first, "update kept set n = n + 1 where id = 1");
    Await.until(
        "the other server to have done it",
        () -> cluster.servers.get(1).number("select count(*)" + WRITTEN) > 0);
    other.hold("n + 2");
    update(first, "update kept set n = n + 2 where id = 2");
    other.awaitHeld();
  }

  private interface Action {
    void run() throws Exception;
  }

  /** And does something when it waits. */
  private void secondCommits(Action then) throws Exception {
    update(second, "update kept set n = n + 3 where id = 2");
    update(second, "update kept set n = n + 4 where id = 1");
    CompletableFuture<Void> committed =
        CompletableFuture.runAsync(
            () -> {
              try {
                second.commit();
              } catch (SQLException e) {
                throw new IllegalStateException(e);
              }
            });
    Await.until("the second to wait", () -> waiting() > 0);
    then.run();
    committed.get(60, TimeUnit.SECONDS);
  }

  private static void update(Connection at, String sql) throws SQLException {
    assertThat(at.createStatement().executeUpdate(sql)).isOne();
  }

  private long ejections(String reason) throws Exception {
    return cluster.ejections(other.address(), reason);
  }

  private void assertSecondIsEverywhere() throws Exception {
    assertThat(ejections("failed") + ejections("differs")).isZero();
    cluster.assertAlike();
    assertThat(cluster.number("select n from kept where id = 1")).isEqualTo(4);
    assertThat(cluster.number("select n from kept where id = 2")).isEqualTo(3);
  }
}
