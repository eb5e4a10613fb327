package io.mgtm.query.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.StringReader;
import java.io.StringWriter;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyManager;

/**
 * Temporary tables before two real servers: they are at the leader, and nothing of them elsewhere.
 */
class TemporaryTablesIT {
  private static final String TABLES =
      """
      create table item (id int primary key, n int, s text);
      create table log (id int primary key, n int);
      create view items as select id, n from item;
      create type mood as enum ('sad', 'glad');
      create function fills(int) returns int language plpgsql as
        $$begin insert into t values ($1, $1); return $1; end$$;
      create function logs(int) returns int language sql as
        'insert into log values ($1, $1) returning id';
      create function makes() returns void language plpgsql as
        $$begin create temp table made (id int); end$$;
      create function drops() returns void language plpgsql as $$begin drop table t; end$$;
      """;

  @TempDir private static Path folder;
  @AutoClose private static Cluster cluster;

  private Connection alice;
  private Statement statement;

  @BeforeAll
  static void start() throws Exception {
    Tools.needPostgres();
    cluster = new Cluster(folder, 2, "dtp", TABLES);
    cluster.letRowsBeCaptured();
    cluster.startReplicator();
  }

  @BeforeEach
  void connect() throws Exception {
    alice = cluster.alice();
    statement = alice.createStatement();
    run("delete from item", "delete from log");
  }

  @AfterEach
  void compare() throws Exception {
    alice.close();
    cluster.assertAlike();
  }

  private void run(String... all) throws SQLException {
    for (String sql : all) {
      statement.execute(sql);
    }
  }

  private long number(String sql) throws SQLException {
    try (ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getLong(1);
    }
  }

  private void refused(String sql, String sqlState) {
    assertThatThrownBy(() -> statement.execute(sql))
        .as(sql)
        .isInstanceOfSatisfying(
            SQLException.class,
            e -> assertThat(e.getSQLState()).as(e.getMessage()).isEqualTo(sqlState));
  }

  /** As each server has it. */
  private static long items() throws SQLException {
    return cluster.number("select count(*) from item");
  }

  @Test
  void rowsOfTemporaryTablesAreGivenToPermanentOnes() throws Exception {
    run(
        "create temp table t (id int, n int)",
        "insert into t values (1, 10), (2, 20), (3, 30)",
        "update t set n = n + 1 where id > 1",
        "delete from t where id = 3",
        "insert into item (id, n) select id, n from t");
    assertThat(cluster.number("select sum(n) from item")).isEqualTo(31);
    run("update item set n = item.n + t.n from t where t.id = item.id");
    assertThat(cluster.number("select sum(n) from item")).isEqualTo(62);
    assertThat(number("select count(*) from t join item using (id)")).isEqualTo(2);
    run("delete from item using t where t.id = item.id and t.n > 10");
    assertThat(items()).isEqualTo(1);
    run(
        "merge into t using item on t.id = item.id when matched then update set n = 0"
            + " when not matched then insert (id, n) values (9, 9)",
        "merge into item using t on item.id = t.id when not matched then insert values (t.id, 5)");
    assertThat(number("select count(*) from t where n = 0")).isEqualTo(1);
    assertThat(items()).isEqualTo(2);
    run("with gone as (delete from t returning id) insert into log select id, 7 from gone");
    assertThat(cluster.number("select count(*) from log where n = 7")).isEqualTo(2);
    assertThat(number("select count(*) from t")).isZero();
    for (Postgres one : cluster.servers.subList(1, 2)) {
      assertThat(one.number("select count(*) from pg_class where relpersistence = 't'")).isZero();
    }
  }

  @Test
  void aTemporaryTableStandsBeforeAPermanentOneOfItsName() throws Exception {
    run("insert into item values (1, 1), (2, 2)");
    run(
        "create temp table item (id int primary key, n int)",
        "insert into item values (1, 5)",
        "insert into item (id, n) values (7, 5), (8, 5)",
        "update item set n = 6 where id = 1",
        "delete from item where id = 7",
        "insert into item select 70, random()");
    assertThat(number("select sum(n) from item where id < 10")).isEqualTo(11);
    assertThat(number("select n from public.item where id = 1")).isEqualTo(1);
    assertThat(cluster.number("select sum(n) from item")).isEqualTo(3);
    run(
        "insert into public.item values (3, 3)",
        "update public.item set n = 4 where id = 3",
        "insert into public.item (id, n) select id + 100, n from pg_temp.item where id = 8");
    assertThat(cluster.number("select sum(n) from item")).isEqualTo(12);
    run("truncate item");
    assertThat(items()).isEqualTo(4);
    run("drop table item", "update item set n = 0 where id = 1");
    assertThat(cluster.number("select n from item where id = 1")).isZero();
  }

