package io.mgtm.query.member;

import static io.mgtm.query.member.Sql.later;
import static io.mgtm.query.member.Sql.run;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.testing.Await;
import java.io.StringReader;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.PGConnection;
import org.postgresql.util.PSQLException;

/** Changes of the schema before two real servers, while other sessions write. */
class DdlIT {
  @TempDir private static Path folder;
  @AutoClose private static Cluster cluster;

  @BeforeAll
  static void start() throws Exception {
    Tools.needPostgres();
    cluster = new Cluster(folder, 2, "dtp", "create schema app");
    cluster.startReplicator();
  }

  @AfterEach
  void serversHaveTheSameSchemaAndRows() throws Exception {
    cluster.assertAlike();
    cluster.assertSchemasAlike();
  }

  private static void awaitWaiting(int backends) {
    awaitWaiting(cluster, backends);
  }

  /** Until so many backends wait for a lock at the leader. */
  static void awaitWaiting(Cluster cluster, int backends) {
    Await.until(
        "a statement to wait",
        () -> {
          try (Connection direct = cluster.servers.get(0).direct("app");
              ResultSet rows =
                  direct
                      .createStatement()
                      .executeQuery(
                          "select count(*) from pg_stat_activity where wait_event_type = 'Lock'")) {
            return rows.next() && rows.getInt(1) == backends;
          }
        });
  }

  @Test
  void maintenanceIsDoneByEveryServerByItself() throws Exception {
    try (Connection alice = cluster.alice();
        Connection second = cluster.servers.get(1).direct("app");
        Statement statement = alice.createStatement()) {
      run(alice, "create table kept (id int primary key)", "insert into kept values (1)");
      statement.execute("vacuum (analyze) kept");
      assertThat((Throwable) statement.getWarnings()).isNull();
      for (Postgres server : cluster.servers) {
        Await.until("the table to be analyzed at " + server.address, () -> isAnalyzed(server));
      }
      alice.setAutoCommit(false);
      assertThatThrownBy(() -> statement.execute("analyze kept"))
          .hasMessageContaining("ANALYZE runs outside of transactions");
      alice.rollback();
      alice.setAutoCommit(true);

      second.setAutoCommit(false);
      run(second, "lock table kept in access exclusive mode");
      run(alice, "set lock_timeout = 100");
      statement.execute("analyze kept");
      assertThat((Throwable) statement.getWarnings())
          .hasMessageContaining(
              "the server at " + cluster.servers.get(1).address + " did not do it");
      second.rollback();
      run(alice, "insert into kept values (2)");
    }
  }

  private static boolean isAnalyzed(Postgres server) throws SQLException {
    try (Connection direct = server.direct("app");
        ResultSet row =
            direct
                .createStatement()
                .executeQuery("select pg_stat_get_last_analyze_time('kept'::regclass)")) {
      return row.next() && row.getTimestamp(1) != null;
    }
  }

  @Test
  void whatIsMadeIsAtAllServersAndIsWrittenTo() throws Exception {
    try (Connection alice = cluster.alice();
        Connection other = cluster.alice()) {
      run(
          alice,
          "create type mood as enum ('sad', 'happy')",
          "create table made (id serial primary key, name text, m mood default 'sad',"
              + " at timestamptz default now())",
          "create index on made (lower(name))",
          "create view seen as select name from made where id > 1",
          "create sequence alone start 5",
          "insert into made (name) values ('a'), ('b')",
          "alter table made add column n int not null default 7, add check (n < 100)",
          "alter type mood add value 'fine' before 'happy'",
          "comment on table made is 'as of now'",
          "grant select on made to mgtm");
      run(
          other,
          "update made set n = n + 1, m = 'fine' where id = 1",
          "insert into made (name, n) select name || n, n from made",
          "alter table made rename column name to called",
          "update made set called = upper(called) where id = 2");
      run(alice, "insert into made (called, at) values ('c', clock_timestamp())");
      assertThat(cluster.number("select count(*) from made")).isEqualTo(5);
      run(other, "create table app.child (id int primary key references made)", "drop view seen");
      run(
          alice,
          "insert into app.child (id) values (1)",
          "truncate app.child, made restart identity");
      assertThat(cluster.number("select count(*) from made")).isZero();
      run(alice, "drop table made, app.child", "drop type mood", "drop sequence alone");
    }
  }

