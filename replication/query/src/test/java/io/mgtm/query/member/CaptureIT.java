package io.mgtm.query.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.testing.Await;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;

/** Statements of class C before two real servers: what they write is at both, whatever wrote it. */
class CaptureIT {
  @TempDir private static Path folder;
  @AutoClose private static Cluster cluster;

  @BeforeAll
  static void start() throws Exception {
    Tools.needPostgres();
    cluster = new Cluster(folder, 2, "dtp", CaptureTables.TABLES);
    cluster.letRowsBeCaptured();
    cluster.startReplicator();
    // As one whose owner had not let the replicator's role be a member.
    try (Connection alice = cluster.alice()) {
      alice.createStatement().execute("select 1");
    }
    cluster.sql("app", "drop trigger mgtm_capture on untold");
  }

  /** Each by itself, and once more in a transaction of several. */
  @Test
  void whatIsWrittenIsAtAllServers() throws Exception {
    try (Connection alice = cluster.alice();
        Statement statement = alice.createStatement()) {
      for (String sql : CaptureTables.WRITES) {
        try {
          statement.execute(sql);
        } catch (SQLException e) {
          throw new AssertionError(sql + ": " + e.getMessage(), e);
        }
      }
      cluster.assertAlike();
      assertThat(cluster.number("select count(*) from mgtm.captured")).isZero();
      assertThat(cluster.number("select count(*) from item where n = -7")).isZero();
      assertThat(cluster.number("select sum(n) from bare where n in (13, 14)")).isEqualTo(14);
      assertThat(cluster.number("select n from item where id = 60")).isEqualTo(3);
      assertThat(cluster.number("select count(*) from kid where id = 990")).isEqualTo(1);
      assertThat(cluster.number("select count(*) from item where id = 70")).isEqualTo(1);
      assertThat(cluster.number("select u from uniq where id = 101")).isEqualTo(102);

      alice.setAutoCommit(false);
      statement.execute("delete from \"Odd Schema\".\"Odd \"\"Table\"");
      for (String sql : CaptureTables.WRITES) {
        if (!sql.matches("(?s)insert into.*|.*(add|put|replica)\\(.*")) {
          statement.execute("savepoint a");
          statement.execute(sql);
          statement.execute(sql.contains("swap") ? "rollback to a" : "release a");
        }
      }
      statement.execute("insert into plain (n) values (1.5)");
      statement.execute("update plain set n = 2.5 where n = 1.5");
      alice.commit();
    }
    cluster.assertAlike();
    assertThat(cluster.number("select count(*) from mgtm.captured")).isZero();
  }