  @Test
  void aNameMeansWhatItDidWhenItsCreationIsUndone() throws Exception {
    run(
        "begin",
        "create temp table item (id int primary key, n int)",
        "insert into item values (5)");
    run("rollback", "insert into item values (5)");
    assertThat(items()).isEqualTo(1);
    run(
        "begin",
        "insert into item values (6)",
        "savepoint a",
        "create temp table item (id int primary key, n int)",
        "insert into item values (7)",
        "savepoint b",
        "drop table item",
        "insert into item values (8)",
        "rollback to b",
        "insert into item values (9)",
        "rollback to a",
        "insert into item values (10)");
    refused("select 1 / 0", "22012");
    run("rollback to a", "insert into item values (11)", "commit");
    assertThat(cluster.number("select sum(id) from item")).isEqualTo(22);
    run("create temp table item (id int primary key, n int)", "begin", "drop table item");
    run("insert into item values (12)", "rollback", "insert into item values (13)");
    assertThat(cluster.number("select sum(id) from item")).isEqualTo(22);
    assertThat(number("select id from item")).isEqualTo(13);
  }

  @Test
  void whatATransactionDropsIsForgottenWithIt() throws Exception {
    run(
        "begin",
        "create temp table item (id int primary key, n int) on commit drop",
        "insert into item values (1, 1)",
        "insert into log select id, n from item",
        "commit",
        "insert into item values (2, 2)");
    assertThat(cluster.number("select id from item")).isEqualTo(2);
    assertThat(cluster.number("select count(*) from log")).isEqualTo(1);
    run(
        "create temp table item (id int primary key, n int) on commit delete rows",
        "insert into item values (3, 3)",
        "begin",
        "insert into item values (4, 4)",
        "insert into log values (4, 4)");
    assertThat(number("select count(*) from item")).isEqualTo(1);
    run("commit");
    assertThat(number("select count(*) from item")).isZero();
    assertThat(cluster.number("select count(*) from log")).isEqualTo(2);
  }

  /** What a server has prepared for one table is not run when its name means another. */
  @Test
  void statementsPreparedBeforeMeanTheTemporaryTable() throws Exception {
    alice.unwrap(PGConnection.class).setPrepareThreshold(1);
    try (PreparedStatement insert = alice.prepareStatement("insert into item values (?, ?)");
        PreparedStatement update = alice.prepareStatement("update item set n = ? where id = ?");
        PreparedStatement count = alice.prepareStatement("select count(*) from item");
        PreparedStatement unproven =
            alice.prepareStatement("select count(*) from item where random() >= 0")) {
      // The first temporary table makes the server resolve all names again, a second does not.
      run("create temp table another (id int)");
      for (int i = 0; i < 3; i++) {
        insert(insert, i);
        set(update, i);
        assertThat(count(count)).isEqualTo(i + 1);
        assertThat(count(unproven)).isEqualTo(i + 1);
      }
      run("create temp table item (id int primary key, n int)");
      assertThat(count(unproven)).isZero();
      for (int i = 10; i < 13; i++) {
        insert(insert, i);
        set(update, i);
      }
      assertThat(items()).isEqualTo(3);
      assertThat(count(count)).isEqualTo(3);
      run("drop table item");
      insert(insert, 20);
      set(update, 20);
    }
    assertThat(items()).isEqualTo(4);
    assertThat(cluster.number("select sum(n) from item")).isEqualTo(-4);
  }

  private static int count(PreparedStatement count) throws SQLException {
    try (ResultSet rows = count.executeQuery()) {
      rows.next();
      return rows.getInt(1);
    }
  }

  private static void insert(PreparedStatement insert, int id) throws SQLException {
    insert.setInt(1, id);
    insert.setInt(2, 0);
    insert.executeUpdate();
  }

  private static void set(PreparedStatement update, int id) throws SQLException {
    update.setInt(1, -1);
    update.setInt(2, id);
    assertThat(update.executeUpdate()).isEqualTo(1);
  }

