package io.mgtm.query.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.query.wire.ErrorFields;
import io.mgtm.query.wire.Frame;
import io.mgtm.testing.Await;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A client's timeouts, before two servers of which one takes long to commit. */
class ClientTimeoutIT {
  private static final String TABLES =
      "create table kept (id int primary key, n int); insert into kept values (1, 0), (2, 0)";

  private static final String WAITS_LONG =
      "select count(*) from pg_stat_activity where usename = 'alice'"
          + " and wait_event_type = 'Lock' and now() - query_start > interval '1 second'";

  @TempDir private static Path folder;
  @AutoClose private static Cluster cluster;

  @BeforeAll
  static void start() throws Exception {
    Tools.needPostgres();
    cluster = new Cluster(folder, 2, "dtp", TABLES);
    cluster.startReplicator();
  }

  @AfterEach
  void nobodyWasPutOut() throws Exception {
    assertThat(cluster.replicator.serversIn()).hasSize(2);
    cluster.assertNobodyWasPutOut();
    cluster.assertAlike();
  }

  /** The leader waits for the other server for longer than the client may leave it waiting. */
  @Test
  void ofWhoIsIdleInATransaction() throws Exception {
    commits("idle_in_transaction_session_timeout", 1, "select from kept where id = 1 for update");
  }

  /** The leader has prepared it, and its session is idle there. */
  @Test
  void ofASessionThatIsIdle() throws Exception {
    cluster.sql("postgres", "alter role alice set default_transaction_isolation = serializable");
    try {
      commits("idle_session_timeout", 1, "select from kept where id = 1 for update");
      commits("idle_in_transaction_session_timeout", 1, "select from kept where id = 1 for update");
    } finally {
      cluster.sql("postgres", "alter role alice reset default_transaction_isolation");
    }
  }

  /** The leader notes that it commits, and waits there. */
  @Test
  void ofAStatement() throws Exception {
    commits("statement_timeout", 0, "select from mgtm.position for update");
  }

  /** In the words of a server, by which drivers know what it was. */
  @ParameterizedTest
  @CsvSource({
    "idle_in_transaction_session_timeout, begin, 25P03",
    "idle_session_timeout, select 1, 57P05"
  })
  void whoWasIdleIsToldSo(String name, String last, String sqlState) throws Exception {
    try (RawClient client = RawClient.trusted(cluster.replicator.address())) {
      client.send(RawClient.message('Q', "set " + name + " = 10"));
      client.send(RawClient.message('Q', last));
      List<Frame> all = client.readToEnd();
      Frame end = all.get(all.size() - 1);
      assertThat(end.type()).isEqualTo('E');
      ErrorFields told = ErrorFields.read(end.body());
      assertThat(told.sqlState()).as(told.message()).isEqualTo(sqlState);
    }
  }

  /** Its session ends, and nothing is committed. */
  @Test
  void thatIsOverBeforeTheCommit() throws Exception {
    try (Connection alice = cluster.alice()) {
      alice.setAutoCommit(false);
      alice.createStatement().executeUpdate("update kept set n = 4711 where id = 2");
      alice.createStatement().execute("set local idle_in_transaction_session_timeout = 10");
      String open = "select count(*) from pg_stat_activity where state = 'idle in transaction'";
      Await.until(
          "the leader to have ended it",
          () ->
              cluster.servers.get(0).number(open + " and usename = 'alice'") == 0
                  && cluster.replicator.serversIn().size() == 2);
      assertThatThrownBy(alice::commit)
          .isInstanceOfSatisfying(
              SQLException.class,
              e -> assertThat(e.getSQLState()).matches("25P03|57P01|08006|08003"));
    }
    assertThat(cluster.number("select n from kept where id = 2")).isZero();
  }

  @Test
  void thoseOfADatabaseAreNotForTheReplicator() throws Exception {
    try {
      cluster.sql("postgres", "alter database app set statement_timeout = 1");
      cluster.assertAlike();
    } finally {
      cluster.sql("postgres", "alter database app reset statement_timeout");
    }
  }

  private static void commits(String timeout, int slow, String locks) throws Exception {
    try (Connection round = cluster.servers.get(slow).direct("app");
        Connection alice = cluster.alice()) {
      alice.createStatement().execute("set " + timeout + " = 300");
      round.setAutoCommit(false);
      round.createStatement().execute(locks);
      CompletableFuture<Integer> updated =
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return alice
                      .createStatement()
                      .executeUpdate("update kept set n = n + 1 where id = 1");
                } catch (SQLException e) {
                  throw new IllegalStateException(e);
                }
              });
      Await.until(
          "a commit to wait for longer than that",
          () -> cluster.servers.get(slow).number(WAITS_LONG) > 0);
      round.rollback();
      assertThat(updated.get(60, TimeUnit.SECONDS)).isOne();
      // What it has set still holds.
      try (ResultSet set = alice.createStatement().executeQuery("show " + timeout)) {
        assertThat(set.next()).isTrue();
        assertThat(set.getString(1)).isEqualTo("300ms");
      }
    }
  }
}