  /** As the simulation has it, with PostgreSQL's own order of triggers. */
  @Test
  void whateverTriggersWriteWithinOneAnotherIsAtAllServers() throws Exception {
    try (Connection alice = cluster.alice();
        Statement statement = alice.createStatement()) {
      for (int i = 0; i < 12; i++) {
        statement.execute(
            "insert into wild select g, g, 0 from generate_series(0, 9) g on conflict do nothing");
        statement.execute("update wild set n = n + 1 where id % 3 = " + i % 3);
        statement.execute("delete from wild where id = " + i % 10);
      }
    }
    cluster.assertAlike();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "select resets()",
        "select restarts()",
        "select temps()",
        "select changes()",
        "select inserts('untold')",
        "select inserts('secured')",
        "select inserts('moment')",
        "select inserts('swaps')",
        "do $$begin execute 'create table made (n int)'; end$$",
        "do $$begin execute 'truncate bare'; end$$",
        "do $$begin execute 'alter table bare disable trigger all'; insert into bare values (1); end$$",
        "do $$begin perform mgtm.mgtm_commits(1, 2, 3, 4); end$$",
        "do $$begin perform set_config('work_mem', '1MB', false); insert into bare values (1); end$$",
        "with d as (delete from bare returning *) insert into bare select * from d",
      })
  void whatCannotBeToldIsUndone(String sql) throws Exception {
    try (Connection alice = cluster.alice();
        Statement statement = alice.createStatement()) {
      statement.execute("insert into bare values (77)");
      long rows = cluster.number("select count(*) from bare");
      for (boolean autocommit : new boolean[] {true, false}) {
        alice.setAutoCommit(autocommit);
        assertThatThrownBy(() -> statement.execute(sql))
            .as(sql)
            .isInstanceOfSatisfying(
                SQLException.class,
                e -> assertThat(e.getSQLState()).as(e.getMessage()).isIn("0A000", "P0001"));
        if (!autocommit) {
          assertThatThrownBy(() -> statement.execute("select 1"))
              .hasMessageContaining("current transaction is aborted");
          alice.rollback();
        }
      }
      assertThat(cluster.number("select count(*) from bare")).isEqualTo(rows);
    }
    cluster.assertAlike();
  }

  @Test
  void resultsAndTagsAreTheLeadersOwn() throws Exception {
    try (Connection alice = cluster.alice();
        Statement statement = alice.createStatement()) {
      statement.execute("insert into item select g, g from generate_series(200, 209) g");
      assertThat(
              statement.executeUpdate(
                  "merge into item using generate_series(205, 212) g on id = g"
                      + " when matched then update set n = 0 when not matched then insert values (g)"))
          .isEqualTo(8);
      try (CallableStatement call = alice.prepareCall("call put(?, ?)")) {
        call.setInt(1, 220);
        call.setInt(2, 0);
        call.registerOutParameter(2, Types.INTEGER);
        call.execute();
        assertThat(call.getInt(2)).isEqualTo(221);
      }
      for (boolean autocommit : new boolean[] {true, false}) {
        alice.setAutoCommit(autocommit);
        // From the fifth on by a name.
        try (PreparedStatement add = alice.prepareStatement("select add(?), 'x' as x")) {
          for (int i = 0; i < 8; i++) {
            add.setInt(1, (autocommit ? 230 : 240) + i);
            try (ResultSet rows = add.executeQuery()) {
              assertThat(rows.next()).isTrue();
              assertThat(rows.getInt(1)).isEqualTo(10 * ((autocommit ? 230 : 240) + i));
              assertThat(rows.getMetaData().getColumnName(2)).isEqualTo("x");
              assertThat(rows.next()).isFalse();
            }
          }
        }
      }
      alice.commit();
      alice.setAutoCommit(true);
      // It writes when the client has rows already.
      assertThatThrownBy(
              () ->
                  statement.execute(
                      "select later(g), repeat('x', 1000) from generate_series(1, 901) g"))
          .hasMessageContaining("read-only transaction");
      statement.execute("begin read only");
      assertThatThrownBy(() -> statement.execute("select add(250)"))
          .isInstanceOfSatisfying(
              SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("25006"));
      statement.execute("rollback");
      assertThatThrownBy(() -> statement.execute("call commits()"))
          .hasMessageContaining("Leave COMMIT and ROLLBACK to the client");
    }
    assertThat(cluster.number("select count(*) from item where id between 230 and 249"))
        .isEqualTo(16);
    cluster.assertAlike();
  }

  @Test
  void statementsInOneGoAreAnsweredInTheirOrder() throws Exception {
    try (RawClient client = RawClient.trusted(cluster.replicator.address())) {
      byte[] id = "300".getBytes(StandardCharsets.US_ASCII);
      client.send(RawClient.message('P', "f", "select add($1)", (short) 0));
      client.send(RawClient.message('B', "", "f", (short) 0, (short) 1, 3, id, (short) 0));
      client.send(RawClient.message('D', "P" + ""));
      client.send(RawClient.message('E', "", 1));
      client.send(RawClient.message('H'));
      assertThat(client.readTo('C')).isEqualTo("12TDC");
      client.send(RawClient.message('P', "", "update item set n = 5 where id = 300", (short) 0));
      client.send(RawClient.message('B', "", "", (short) 0, (short) 0, (short) 0));
      client.send(RawClient.message('E', "", 0));
      client.send(RawClient.message('P', "", "call put(301)", (short) 0));
      client.send(RawClient.message('B', "", "", (short) 0, (short) 0, (short) 0));
      client.send(RawClient.message('E', "", 0));
      client.send(RawClient.message('S'));
      assertThat(client.readTo('Z')).isEqualTo("12C12DCZ");
      client.send(
          RawClient.message(
              'Q', "select add(302); select count(*) from item where id = 302; do 'begin end'"));
      assertThat(client.readTo('Z')).isEqualTo("TDCTDCCZ");
    }
    assertThat(cluster.number("select n from item where id = 300")).isEqualTo(5);
    assertThat(cluster.number("select count(*) from item where id between 300 and 302"))
        .isEqualTo(3);
    cluster.assertAlike();
  }

  /** Elsewhere a row is locked no more than at the leader, or the others would wait in a circle. */
  @Test
  void whoRefersToARowDoesNotWaitForWhoHasUpdatedIt() throws Exception {
    try (Connection alice = cluster.alice();
        Connection bob = cluster.alice();
        Statement updates = alice.createStatement();
        Statement refers = bob.createStatement()) {
      updates.execute("insert into parent values (400, -400)");
      alice.setAutoCommit(false);
      updates.execute(
          "with p as (update parent set n = n - 1 where id = 400 returning *) select 1 from p");
      CompletableFuture<Integer> other =
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return refers.executeUpdate("insert into ref (id, p) values (1, 400)");
                } catch (SQLException e) {
                  throw new IllegalStateException(e);
                }
              });
      assertThat(other.get(60, TimeUnit.SECONDS)).isEqualTo(1);
      alice.commit();
    }
    cluster.assertAlike();
  }

  @Test
  void contendingProceduresLeaveEqualRows() throws Exception {
    CompletableFuture<?>[] all = new CompletableFuture<?>[3];
    for (int c = 0; c < all.length; c++) {
      int client = c;
      all[c] =
          CompletableFuture.runAsync(
              () -> {
                try (Connection alice = cluster.alice();
                    Statement statement = alice.createStatement()) {
                  for (int i = 0; i < 20; i++) {
                    statement.execute("call put(%d)".formatted(500 + client * 100 + i));
                  }
                } catch (SQLException e) {
                  throw new IllegalStateException(e);
                }
              });
    }
    CompletableFuture.allOf(all).get(180, TimeUnit.SECONDS);
    assertThat(cluster.number("select count(*) from item where id between 500 and 799"))
        .isEqualTo(60);
    cluster.assertAlike();
  }

  @Test
  void moreRowsThanAreHeldAreUndone() throws Exception {
    try (Connection alice = cluster.alice();
        Statement statement = alice.createStatement()) {
      assertThatThrownBy(
              () ->
                  statement.execute(
                      "do $$begin insert into bare select 9, repeat('x', 1000000) from"
                          + " generate_series(1, 70); end$$"))
          .isInstanceOfSatisfying(
              SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("54000"));
      statement.execute(
          "do $$begin insert into plain (n) select 0 from generate_series(1, 20000); end$$");
    }
    assertThat(cluster.number("select count(*) from bare where n = 9")).isZero();
    cluster.assertAlike();
  }

  /** Rows that a trigger writes with its owner's rights are written elsewhere with the client's. */
  @Test
  void aRoleThatMayNotWriteThemIsToldSo() throws Exception {
    try (Connection alice = cluster.alice();
        Statement statement = alice.createStatement()) {
      statement.execute("create table made_here (id int primary key, n int)");
      statement.execute("do 'begin insert into made_here values (1, 1); end'");
      for (Postgres one : cluster.servers) {
        one.sql("app", "revoke insert on made_here from alice");
        one.sql(
            "app",
            "create or replace function hides() returns void language sql security definer as"
                + " 'insert into made_here values (2, 2)'");
      }
      assertThatThrownBy(() -> statement.execute("select hides()"))
          .hasMessageContaining("the role alice lacks INSERT of public.made_here");
    }
    assertThat(cluster.number("select count(*) from made_here")).isEqualTo(1);
    cluster.assertAlike();
  }

  /** A query runs while its rows are fetched, wherever its cursor was opened. */
  @Test
  void whatIsWrittenWhileRowsAreFetchedIsAtAllServers() throws Exception {
    try (Connection alice = cluster.alice();
        Statement statement = alice.createStatement()) {
      alice.setAutoCommit(false);
      statement.execute("declare mine cursor for select generate_series(1, 9)");
      for (String sql :
          new String[] {
            "select add(g) from generate_series(260, 264) g",
            "update item set n = 7 where id in (260, 261) returning id"
          }) {
        statement.execute("select opens('" + sql + "')");
        statement.execute("fetch 2 from cur");
        statement.execute("move all from cur");
        statement.execute("close cur");
        statement.execute("fetch mine");
      }
      alice.commit();
    }
    try (RawClient client = RawClient.trusted(cluster.replicator.address())) {
      client.send(RawClient.message('Q', "begin"));
      client.readTo('Z');
      client.send(RawClient.message('P', "", "select add(265)", (short) 0));
      client.send(RawClient.message('B', "p", "", (short) 0, (short) 0, (short) 0));
      client.send(RawClient.message('S'));
      assertThat(client.readTo('Z')).isEqualTo("12Z");
      client.send(
          RawClient.message('Q', "fetch all from p; select opens('select add(266)'); commit"));
      assertThat(client.readTo('Z')).isEqualTo("TDCTDCCZ");
      client.send(RawClient.message('Q', "begin; select opens('select add(266)')"));
      assertThat(client.readTo('Z')).isEqualTo("CTDCZ");
      client.send(RawClient.message('E', "cur", 0));
      client.send(RawClient.message('S'));
      assertThat(client.readTo('Z')).isEqualTo("EZ");
    }
    assertThat(cluster.number("select sum(n) from item where id between 260 and 266"))
        .isEqualTo(14);
    assertThat(cluster.number("select count(*) from item where id between 260 and 266"))
        .isEqualTo(6);
    cluster.assertAlike();
  }

  /** To undo a read would undo more than rows. */
  @Test
  void whatAFunctionLocksAndTellsIsNotUndone() throws Exception {
    try (Connection alice = cluster.alice();
        Connection bob = cluster.alice();
        Statement statement = alice.createStatement();
        Statement other = bob.createStatement()) {
      other.execute("listen \"7\"");
      alice.setAutoCommit(false);
      for (String sql : new String[] {"select * from locked", "select tells('7')"}) {
        statement.execute(sql);
        for (int i = 7; i <= 8; i++) {
          try (ResultSet rows = other.executeQuery("select pg_try_advisory_xact_lock(" + i + ")")) {
            rows.next();
            assertThat(rows.getBoolean(1))
                .as(sql + " " + i)
                .isEqualTo(sql.contains("7") == (i == 8));
          }
        }
        alice.commit();
      }
      Await.until(
          "to be told", () -> bob.unwrap(PGConnection.class).getNotifications(100).length > 0);
      alice.setAutoCommit(true);
      statement.execute("begin read only");
      assertThatThrownBy(() -> statement.execute("select tells('7')"))
          .isInstanceOfSatisfying(
              SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("0A000"));
    }
  }

  /** Who is not the replicator captures nothing that he may not read. */
  @Test
  void whatIsCapturedIsToldToNobodyElse() throws Exception {
    Postgres one = cluster.servers.get(0);
    one.sql("app", "create table hidden (id int primary key, what text)");
    one.sql(
        "app",
        "create trigger mgtm_capture after insert on hidden for each row"
            + " when (current_setting('backtrace_functions') = 'mgtm_capture')"
            + " execute function mgtm.mgtm_capture()");
    one.sql(
        "app",
        "create function hides_in() returns void language sql security definer as"
            + " $$insert into hidden values (1, 'secret')$$");
    try (Connection direct = Cluster.alice(one.address);
        Statement statement = direct.createStatement()) {
      direct.setAutoCommit(false);
      String token;
      try (ResultSet rows = statement.executeQuery("select mgtm.mgtm_begin_capture()")) {
        rows.next();
        token = rows.getString(1);
      }
      statement.execute("select hides_in()");
      String told = "select mgtm.mgtm_captured('" + token + "', '%s')::text";
      statement.execute("savepoint a");
      assertThatThrownBy(() -> statement.execute(told.formatted("postgres")))
          .hasMessageContaining("the role postgres is another's");
      statement.execute("rollback to a");
      try (ResultSet rows = statement.executeQuery(told.formatted("alice"))) {
        rows.next();
        assertThat(rows.getString(1)).contains("the role alice lacks INSERT");
        while (rows.next()) {
          assertThat(rows.getString(1)).doesNotContain("secret");
        }
      }
    } finally {
      one.sql("app", "drop table hidden; drop function hides_in()");
    }
  }

  /** A table that comes by CREATE TABLE has the trigger from its beginning, at all servers. */
  @Test
  void tablesThatAreMadeAreCaptured() throws Exception {
    try (Connection alice = cluster.alice();
        Statement statement = alice.createStatement()) {
      statement.execute("begin; create table fresh (id serial primary key, n int); commit");
      statement.execute("do 'begin insert into fresh (n) values (1), (2); end'");
      assertThat(statement.executeUpdate("insert into fresh (id, n) values (7, 1)")).isEqualTo(1);
      statement.execute("truncate fresh");
      statement.execute("drop table fresh");
      statement.execute("create table fresh (id int primary key)");
      assertThat(
              cluster.number("select count(*) from pg_trigger where tgrelid = 'fresh'::regclass"))
          .isEqualTo(1);
    }
    cluster.assertAlike();
  }
}