  /** Messages up to one Sync, of which the first changes what the rest means. */
  @Test
  void aPipelineMayMakeAndFillATable() throws Exception {
    try (RawClient client = RawClient.trusted(cluster.replicator.address())) {
      for (String sql :
          new String[] {
            "create temp table item (id int, n int)",
            "insert into item values (1, 1)",
            "insert into public.item select id, n from item",
            "drop table item",
            "insert into public.item values (2, 2)"
          }) {
        client.send(RawClient.message('P', "", sql, (short) 0));
        client.send(RawClient.message('B', "", "", (short) 0, (short) 0, (short) 0));
        client.send(RawClient.message('D', new byte[] {'P'}, ""));
        client.send(RawClient.message('E', "", 0));
      }
      client.send(RawClient.message('S'));
      assertThat(client.readTo('Z')).isEqualTo("12nC".repeat(5) + "Z");
      assertThat(items()).isEqualTo(2);
      // One that was bound to the permanent table is not executed when its name means another.
      client.send(RawClient.message('P', "old", "insert into item values (9, 9)", (short) 0));
      client.send(RawClient.message('B', "", "old", (short) 0, (short) 0, (short) 0));
      client.send(RawClient.message('P', "", "create temp table item (id int, n int)", (short) 0));
      client.send(RawClient.message('B', "made", "", (short) 0, (short) 0, (short) 0));
      client.send(RawClient.message('E', "made", 0));
      client.send(RawClient.message('E', "", 0));
      client.send(RawClient.message('S'));
      assertThat(client.readTo('Z')).isEqualTo("1212CEZ");
      assertThat(items()).isEqualTo(2);
    }
  }

  /** As a server does it: all of a text is undone when one statement fails. */
  @Test
  void aTextOfSeveralStatementsIsOneTransaction() throws Exception {
    run(
        "create temp table t (id int, n int); insert into t values (1, 1); insert into item select * from t");
    assertThat(items()).isEqualTo(1);
    refused("insert into t values (2, 2); insert into t values (3, 3); select 1 / 0", "22012");
    refused("create temp table item (id int); insert into item values (1); select 1 / 0", "22012");
    assertThat(number("select count(*) from t")).isEqualTo(1);
    run("insert into item values (2, 2)");
    assertThat(items()).isEqualTo(2);
  }

  @Test
  void whatIsDoneToTemporaryTablesIsDoneAtTheLeader() throws Exception {
    run(
        "create temporary table t (like item including all)",
        "create local temp table if not exists pg_temp.kind (id serial primary key, m mood default 'sad')",
        "create table pg_temp.u (id int references kind deferrable initially deferred)",
        "create temp table made as select id, n from item",
        "create temp table empty as select id, logs(n) as n from items with no data",
        "insert into empty select id, n from items",
        "select 1 as id into temp chosen",
        "create temp sequence counts",
        "create temp view seen as select id from t",
        "create index on t (n)",
        "alter table t add column at timestamptz default now()",
        "alter table made rename to renamed",
        "insert into kind default values",
        "select nextval('counts')",
        "comment on table t is 'one'",
        "comment on column t.n is 'two'",
        "analyze t",
        "vacuum t, renamed",
        "insert into t (id, n) values (1, 2) on conflict (id) do update set n = 3");
    assertThat(number("select count(*) from seen")).isEqualTo(1);
    run("begin", "insert into u values (9)", "insert into item values (1)");
    refused("commit", "23503");
    assertThat(items()).isZero();
    run("truncate t, renamed", "drop table t, renamed cascade", "discard temp");
    refused("select * from kind", "42P01");
    run("create temp table item (id int)", "discard all", "insert into item values (1)");
    assertThat(items()).isEqualTo(1);
  }

  @Test
  void dataAreCopiedIntoAndOutOfThem() throws Exception {
    CopyManager copy = alice.unwrap(PGConnection.class).getCopyAPI();
    run("create temp table item (id int, at timestamptz default clock_timestamp())");
    assertThat(copy.copyIn("copy item (id) from stdin", new StringReader("1\n2\n"))).isEqualTo(2);
    assertThat(items()).isZero();
    StringWriter out = new StringWriter();
    copy.copyOut("copy item (id) to stdout", out);
    copy.copyOut("copy (select id from item where id > 1) to stdout", out);
    assertThat(out.toString()).isEqualTo("1\n2\n2\n");
    run("insert into public.item (id) select id from item");
    run("drop table item");
    assertThat(copy.copyIn("copy item (id) from stdin", new StringReader("3\n"))).isEqualTo(1);
    assertThat(cluster.number("select sum(id) from item")).isEqualTo(6);
  }

