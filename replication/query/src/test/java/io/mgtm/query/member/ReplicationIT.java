package io.mgtm.query.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.testing.Await;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two real servers behind the replicator: what is written to one is written to both. */
class ReplicationIT {
  private static final String TABLES =
      "create table item (id serial primary key, name text, at timestamptz default now(),"
          + " chance float8 default random(), doubled int generated always as (3) stored);"
          + "create table pair (a int, b text, n int, primary key (a, b));"
          + "create table counted (id int primary key, n int not null default 0 check (n < 1000));"
          + "create function writes() returns int language sql as"
          + " $$insert into pair values (9, 'f', 9) returning 1$$;"
          + "create table noted (id int primary key);"
          + "create function note() returns trigger language plpgsql as"
          + " $$begin insert into pair values (8, 't', 8); return new; end$$;"
          + "create trigger noting before insert on noted for each row execute function note()";

  @TempDir private static Path folder;
  @AutoClose private static Cluster cluster;

  @BeforeAll
  static void start() throws Exception {
    Tools.needPostgres();
    cluster = new Cluster(folder, 2, TABLES);
    cluster.startReplicator();
  }

  @ParameterizedTest
  @ValueSource(strings = {"simple", "extended", "prepared"})
  void pgbenchLeavesEqualTables(String mode) throws Exception {
    Tools.Result run = cluster.program("pgbench", "-n", "-c", "4", "-t", "50", "-M", mode);
    assertThat(run.succeeded().output())
        .contains("number of transactions actually processed: 200/200");
    for (Postgres one : cluster.servers) {
      assertThat(one.number("select count(*) from pgbench_history")).isGreaterThanOrEqualTo(200);
    }
    cluster.assertAlike();
  }

  @Test
  void rowsThatTheLeaderMakesUpAreTheOthersToo() throws Exception {
    try (Connection alice = cluster.alice();
        Statement statement = alice.createStatement()) {
      assertThat(
              statement.executeUpdate(
                  "insert into item (name) select 'x' || n from generate_series(1, 20) n"))
          .isEqualTo(20);
      try (PreparedStatement insert =
          alice.prepareStatement(
              "insert into item (name) values (?)", Statement.RETURN_GENERATED_KEYS)) {
        for (int i = 0; i < 10; i++) {
          insert.setString(1, "kept " + i);
          assertThat(insert.executeUpdate()).isEqualTo(1);
          ResultSet keys = insert.getGeneratedKeys();
          assertThat(keys.next()).isTrue();
          assertThat(keys.getString("name")).isEqualTo("kept " + i);
          assertThat(keys.getMetaData().getColumnCount()).isEqualTo(5);
        }
      }
      assertThat(
              statement.executeUpdate(
                  "update item i set chance = random(), at = clock_timestamp() where i.id > 5"))
          .isEqualTo(25);
      assertThat(
              statement.executeUpdate(
                  "delete from item using pgbench_branches b where item.id = b.bid + 2"))
          .isEqualTo(1);
      statement.executeUpdate("insert into pair values (1, 'o''ne', 1), (2, 'zwei ä', null)");
      assertThat(
              statement.executeUpdate(
                  "insert into pair values (1, 'o''ne', 5), (3, 'c', 3) on conflict (a, b) do update set n = excluded.n + 1"))
          .isEqualTo(2);
      assertThat(
              statement.executeUpdate("insert into pair values (3, 'c', 9) on conflict do nothing"))
          .isZero();
      try (ResultSet rows =
          statement.executeQuery("update pair set n = 7 where a = 2 returning n, b")) {
        assertThat(rows.getMetaData().getColumnCount()).isEqualTo(2);
        assertThat(rows.next()).isTrue();
        assertThat(rows.getInt(1)).isEqualTo(7);
        assertThat(rows.getString(2)).isEqualTo("zwei ä");
      }
    }
    assertThat(cluster.servers.get(1).number("select n from pair where a = 1")).isEqualTo(6);
    cluster.assertAlike();
  }