  @Test
  void aTransactionWritesToWhatItHasMadeAndUndoesIt() throws Exception {
    try (Connection alice = cluster.alice()) {
      alice.setAutoCommit(false);
      run(
          alice,
          "create table step (id int primary key, n int)",
          "insert into step (id, n) values (1, 1)",
          "alter table step add column chance float8");
      alice.rollback();
      run(
          alice,
          "create table step (id int primary key, n int)",
          "insert into step (id, n) values (1, 1)",
          "savepoint a",
          "alter table step add column chance float8",
          "alter table step alter column chance set default random()",
          "insert into step (id) values (2)",
          "rollback to savepoint a",
          "insert into step (id, n) values (3, 3)",
          "alter table step add column chance float8",
          "alter table step alter column chance set default random()",
          "insert into step (id) values (4)",
          "update step set n = 5 where id = 4");
      alice
          .unwrap(PGConnection.class)
          .getCopyAPI()
          .copyIn("copy step (id, n, chance) from stdin", new StringReader("5\t5\t0.5\n"));
      alice.commit();
      assertThat(cluster.number("select sum(id) from step")).isEqualTo(13);
      run(alice, "drop table step", "insert into pgbench_history (delta) values (1)");
      alice.rollback();
      assertThat(cluster.number("select sum(id) from step")).isEqualTo(13);
      run(
          alice,
          "drop table step; create table step (id int primary key);"
              + " insert into step (id) values (8)");
      alice.commit();
      assertThat(cluster.number("select sum(id) from step")).isEqualTo(8);
      run(alice, "drop table step");
      alice.commit();
    }
  }

  @Test
  void aStatementThatWaitedForAChangeIsClassifiedAnew() throws Exception {
    try (Connection alice = cluster.alice();
        Connection bob = cluster.alice()) {
      run(alice, "create table raced (id int primary key, k int not null default 0, n int)");
      run(bob, "insert into raced (id, k, n) values (1, 1, 1)");
      alice.setAutoCommit(false);
      run(
          alice,
          "alter table raced add column chance float8",
          "alter table raced alter column chance set default random()");
      // Of class K by the old schema, by which each server would draw its own number.
      CompletableFuture<Void> insert = later(bob, "insert into raced (id, k, n) values (2, 2, 2)");
      awaitWaiting(1);
      alice.commit();
      insert.get(180, TimeUnit.SECONDS);
      assertThat(cluster.number("select count(*) from raced where chance is not null"))
          .isEqualTo(1);

      run(
          alice,
          "alter table raced drop constraint raced_pkey",
          "alter table raced add primary key (k)",
          "insert into raced (id, k, n) values (1, 9, 9)");
      // Of class R by the old key, by which two rows would be written at the other server.
      CompletableFuture<Void> update =
          later(bob, "update raced set n = (random() * 1000)::int where k = 1");
      awaitWaiting(1);
      alice.commit();
      update.get(180, TimeUnit.SECONDS);
      assertThat(cluster.number("select n from raced where k = 9")).isEqualTo(9);

      run(alice, "alter table raced add column late int");
      bob.setAutoCommit(false);
      run(bob, "insert into pgbench_history (delta) values (2)");
      CompletableFuture<Void> third = later(bob, "insert into raced (id, k, n) values (3, 3, 3)");
      awaitWaiting(1);
      alice.commit();
      assertThatThrownBy(() -> third.get(180, TimeUnit.SECONDS))
          .hasRootCauseInstanceOf(SQLException.class)
          .hasMessageContaining("the schema was changed while the statement ran");
      bob.rollback();
      run(bob, "insert into raced (id, k, n) values (3, 3, 3)");
      bob.commit();
      assertThat(cluster.number("select count(*) from raced")).isEqualTo(4);
      run(alice, "drop table raced");
      alice.commit();
    }
  }