  /** PostgreSQL lets a read-only transaction write to temporary tables. */
  @Test
  void whatFunctionsWriteToThemIsKept() throws Exception {
    run("create temp table t (id int, n int)");
    assertThat(number("select fills(1)")).isEqualTo(1);
    run("begin", "insert into item values (1)");
    assertThat(number("select fills(2)")).isEqualTo(2);
    run("commit", "do $$begin perform fills(3); end$$");
    assertThat(number("select sum(id) from t")).isEqualTo(6);
    run("insert into t select logs(id), 0 from t");
    assertThat(cluster.number("select count(*) from log")).isEqualTo(3);
    assertThat(number("select count(*) from t")).isEqualTo(6);
    run("create temp view v as select logs(7) as id");
    run("select id from v", "insert into item select id + 1 from (select 1 as id) v");
    assertThat(cluster.number("select count(*) from log")).isEqualTo(4);
    run("begin read only", "insert into t values (8, 8)");
    refused("select fills(9)", "0A000");
    run("rollback");
    refused("select makes()", "0A000");
    refused("select drops()", "0A000");
    assertThat(number("select count(*) from t")).isEqualTo(6);
  }

  @Test
  void whereTheSearchPathSaysSoThePermanentTableComesFirst() throws Exception {
    run(
        "create temp table item (id int primary key, n int)",
        "set search_path = public, pg_temp",
        "insert into item values (1, 1)",
        "insert into pg_temp.item values (2, 2)");
    assertThat(cluster.number("select id from item")).isEqualTo(1);
    run("begin", "set local search_path = public", "insert into item values (3)", "rollback");
    run("insert into item values (4)");
    assertThat(cluster.number("select sum(id) from item")).isEqualTo(5);
    run("reset search_path", "insert into item values (5)");
    assertThat(cluster.number("select sum(id) from item")).isEqualTo(5);
  }

  @Test
  void aTransactionMayBeRepeatableReadAndTheOnlyOneOfItsTables() throws Exception {
    run(
        "create temp table t (id int, n int)",
        "begin",
        "set local search_path = public",
        "set transaction isolation level repeatable read",
        "insert into t values (1, 1)",
        "create temp table item (id int primary key, n int)",
        "insert into item values (2, 2)",
        "insert into public.item (id, n) select id, n from item union all select id, n from t");
    refused("insert into t values (1, 1 / 0)", "22012");
    run("rollback");
    assertThat(number("select count(*) from t")).isZero();
    run("insert into item values (3, 3)");
    assertThat(items()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "create table lasting (like t)",
        "create view lasting as select * from t",
        "drop table t, log",
        "truncate log, t",
        "analyze t, log",
        "grant select on t to public",
        "alter table log add column x _t",
        "set search_path = pg_temp, public; create type kind as enum ('a', 'b')",
        "create temp table child () inherits (log)",
        "alter table t inherit log",
        "create temp table filled as select logs(1)",
        "select logs(1) into temp filled",
        "create temp table refers (id int references keyed on delete cascade) on commit delete rows",
        "set constraints something deferred",
        "create temp table typed of pair",
        "alter table t add column m int default logs(2)",
        "create index on t (logs(n))",
      })
  void whatCannotBeToldApartIsRefused(String sql) throws Exception {
    run("create temp table t (id int, n int)", "create temp table keyed (id int primary key)");
    refused(sql, "0A000");
    run("insert into t values (1, 1)");
    assertThat(cluster.number("select count(*) from log")).isZero();
  }

  @Test
  void theSchemaIsChangedWhileThereAreSome() throws Exception {
    run(
        "create temp table t (id int, n int)",
        "create temp view over_log as select id from log",
        "begin",
        "create table lasting (id int primary key)",
        "insert into lasting select 1",
        "create temp table lasting (id int)",
        "insert into lasting values (2), (3)",
        "commit");
    assertThat(cluster.number("select count(*) from lasting")).isEqualTo(1);
    run("drop table public.lasting");
    refused("drop table log cascade", "0A000");
    assertThat(number("select count(*) from lasting")).isEqualTo(2);
    run("set search_path = pg_temp, public");
    refused("create table beside (id int)", "0A000");
  }
}