  @Test
  void transactionsSavepointsAndErrorsEndAlikeEverywhere() throws Exception {
    try (Connection alice = cluster.alice();
        Statement statement = alice.createStatement()) {
      alice.setAutoCommit(false);
      statement.executeUpdate("insert into counted (id) values (1), (2)");
      statement.execute("savepoint a");
      statement.executeUpdate("update counted set n = n + 1 where id = 1");
      assertThatThrownBy(() -> statement.executeUpdate("insert into counted (id) values (1)"))
          .hasMessageContaining("duplicate key");
      statement.execute("rollback to savepoint a");
      statement.executeUpdate("update counted set n = n + 5 where id = 2");
      statement.execute("savepoint b");
      statement.executeUpdate("delete from counted where id = 2");
      statement.execute("rollback to b");
      alice.commit();
      statement.executeUpdate("update counted set n = 77 where id = 1");
      assertThatThrownBy(() -> statement.executeUpdate("update counted set n = 7000 where id = 1"))
          .hasMessageContaining("violates check constraint");
      alice.rollback();
      alice.setAutoCommit(true);
      assertThatThrownBy(() -> statement.executeUpdate("insert into counted (id) values (3), (1)"))
          .hasMessageContaining("duplicate key");
      statement.execute(
          "begin; insert into counted (id) values (4); select count(*) from counted; commit");
      statement.execute(
          "insert into counted (id) values (5); update counted set n = 3 where id = 5");
    }
    for (Postgres one : cluster.servers) {
      assertThat(one.number("select n from counted where id = 1")).isZero();
      assertThat(one.number("select n from counted where id = 2")).isEqualTo(5);
      assertThat(one.number("select count(*) from counted where id in (3, 4, 5)")).isEqualTo(2);
    }
    cluster.assertAlike();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "select writes()",
        "insert into noted values (1)",
        "do $$begin insert into pair values (5, 'd', 5); end$$",
        "with w as (insert into pair values (6, 'w', 6) returning 1) select * from w",
        "create table other as select writes()",
        "copy noted from stdin",
        "update pgbench_history set delta = 0",
        "delete from pair where ctid = '(0,1)'",
        "update counted set id = 9 where id = 1",
        "select set_config('search_path', version(), false)",
        "set session_replication_role = replica",
        "select U&'x'",
      })
  void whatWouldMakeServersDifferIsRefusedAndChangesNothing(String sql) throws Exception {
    try (Connection alice = cluster.alice();
        Statement statement = alice.createStatement()) {
      for (boolean autocommit : new boolean[] {true, false}) {
        alice.setAutoCommit(autocommit);
        assertThatThrownBy(() -> statement.execute(sql))
            .isInstanceOfSatisfying(
                SQLException.class, e -> assertThat(e.getSQLState()).isIn("0A000", "25006"))
            .hasMessageContaining("Hint");
        if (!autocommit) {
          assertThatThrownBy(() -> statement.execute("select 1"))
              .hasMessageContaining("current transaction is aborted");
          alice.rollback();
        }
        assertThat(statement.execute("select 1")).isTrue();
      }
    }
    Tools.Result psql = cluster.program("psql", "-XAtc", sql);
    assertThat(psql.output()).contains("ERROR").contains("HINT");
  }

  @AfterAll
  static void whatWasRefusedIsAtNoServer() throws Exception {
    cluster.assertAlike();
  }

  @Test
  void settingsHoldAtAllServers() throws Exception {
    try (Connection alice = cluster.alice();
        Statement statement = alice.createStatement()) {
      statement.execute("set application_name = 'told'");
      for (Postgres one : cluster.servers) {
        assertThat(
                one.number("select count(*) from pg_stat_activity where application_name = 'told'"))
            .isEqualTo(1);
      }
      alice.setAutoCommit(false);
      statement.execute("set application_name = 'undone'");
      alice.rollback();
      alice.setAutoCommit(true);
      try (ResultSet rows = statement.executeQuery("show application_name")) {
        rows.next();
        assertThat(rows.getString(1)).isEqualTo("told");
      }
      statement.execute("set statement_timeout = '200ms'");
      assertThatThrownBy(() -> statement.execute("select pg_sleep(60)"))
          .hasMessageContaining("statement timeout");
      statement.execute("discard all");
      for (Postgres one : cluster.servers) {
        assertThat(
                one.number("select count(*) from pg_stat_activity where application_name = 'told'"))
            .isZero();
      }
    }
    cluster.assertAlike();
  }

  @Test
  void aReadSeesWhatItsSessionWroteWhereverItRuns() throws Exception {
    try (Connection one = cluster.alice();
        Connection two = cluster.alice();
        Statement writer = one.createStatement();
        Statement reader = two.createStatement()) {
      writer.executeUpdate("insert into counted (id) values (100)");
      for (int i = 1; i <= 200; i++) {
        writer.executeUpdate("update counted set n = n + 1 where id = 100");
        for (Statement statement : List.of(writer, reader)) {
          try (ResultSet rows = statement.executeQuery("select n from counted where id = 100")) {
            rows.next();
            assertThat(rows.getInt(1)).isEqualTo(i);
          }
        }
      }
    }
    assertThat(cluster.replicator.readsOf(0)).isPositive();
    assertThat(cluster.replicator.readsOf(1)).isPositive();
    cluster.assertAlike();
  }

  @Test
  void contendingWritersLeaveEqualRows() throws Exception {
    try (Connection alice = cluster.alice()) {
      alice.createStatement().executeUpdate("insert into counted (id) values (200), (201), (202)");
    }
    List<CompletableFuture<Void>> all = new ArrayList<>();
    for (int c = 0; c < 4; c++) {
      int client = c;
      all.add(CompletableFuture.runAsync(() -> contend(client)));
    }
    CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).get(180, TimeUnit.SECONDS);
    for (Postgres one : cluster.servers) {
      assertThat(one.number("select sum(n) from counted where id between 200 and 202"))
          .isEqualTo(4 * 50);
    }
    cluster.assertAlike();
  }

  private static void contend(int client) {
    try (Connection alice = cluster.alice();
        Statement statement = alice.createStatement()) {
      for (int i = 0; i < 50; i++) {
        String row = " where id = " + (200 + (i + client) % 3);
        if (i % 2 == 0) {
          statement.executeUpdate("update counted set n = n + 1" + row);
        } else {
          // Of class R: what was read under the lock is written as a row.
          alice.setAutoCommit(false);
          statement.executeQuery("select n from counted" + row + " for update").close();
          statement.executeUpdate("update counted c set n = c.n + abs(-1)" + row);
          alice.commit();
          alice.setAutoCommit(true);
        }
      }
    } catch (SQLException e) {
      throw new CompletionException(e);
    }
  }

  /** The leader has let go of its locks before another server has undone it, or even done it. */
  @Test
  void whatFailsElsewhereOfATransactionThatIsUndoneIsNoMatter() throws Exception {
    Postgres other = cluster.servers.get(1);
    String waiting = " from pg_stat_activity where wait_event_type = 'Lock' and usename = 'alice'";
    try (Connection alice = cluster.alice();
        Statement statement = alice.createStatement();
        Connection holder = other.direct("app")) {
      holder.setAutoCommit(false);
      holder.createStatement().execute("lock table pair");
      alice.setAutoCommit(false);
      statement.executeUpdate("insert into pair values (7, 'undone', 7)");
      Await.until("the insert to wait", () -> other.number("select count(*)" + waiting) > 0);
      alice.rollback();
      other.sql(
          "app",
          "select pg_cancel_backend(pid) from pg_locks join pg_stat_activity using (pid)"
              + " where not granted and usename = 'alice'");
      Await.until("the insert to fail", () -> other.number("select count(*)" + waiting) == 0);
      holder.rollback();
      statement.executeUpdate("insert into pair values (7, 'done', 7)");
      alice.commit();
    }
    cluster.assertAlike();
    assertThat(cluster.number("select count(*) from pair where a = 7")).isEqualTo(1);
  }
}