  /** The rows that it is to return for the other servers have a column less. */
  @Test
  void aStatementMayWaitForAColumnToBeDropped() throws Exception {
    String update = "update narrowed set n = n + (random() < 2)::int where n > 0";
    try (Connection alice = cluster.alice();
        Connection bob = cluster.alice()) {
      run(alice, "create table narrowed (id int primary key, n int, one int, other int)");
      run(alice, "insert into narrowed values (1, 1, 1, 1)");
      run(bob, update);
      alice.setAutoCommit(false);
      run(alice, "alter table narrowed drop column one");
      CompletableFuture<Void> alone = later(bob, update);
      awaitWaiting(1);
      alice.commit();
      alone.get(180, TimeUnit.SECONDS);
      assertThat(cluster.number("select n from narrowed")).isEqualTo(3);

      run(alice, "alter table narrowed drop column other");
      bob.setAutoCommit(false);
      run(bob, "insert into pgbench_history (delta) values (2)");
      CompletableFuture<Void> within = later(bob, update);
      awaitWaiting(1);
      alice.commit();
      assertThatThrownBy(() -> within.get(180, TimeUnit.SECONDS))
          .hasMessageContaining("the schema was changed while the statement ran");
      bob.rollback();
      run(alice, "drop table narrowed");
      alice.commit();
    }
    cluster.assertAlike();
  }

  @Test
  void preparedStatementsOutliveAChange() throws Exception {
    try (Connection alice = cluster.alice();
        Connection bob = cluster.alice()) {
      alice.unwrap(PGConnection.class).setPrepareThreshold(1);
      run(bob, "create table kept (id int primary key, n int, k int)");
      try (PreparedStatement insert =
              alice.prepareStatement("insert into kept (id, n) values (?, ?)");
          PreparedStatement update =
              alice.prepareStatement("update kept set n = n + abs(?) where id > 0 returning id");
          PreparedStatement local = alice.prepareStatement("update kept set n = ? where id = ?")) {
        for (int i = 1; i <= 8; i++) {
          insert.setInt(1, i);
          insert.setInt(2, i);
          insert.executeUpdate();
          update.setInt(1, i);
          assertThat(update.execute()).isTrue();
          local.setInt(1, i);
          local.setInt(2, 1);
          local.executeUpdate();
          run(
              bob,
              switch (i) {
                case 1 -> "alter table kept add column at timestamptz";
                case 2 -> "alter table kept alter column at set default clock_timestamp()";
                case 3 -> "alter table kept alter column n type bigint";
                case 4 -> "alter table kept drop column k";
                case 5 -> "alter table kept drop constraint kept_pkey, add primary key (id, n)";
                case 6 -> "alter table kept drop constraint kept_pkey, add primary key (id)";
                default -> "comment on table kept is 'x'";
              });
          if (i == 5) {
            // Both change the key now, and the third names half of it.
            insert.setInt(1, 100);
            insert.executeUpdate();
            assertThatThrownBy(update::execute).hasMessageContaining("change a primary key");
            assertThatThrownBy(local::executeUpdate).hasMessageContaining("change a primary key");
            run(bob, "alter table kept drop constraint kept_pkey, add primary key (id)");
          }
        }
      }
      assertThat(cluster.number("select count(*) from kept")).isEqualTo(9);
      run(bob, "drop table kept");
    }
  }

  @Test
  void namesInSeveralSchemasAndTemporaryOnesAreNotWritten() throws Exception {
    try (Connection alice = cluster.alice();
        Connection bob = cluster.alice()) {
      run(
          alice,
          "set search_path = app, public",
          "create table public.shadowed (id int primary key, n int)");
      run(alice, "insert into shadowed (id, n) values (1, 1)");
      run(bob, "create table app.shadowed (id int, n int primary key)");
      assertThatThrownBy(() -> run(alice, "update shadowed set n = 2 where id = 1"))
          .hasMessageContaining("no table that one name alone tells of");
      run(bob, "drop table app.shadowed");
      run(alice, "update shadowed set n = 3 where id = 1", "drop table shadowed");

      run(alice, "set search_path = pg_temp, public");
      assertThatThrownBy(() -> run(alice, "create table hidden (id int primary key)"))
          .hasMessageContaining("a temporary table was made");
      run(alice, "set search_path = public", "create table hidden (id int primary key)");
      run(alice, "drop table hidden");
      alice.setAutoCommit(false);
      alice.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      assertThatThrownBy(() -> run(alice, "create table late (id int primary key)"))
          .hasMessageContaining("repeatable read");
      alice.rollback();
    }
  }

