package io.mgtm.query.member;

import static io.mgtm.query.member.Sql.fails;
import static io.mgtm.query.member.Sql.run;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.PGConnection;

/** Tables that queries make, before two real servers: both have the leader's rows. */
class CreateAsIT {
  private static final String MADE =
      "create schema app; create type mood as enum ('sad', 'happy');"
          + " create type pair as (m mood, n numeric(5, 2)); create domain plain as text;"
          + " create domain positive as int check (value is not null);"
          + " create table item (id int primary key, m mood, d positive, r regclass, p plain);"
          + " insert into item select i, 'sad', i, 'item', 'it''s \\ \"x\"' from generate_series(1, 9) i;"
          + " create view seen as select id from item;"
          + " create function adds(a int, b int) returns int language sql as 'select a + b'";

  @TempDir private static Path folder;
  @AutoClose private static Cluster cluster;

  @BeforeAll
  static void start() throws Exception {
    Tools.needPostgres();
    cluster = new Cluster(folder, 2, "dtp", MADE);
    cluster.letRowsBeCaptured();
    cluster.startReplicator();
  }

  @AfterEach
  void serversHaveTheSameSchemaAndRows() throws Exception {
    cluster.assertAlike();
    cluster.assertSchemasAlike();
  }

  private static long count(String table) throws SQLException {
    return cluster.number("select count(*) from " + table);
  }

  private static String psql(String... commands) throws Exception {
    String[] arguments = new String[1 + 2 * commands.length];
    arguments[0] = "-X";
    for (int i = 0; i < commands.length; i++) {
      arguments[1 + 2 * i] = "-c";
      arguments[2 + 2 * i] = commands[i];
    }
    return cluster.program("psql", arguments).output();
  }

  @Test
  void rowsAndTypesAreTheLeaders() throws Exception {
    try (Connection alice = cluster.alice();
        Connection bob = cluster.alice()) {
      run(
          alice,
          "create table app.\"Made of\" (\"a\"\"b\", c, d, e, f, g, h, i, j, k, l, m, n) with (fillfactor = 70)"
              + " as select random(), clock_timestamp(), gen_random_uuid(), 'y '::bpchar, 'z'::char(3),"
              + " 'v'::varchar(5), '1 day'::interval day to minute, array[m], row(m, 1.5)::pair,"
              + " 'C' collate \"C\", 'a'::\"char\", p, null from item limit 5",
          "create table drawn as select id, random() as n from item order by random() limit 3",
          "create table listed as table item with no data",
          "create table valued as values (1, 'now'::text), (2, null)");
      assertThat(count("app.\"Made of\" where i = '{sad}' and l = 'a' and n is null")).isEqualTo(5);
      assertThat(count("drawn")).isEqualTo(3);
      assertThat(count("listed")).isZero();
      run(bob, "insert into drawn select id, random() from item", "insert into valued values (3)");
      assertThat(count("drawn")).isEqualTo(12);
      fails(bob, "update valued set column1 = 4", "0A000", "without a primary key");
      run(
          bob,
          "alter table valued add primary key (column1)",
          "update valued set column2 = random()::text where column1 > 1",
          "drop table valued",
          "create table valued as select 'a text' as column1, 2 as column2");
      cluster.assertAlike();
      run(bob, "drop table app.\"Made of\", drawn, listed, valued");
    }
  }

  @Test
  void clientsAreToldWhatPostgresTells() throws Exception {
    assertThat(psql("create table told as select 1 as n", "select n into told_2 from told"))
        .contains("SELECT 1\nSELECT 1\n");
    assertThat(psql("create table if not exists told as select 1 / 0"))
        .contains("already exists, skipping")
        .contains("CREATE TABLE AS");
    assertThat(psql("create table if not exists told_3 as select 2 as n", "table told_3"))
        .contains("SELECT 1")
        .contains("(1 row)");
    assertThat(psql("create table if not exists told_3 as select 2 as x with no data"))
        .contains("already exists, skipping")
        .contains("CREATE TABLE AS");
    assertThat(psql("create table told_4 as table told with no data")).contains("CREATE TABLE AS");
    assertThat(psql("create table told as select 1")).contains("already exists");
    assertThat(psql("create table told_5 as select 1 / 0")).contains("division by zero");
    // Several statements in one Query, of which the next ones write to it.
    assertThat(
            psql(
                "create table told_5 as select 5 as n; insert into told_5 select random() * 9;"
                    + " select n into told_6 from told_5; drop table told_4; select count(*) from told_6"))
        .contains("SELECT 1\nINSERT 0 1\nSELECT 2\nDROP TABLE\n");
    assertThat(psql("create table told_7 as select 7 as n; select 1 / 0")).contains("by zero");
    psql("set client_encoding = 'LATIN1'", "create table \"grün\" as select 'grün' as \"schön\"");
    assertThat(cluster.number("select count(*) from pg_tables where tablename = 'told_7'"))
        .isZero();
    assertThat(cluster.number("select count(*) from pg_tables where tablename like 'gr%n'"))
        .isOne();
    cluster.assertAlike();
    psql("set client_encoding = 'LATIN1'", "drop table \"grün\"");
    psql("drop table told, told_2, told_3, told_5, told_6");
  }

