package io.mgtm.query.member;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.testing.Await;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Who dies while the leader has prepared a transaction that is SERIALIZABLE, or has committed it
 * and not noted that. Done twice it would show: it adds one.
 */
class SerializableFaultIT extends CommitFaults {
  private static final String PREPARED = "select count(*) from pg_prepared_xacts";
  private static final String N = "select n from counter where id = 1";

  @BeforeEach
  void start() throws Exception {
    startServers(
        "create table counter (id int primary key, n int); insert into counter values (1, 0)");
  }

  private void add() throws SQLException {
    try (Connection alice = cluster.alice()) {
      alice.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
      Sql.run(alice, "update counter set n = n + 1 where id = 1");
    }
  }

  private void whileItWaits(Postgres at, Step step) throws Exception {
    whileItWaits(at, POSITION, this::add, step);
  }

  private void assertDoneOnce() throws Exception {
    assertThat(cluster.number(N)).isOne();
    assertThat(cluster.number(PREPARED)).isZero();
    assertThat(cluster.number(TOKENS)).isZero();
  }

  private void assertDoneOnceAfterAStart() throws Exception {
    startAgain();
    assertDoneOnce();
  }

  @Test
  void theReplicatorBeforeAnyHasCommitted() throws Exception {
    startProcess();
    whileItWaits(
        other,
        (added, holds) -> {
          assertThat(leader.number(PREPARED)).isOne();
          kill(added, other, POSITION);
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
          assertThat(leader.number(TOKENS)).isOne();
          kill(added, leader, POSITION);
        });
    assertDoneOnceAfterAStart();
  }

  private void assertDoneOnceAfterAReturn() throws Exception {
    comesBack(leader);
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
    Await.until("that to be noted", () -> leader.number(TOKENS) == 0);
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
      Sql.run(alice, "update counter set n = 7 where id = 1");
      Sql.run(alice, "select mgtm.mgtm_prepares(null, current_user, 1)");
      Sql.run(alice, "prepare transaction 'of another'");
      Sql.run(alice, "insert into counter (id, n) values (2, 7)");
      Sql.run(alice, "prepare transaction 'of somebody else'");
    }
    Await.until("one to be rolled back", () -> leader.number(PREPARED) == 1);
    assertThat(get(begin(this::add))).isEmpty();
    assertThat(leader.number(PREPARED)).isOne();
    leader.sql("app", "rollback prepared 'of somebody else'");
    assertDoneOnce();
    cluster.assertAlike();
  }
}