  @Test
  void changesOfSeveralSessionsComeOneAfterTheOther() throws Exception {
    try (Connection alice = cluster.alice();
        Connection bob = cluster.alice();
        Connection carol = cluster.alice()) {
      alice.setAutoCommit(false);
      run(alice, "create table first (id int primary key)");
      CompletableFuture<Void> second =
          later(bob, "create table second (id int primary key); insert into second values (1)");
      CompletableFuture<Void> third = later(carol, "alter table pgbench_tellers rename to tellers");
      run(alice, "insert into first (id) values (1)", "drop table first");
      alice.commit();
      second.get(180, TimeUnit.SECONDS);
      third.get(180, TimeUnit.SECONDS);
      alice.setAutoCommit(true);
      run(alice, "drop table second", "alter table tellers rename to pgbench_tellers");
      assertThatThrownBy(() -> run(alice, "create table bad (id int primary key, id int)"))
          .hasMessageContaining("specified more than once");
      assertThatThrownBy(() -> run(alice, "create table pgbench_tellers (id int)"))
          .hasMessageContaining("already exists");
      run(bob, "create table if not exists pgbench_tellers (id int)");
    }
  }

  @Test
  void pgbenchInitializes() throws Exception {
    cluster.program("pgbench", "-i", "-q").succeeded();
    Tools.Result run = cluster.program("pgbench", "-c", "2", "-t", "20", "-M", "prepared");
    assertThat(run.succeeded().output()).contains("actually processed: 40/40");
    assertThat(cluster.number("select count(*) from pgbench_accounts")).isEqualTo(100_000);
    cluster.assertAlike();
    cluster.program("pgbench", "-i", "-I", "dtp", "-q").succeeded();
  }

  /** As psql does for {@code \d}: what is learnt by one query is asked of by the next. */
  @Test
  void numbersOfTablesAreThoseOfOneServer() throws Exception {
    cluster.servers.get(1).sql("app", "create table unseen (id int); drop table unseen");
    try (Connection alice = cluster.alice()) {
      run(alice, "create table numbered (id int primary key)");
    }
    String number = "select oid::bigint from pg_class where relname = 'numbered'";
    long leaders = cluster.servers.get(0).number(number);
    assertThat(cluster.servers.get(1).number(number)).isNotEqualTo(leaders);
    for (int session = 0; session < 4; session++) {
      try (Connection alice = cluster.alice();
          ResultSet rows = alice.createStatement().executeQuery(number)) {
        rows.next();
        assertThat(rows.getLong(1)).isEqualTo(leaders);
      }
    }
    try (Connection alice = cluster.alice()) {
      run(alice, "drop table numbered");
    }
  }

  @Test
  void whatFailsAtCommitIsToldAsTheServerTellsIt() throws Exception {
    try (Connection alice = cluster.alice()) {
      run(
          alice,
          "create table late (id int primary key, of int constraint late_of"
              + " references late deferrable initially deferred)");
      assertThatThrownBy(() -> run(alice, "insert into late values (1, 2)"))
          .isInstanceOfSatisfying(
              PSQLException.class,
              e -> {
                assertThat(e.getServerErrorMessage().getConstraint()).isEqualTo("late_of");
                assertThat(e.getServerErrorMessage().getTable()).isEqualTo("late");
                assertThat(e.getServerErrorMessage().getDetail()).contains("(of)=(2)");
              });
      run(alice, "drop table late");
    }
  }
}