  @Test
  void preparedOnesTakeParameters() throws Exception {
    try (Connection alice = cluster.alice()) {
      alice.unwrap(PGConnection.class).setPrepareThreshold(1);
      try (PreparedStatement makes =
              alice.prepareStatement("create table given as select ?::int as n, ?::text as s");
          PreparedStatement drops = alice.prepareStatement("drop table given")) {
        for (int i = 0; i < 4; i++) {
          makes.setInt(1, i);
          makes.setString(2, "'" + i);
          makes.execute();
          assertThat(count("given where n = " + i + " and s = '''" + i + "'")).isOne();
          drops.execute();
        }
      }
    }
  }

  @Test
  void transactionsUndoThem() throws Exception {
    try (Connection alice = cluster.alice()) {
      alice.setAutoCommit(false);
      run(alice, "create table step as select 1 as n", "insert into step select 2");
      alice.rollback();
      // Of another type, by the same statements.
      run(
          alice,
          "create table step as select 'x'::text as n",
          "savepoint a",
          "create table step_2 as select random() as n from item",
          "insert into step select n::text from step_2",
          "rollback to savepoint a",
          "select now() as n into step_2",
          "savepoint b");
      fails(
          alice,
          "create table step_3 as select 1 / (n - 1) from generate_series(1, 3) n",
          "22012",
          "zero");
      run(alice, "rollback to savepoint b", "create table step_3 as select random() as n");
      alice.commit();
      assertThat(count("step_2, step, step_3")).isOne();
      alice.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      fails(alice, "create table step_4 as select 1", "0A000", "repeatable read");
      alice.rollback();
      alice.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
      run(alice, "drop table step, step_2, step_3");
      alice.commit();
    }
  }

  @Test
  void whatIsNotProvenIsRefused() throws Exception {
    try (Connection alice = cluster.alice()) {
      String hint = "WITH NO DATA, then INSERT … SELECT";
      fails(alice, "create table bad as select adds(id, 1) from item", "0A000", hint);
      fails(alice, "create table bad as select id from seen", "0A000", hint);
      fails(alice, "select id into bad from seen", "0A000", hint);
      fails(alice, "create table bad as select id from item for update", "0A000", hint);
      fails(
          alice,
          "create table bad as with d as (delete from item returning id) select id from d",
          "0A000",
          hint);
      fails(alice, "create table bad as execute p", "0A000", "what execute runs");
      fails(alice, "explain analyze create table bad as select 1", "0A000", "Nothing was written");
      fails(alice, "create table bad as select r from item", "0A000", "the type regclass");
      fails(alice, "create table bad as select relacl from pg_class", "0A000", "type aclitem");
      fails(alice, "create table bad as select item from item", "0A000", "of the type");
      fails(
          alice,
          "create table bad as select b.d from item a left join item b on b.id = a.id + 1",
          "0A000",
          "the type positive");
      fails(alice, "create table bad as select", "0A000", "no columns");
      fails(alice, "select id into unlogged bad from item", "0A000", "makes rows from a query");
      // As the hint says.
      run(
          alice,
          "create table good as select adds(id, 1) as n from seen with no data",
          "insert into good select adds(id, 1) from seen");
      assertThat(count("good")).isEqualTo(9);
      assertThat(cluster.number("select count(*) from pg_tables where tablename = 'bad'")).isZero();
      run(alice, "drop table good", "alter default privileges revoke insert on tables from alice");
      fails(alice, "create table bad as select 1", "0A000", "may not insert");
      run(alice, "alter default privileges grant insert on tables to alice");
    }
  }

