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
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Who dies while the leader has prepared a transaction that is SERIALIZABLE, or has committed it
 * and not noted that. Done twice it would show: it adds one.
 */
class SerializableFaultIT {
  private static final String LOCKS = "lock table mgtm.position in exclusive mode";
  private static final String PREPARED = "select count(*) from pg_prepared_xacts";
  private static final String COMMITTED = "select count(*) from mgtm.prepared";
  private static final String N = "select n from counter where id = 1";

  private static final String WAITS =
      "select count(*) from pg_locks where not granted and relation = 'mgtm.position'::regclass";

  private static final String WAITERS_END =
      "select count(pg_terminate_backend(pid)) from pg_locks where not granted"
          + " and relation = 'mgtm.position'::regclass";

  @TempDir private Path folder;
  private Cluster cluster;
  private LoneReplicator process;
  private Postgres leader;
  private Postgres other;

  @BeforeAll
  static void need() {
    Tools.needPostgres();
  }

  @BeforeEach
  void start() throws Exception {
    String tables = "create table counter (id int primary key, n int)";
    cluster = new Cluster(folder, 2, "dtp", tables + "; insert into counter values (1, 0)");
    leader = cluster.servers.get(0);
    other = cluster.servers.get(1);
  }

  private void startProcess() throws Exception {
    process = new LoneReplicator(cluster);
    process.start();
    cluster.alice().close(); // The tables of positions are there.
  }

  private void startHere() throws Exception {
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

  /** Its SQLSTATE where it fails. */
  private CompletableFuture<String> add() {
    return CompletableFuture.supplyAsync(
        () -> {
          try (Connection alice = cluster.alice()) {
            alice.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
            alice.createStatement().execute("update counter set n = n + 1 where id = 1");
            return "";
          } catch (SQLException e) {
            return e.getSQLState();
          }
        });
  }

  private static String get(CompletableFuture<String> answer) throws Exception {
    return answer.get(60, TimeUnit.SECONDS);
  }

  /** What is done while a server cannot note a commit. */
  private interface Step {
    void run(CompletableFuture<String> added, Connection holds) throws Exception;
  }

  private void whileItWaits(Postgres at, Step step) throws Exception {
    try (Connection holds = at.direct("app")) {
      holds.setAutoCommit(false);
      holds.createStatement().execute(LOCKS);
      CompletableFuture<String> added = add();
      Await.until("the server to wait", () -> at.number(WAITS) == 1);
      step.run(added, holds);
    }
  }

  private void assertDoneOnce() throws Exception {
    assertThat(cluster.number(N)).isOne();
    assertThat(cluster.number(PREPARED)).isZero();
    assertThat(cluster.number(COMMITTED)).isZero();
  }

  private void kill(CompletableFuture<String> added, Postgres waits) throws Exception {
    process.kill();
    assertThat(get(added)).startsWith("08");
    Await.until("nobody to wait", () -> waits.number(WAITERS_END) == 0);
  }

  private void assertDoneOnceAfterAStart() throws Exception {
    process.start();
    cluster.alice().close();
    assertDoneOnce();
    assertThat(process.said()).doesNotContain("rows are compared");
  }

  @Test
  void theReplicatorBeforeAnyHasCommitted() throws Exception {
    startProcess();
    whileItWaits(
        other,
        (added, holds) -> {
          assertThat(leader.number(PREPARED)).isOne();
          kill(added, other);
        });
    assertDoneOnceAfterAStart();
  }

  /** That the leader has committed stands in no position, but in what it has committed. */
  @Test
  void theReplicatorBeforeTheLeaderHasNotedIt() throws Exception {
    startProcess();
    whileItWaits(
        leader,
        (added, holds) -> {
          assertThat(leader.number(COMMITTED)).isOne();
          kill(added, leader);
        });
    assertDoneOnceAfterAStart();
  }

  private void assertDoneOnceAfterAReturn() throws Exception {
    leader.startAgain();
    cluster.awaitIn(2);
    assertDoneOnce();
    cluster.assertAlike();
  }

  @Test
  void theLeaderBeforeAnyHasCommitted() throws Exception {
    startHere();
    whileItWaits(
        other,
        (added, holds) -> {
          leader.kill();
          cluster.awaitIn(1);
          holds.rollback();
          assertThat(get(added)).isEmpty();
        });
    assertDoneOnceAfterAReturn();
  }

  @Test
  void theLeaderBeforeItHasNotedIt() throws Exception {
    startHere();
    whileItWaits(
        leader,
        (added, holds) -> {
          leader.kill();
          assertThat(get(added)).isEmpty();
        });
    assertDoneOnceAfterAReturn();
  }

  /** Nobody else can tell whether it has committed, so it is asked when it is there again. */
  @Test
  void theLastServerBeforeItHasNotedIt() throws Exception {
    startHere();
    other.kill();
    cluster.awaitIn(1);
    whileItWaits(
        leader,
        (added, holds) -> {
          leader.kill();
          assertThat(get(added)).isEqualTo("57P01");
        });
    other.startAgain();
    assertDoneOnceAfterAReturn();
  }

  /** The replicator commits what its session had prepared, and no server is out. */
  private void backendDies(Postgres waits) throws Exception {
    startHere();
    whileItWaits(
        waits,
        (added, holds) -> {
          String backend = "select pg_terminate_backend(pid) from pg_stat_activity";
          leader.sql("app", backend + " where usename = 'alice'");
          assertThat(get(added)).isEqualTo("57P01");
        });
    Await.until("it to be committed", () -> leader.number(N) == 1);
    Await.until("that to be noted", () -> leader.number(COMMITTED) == 0);
    assertThat(cluster.replicator.serversIn()).hasSize(2);
    assertDoneOnce();
    cluster.assertAlike();
  }

  @Test
  void theBackendBeforeAnyHasCommitted() throws Exception {
    backendDies(other);
  }

  @Test
  void theBackendBeforeItHasNotedIt() throws Exception {
    backendDies(leader);
  }

  /** As one that was deposed may leave them: its client's backend ends after all others. */
  @Test
  void whatAnotherReplicatorHasPreparedIsRolledBack() throws Exception {
    startHere();
    try (Connection alice = Cluster.alice(leader.address)) {
      alice.setAutoCommit(false);
      alice.createStatement().execute("update counter set n = 7 where id = 1");
      alice.createStatement().execute("select mgtm.mgtm_prepares(null, current_user, 1)");
      alice.createStatement().execute("prepare transaction 'of another'");
      alice.createStatement().execute("insert into counter (id, n) values (2, 7)");
      alice.createStatement().execute("prepare transaction 'of somebody else'");
    }
    Await.until("one to be rolled back", () -> leader.number(PREPARED) == 1);
    assertThat(get(add())).isEmpty();
    assertThat(leader.number(PREPARED)).isOne();
    leader.sql("app", "rollback prepared 'of somebody else'");
    assertDoneOnce();
    cluster.assertAlike();
  }
}