  @Test
  void moreRowsThanAreHeldAreRefused() throws Exception {
    try (Connection alice = cluster.alice()) {
      fails(alice, "create table many as select generate_series(1, 1100000)", "54000", "more rows");
      fails(
          alice,
          "create table many as select repeat('x', 400000) from generate_series(1, 200)",
          "54000",
          "more rows");
      alice.setAutoCommit(false);
      run(alice, "create table many as select generate_series(1, 20000) as n", "savepoint a");
      fails(
          alice,
          "select repeat('x', 400000) as s into more from generate_series(1, 200)",
          "54000",
          "more rows");
      run(alice, "rollback to savepoint a");
      alice.commit();
      assertThat(count("many")).isEqualTo(20_000);
      run(alice, "drop table many");
      alice.commit();
    }
  }

  @Test
  void temporaryTablesAreReadAndDoNotChangeWhatIsMade() throws Exception {
    try (Connection alice = cluster.alice()) {
      run(
          alice,
          "create temp table staged as select id, random() as n from item",
          "create table kept as select * from staged where id < 4",
          // In the schema public, as no temporary one is asked for.
          "select id into staged from staged",
          "create table app.staged as select n from staged");
      assertThat(count("kept")).isEqualTo(3);
      assertThat(count("public.staged")).isEqualTo(9);
      assertThat(count("app.staged")).isEqualTo(9);
      fails(alice, "create table bad as select s from staged s", "0A000", "of a temporary table");
      run(alice, "set search_path = pg_temp, public");
      fails(alice, "create table bad as select 1", "0A000", "a temporary table was made");
      run(
          alice,
          "set search_path = app, public",
          "create table found as select 1 as n",
          "create table item as select id, m from item");
      assertThat(count("app.found")).isOne();
      assertThat(count("app.item")).isEqualTo(9);
      run(alice, "drop table kept, public.staged, app.staged, app.found, app.item");
    }
  }

  @Test
  void aServerThatWasAwayIsGivenThem() throws Exception {
    try (Connection alice = cluster.alice()) {
      run(alice, "create table remade (n int primary key)");
      cluster.servers.get(1).kill();
      cluster.awaitIn(1);
      run(
          alice,
          "insert into remade select 1",
          "drop table remade",
          "create table remade (n text primary key)",
          "insert into remade select 'x'",
          "create table away as select id as n, random() as x from item",
          "insert into away select 10, random()",
          "drop table away",
          "set search_path = app, public",
          "create table away (n, x) with (fillfactor = 50) as select 'text', row(m, 1)::pair from item",
          "set timezone = 'Asia/Tokyo'",
          "select clock_timestamp() as at into listed from away");
      cluster.servers.get(1).startAgain();
      cluster.awaitIn(2);
      assertThat(count("app.away where n = 'text'")).isEqualTo(9);
      cluster.assertAlike();
      run(alice, "drop table away, listed, remade");
    }
  }

  @Test
  void theLeaderDiesWhileTheyAreMade() throws Exception {
    Postgres leader = cluster.servers.get(0);
    try (Connection alice = cluster.alice();
        Connection inside = cluster.alice();
        Connection holds = cluster.alice()) {
      inside.setAutoCommit(false);
      holds.setAutoCommit(false);
      run(holds, "lock table item in access exclusive mode");
      CompletableFuture<Void> waits = Sql.later(inside, "create table late as select id from item");
      DdlIT.awaitWaiting(cluster, 1);
      inside.unwrap(PGConnection.class).cancelQuery();
      assertThatThrownBy(() -> waits.get(180, TimeUnit.SECONDS))
          .isInstanceOf(ExecutionException.class)
          .hasMessageContaining("cancel");
      inside.rollback();
      run(inside, "create table within as select 1 as n");
      inside.rollback();
      CompletableFuture<Void> made =
          Sql.later(alice, "create table late as select id, random() as n from item");
      DdlIT.awaitWaiting(cluster, 1);
      leader.kill();
      // It is run by the next leader.
      made.get(180, TimeUnit.SECONDS);
      assertThat(cluster.servers.get(1).number("select count(*) from late")).isEqualTo(9);
      leader.startAgain();
      cluster.awaitIn(2);
      run(alice, "table item");
      run(inside, "create table within as select 1 as n");
      cluster.servers.get(1).kill();
      cluster.awaitIn(1);
      fails(inside, "insert into within select 2", "40001", "");
      inside.rollback();
      cluster.servers.get(1).startAgain();
      cluster.awaitIn(2);
      assertThat(count("late")).isEqualTo(9);
      assertThat(cluster.number("select count(*) from pg_tables where tablename = 'within'"))
          .isZero();
      run(alice, "drop table late");
    }
  }
}
