package io.mgtm.query.member;

import static io.mgtm.query.member.Sql.later;
import static io.mgtm.query.member.Sql.run;
import static io.mgtm.query.member.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.testing.Await;
import java.io.StringReader;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyManager;

/**
 * Functions, triggers, domains, partitions, roles and tables of one name that are made through the
 * replicator, before two real servers: they are at both, and what they do has the same rows at
 * both.
 */
class DefinitionsIT {
  @TempDir private static Path folder;
  @AutoClose private static Cluster cluster;

  @BeforeAll
  static void start() throws Exception {
    Tools.needPostgres();
    cluster = new Cluster(folder, 2, "dtp", "create domain chance as float8 default random()");
    cluster.letRowsBeCaptured();
    cluster.startReplicator();
  }

  @AfterEach
  void serversHaveTheSameSchemaAndRows() throws Exception {
    cluster.assertAlike();
    cluster.assertSchemasAlike();
  }

  @Test
  void functionsAndTriggersAreMadeAndUsed() throws Exception {
    try (Connection alice = cluster.alice();
        Connection bob = cluster.alice()) {
      run(
          alice,
          "create table item (id int primary key, n float8, at timestamptz)",
          "create table note (id serial primary key, item int, n float8)");
      // Of class K before the trigger.
      run(bob, "insert into item (id) values (1)");
      run(
          alice,
          "create function stamps() returns trigger language plpgsql as"
              + " $$begin new.at := 'now'; new.n := random(); return new; end$$",
          "create or replace function notes() returns trigger as"
              + " 'begin insert into note (item, n) values (new.id, random()); return null; end'"
              + " language 'plpgsql' security definer set search_path = public",
          "create trigger a_stamps before insert or update on item"
              + " for each row execute function stamps()",
          "create trigger b_notes after insert on item for each row when (new.id > 1)"
              + " execute function notes()");
      run(bob, "insert into item (id) values (2)", "update item set id = 3 where id = 1");
      assertThat(cluster.number("select count(*) from note")).isOne();
      assertThat(cluster.number("select count(*) from item where n is null")).isZero();

      run(
          alice,
          "create function draws(low int, wide int) returns int language sql as"
              + " $$insert into note (n) values (random()); select low + (random() * wide)::int$$",
          "create procedure fills(upto int) language plpgsql as"
              + " $$begin insert into item select generate_series(10, upto); end$$",
          "alter function draws(int, int) cost 5",
          "grant execute on function draws to mgtm");
      run(bob, "select draws(1, 9)", "call fills(12)");
      assertThat(cluster.number("select count(*) from note")).isEqualTo(5);
      assertThat(cluster.number("select count(*) from item")).isEqualTo(5);

      run(alice, "alter table item disable trigger b_notes");
      run(bob, "insert into item (id) values (20)");
      run(alice, "alter table item enable trigger b_notes");
      run(bob, "insert into item (id) values (21)");
      cluster.assertAlike();
      run(alice, "drop trigger b_notes on item", "drop function notes");
      run(bob, "insert into item (id) values (22)");
      assertThat(cluster.number("select count(*) from note")).isEqualTo(6);
      cluster.assertAlike();
      run(alice, "drop table item, note", "drop function stamps, draws", "drop procedure fills");
    }
  }

  @Test
  void functionsOfOneArgumentAreCalledAndLookLikeColumns() throws Exception {
    try (Connection alice = cluster.alice();
        Connection bob = cluster.alice()) {
      run(alice, "create table named (id int primary key, first text, last text)");
      run(alice, "create table called (id serial primary key, who text)");
      run(bob, "insert into named values (1, 'Ada', 'Lovelace')");
      run(
          alice,
          "begin",
          "create function initial(text) returns text language sql as 'select left($1, 1)'",
          "create function whole(n named) returns text language sql as"
              + " $$select n.first || ' ' || n.last$$",
          "create function calls(n named, times int default 1) returns int language sql as"
              + " $$insert into called (who) select n.last from generate_series(1, times) returning 1$$",
          "commit");
      assertThat(text(bob, "select initial(first) || n.whole from named n"))
          .isEqualTo("AAda Lovelace");
      run(bob, "select n.calls from named n", "update named n set first = n.whole");
      assertThat(cluster.number("select count(*) from called")).isOne();
      assertThat(cluster.number("select length(first) from named")).isEqualTo(12);
      run(alice, "drop function whole, initial, calls", "drop table named, called");
    }
  }

  /** It was taken for a read, and would write at its server alone. */
  @Test
  void aReadThatRunsDoesNotCallWhatIsMadeMeanwhile() throws Exception {
    List<Connection> locks = new ArrayList<>();
    try (Connection alice = cluster.alice();
        Connection bob = cluster.alice()) {
      run(
          alice,
          "create table waited (id int primary key)",
          "create table wrote (id serial primary key)");
      run(bob, "insert into waited values (1)");
      for (Postgres one : cluster.servers) {
        Connection direct = one.direct("app");
        locks.add(direct);
        direct.setAutoCommit(false);
        direct.createStatement().execute("lock table waited");
      }
      CompletableFuture<Void> read = later(bob, "select w.writes from waited w");
      Await.until("the read to wait", () -> isAny("wait_event_type = 'Lock'", "%w.writes%"));
      CompletableFuture<Void> made =
          later(
              alice,
              "create function writes(waited) returns int language sql as"
                  + " 'insert into wrote default values returning 1'");
      Await.until(
          "it to wait for the read",
          () -> isAny("state = 'idle in transaction'", "%lock_timeout%"));
      for (Connection direct : locks) {
        direct.rollback();
      }
      assertThatThrownBy(() -> read.get(60, TimeUnit.SECONDS))
          .hasMessageContaining("column w.writes does not exist");
      made.get(60, TimeUnit.SECONDS);
      assertThat(cluster.number("select count(*) from wrote")).isZero();
      run(bob, "select w.writes from waited w");
      assertThat(cluster.number("select count(*) from wrote")).isOne();
      run(alice, "drop function writes", "drop table waited, wrote");
    } finally {
      for (Connection direct : locks) {
        direct.close();
      }
    }
  }

  /** Whether at some server a backend does so. */
  private static boolean isAny(String what, String query) throws SQLException {
    long found = 0;
    for (Postgres one : cluster.servers) {
      found +=
          one.number(
              "select count(*) from pg_stat_activity where %s and query ilike '%s' and pid <> pg_backend_pid()"
                  .formatted(what, query));
    }
    return found > 0;
  }

  @Test
  void aWriteThatWaitedForATriggerIsClassifiedAnew() throws Exception {
    try (Connection alice = cluster.alice();
        Connection bob = cluster.alice()) {
      run(alice, "create table raced (id int primary key, n float8)");
      run(bob, "insert into raced (id) values (1)");
      alice.setAutoCommit(false);
      run(
          alice,
          "create function chances() returns trigger language plpgsql as"
              + " $$begin new.n := random(); return new; end$$",
          "create trigger chances before insert on raced"
              + " for each row execute function chances()");
      // By the text each server would draw its own number.
      CompletableFuture<Void> insert = Sql.later(bob, "insert into raced (id) values (2)");
      DdlIT.awaitWaiting(cluster, 1);
      alice.commit();
      insert.get(180, TimeUnit.SECONDS);
      assertThat(cluster.number("select count(*) from raced where n is not null")).isOne();

      run(alice, "drop trigger chances on raced");
      alice.commit();
      run(
          alice,
          "create trigger chances before insert on raced"
              + " for each row execute function chances()");
      CopyManager data = bob.unwrap(PGConnection.class).getCopyAPI();
      CompletableFuture<Void> copy =
          CompletableFuture.runAsync(
              () ->
                  assertThatThrownBy(
                          () -> data.copyIn("copy raced (id) from stdin", new StringReader("3\n")))
                      .isInstanceOf(SQLException.class));
      DdlIT.awaitWaiting(cluster, 1);
      alice.commit();
      copy.get(180, TimeUnit.SECONDS);
      run(bob, "insert into raced (id) values (3)");
      cluster.assertAlike();
      run(alice, "drop table raced", "drop function chances");
      alice.commit();
    }
  }

  @Test
  void partitionsAreMadeAttachedAndWrittenTo() throws Exception {
    try (Connection alice = cluster.alice();
        Connection bob = cluster.alice()) {
      run(
          alice,
          "create table log (id int, at date, n float8, primary key (id, at)) partition by range (at)",
          "create table log_1 partition of log for values from ('2026-01-01') to ('2026-02-01')",
          "create table log_2 partition of log for values from ('2026-02-01') to (maxvalue)"
              + " partition by hash (id)",
          "create table log_2a partition of log_2 for values with (modulus 2, remainder 0)",
          "create table log_2b partition of log_2 for values with (modulus 2, remainder 1)",
          "create table log_rest (id int, at date, n float8, primary key (id, at))");
      run(
          bob,
          "insert into log_rest (id, at) values (1, '2020-01-01')",
          "insert into log select i, '2026-01-30'::date + i, random() from generate_series(1, 9) i");
      run(alice, "alter table log attach partition log_rest default", "create index on log (n)");
      run(
          bob,
          "insert into log_rest (id, at) values (2, '2020-01-01')",
          "insert into log_1 (id, at, n) values (3, '2026-01-05', random())",
          "update log set at = at - 7, n = random() where id < 8",
          "delete from log where id = 9");
      assertThat(cluster.number("select count(*) from log")).isEqualTo(11);
      run(alice, "alter table log detach partition log_rest");
      run(bob, "insert into log_rest (id, at) values (5, '2026-03-01')");
      assertThat(cluster.number("select count(*) from log_rest")).isEqualTo(4);
      cluster.assertAlike();
      run(alice, "drop table log, log_rest");
    }
  }

  @Test
  void aDomainsDefaultIsDrawnOnce() throws Exception {
    try (Connection alice = cluster.alice()) {
      run(
          alice,
          "create domain moment as timestamptz default clock_timestamp() check (value > '2020-01-01')",
          "create table drawn (id int primary key, c chance, at moment)",
          "insert into drawn (id) values (1)",
          "insert into drawn (id, c) values (2, default), (3, 0.5)",
          "update drawn set at = default where id = 3");
      assertThat(cluster.number("select count(*) from drawn where c is null or at is null"))
          .isZero();
      assertThatThrownBy(() -> run(alice, "insert into drawn (id, at) values (4, '2019-01-01')"))
          .hasMessageContaining("moment_check");
      cluster.assertAlike();
      run(alice, "drop table drawn", "drop domain moment");
    }
  }

  @Test
  void aServerThatWasAwayIsGivenThem() throws Exception {
    try (Connection alice = cluster.alice()) {
      run(alice, "create table seen (id int primary key, n float8)");
      cluster.servers.get(1).kill();
      cluster.awaitIn(1);
      run(
          alice,
          "set check_function_bodies = off",
          // Its table is made later, as pg_dump does it.
          "create function counts() returns bigint language sql as"
              + " $$select count(*) from later$$",
          "reset check_function_bodies",
          "create table later (id int primary key) partition by list (id)",
          "create table later_1 partition of later for values in (1, 2)",
          "create function sees() returns trigger language plpgsql as"
              + " $$begin new.n := random(); insert into later values (new.id); return new; end$$",
          "create trigger sees before insert on seen for each row execute function sees()",
          "insert into seen (id) values (1)");
      cluster.servers.get(1).startAgain();
      cluster.awaitIn(2);
      run(alice, "insert into seen (id) values (2)");
      assertThat(cluster.number("select counts()")).isEqualTo(2);
      cluster.assertAlike();
      run(alice, "drop table seen, later", "drop function sees, counts");
    }
  }

  /** As where each tenant has a schema: with it, a name tells which is meant. */
  @Test
  void tablesOfOneNameAreToldApartByTheirSchemas() throws Exception {
    try (Connection alice = cluster.alice()) {
      run(
          alice,
          "create schema app",
          "create table tenant (id int primary key, n float8)",
          "create table app.tenant (id int primary key, n int, at timestamptz default now())",
          "insert into public.tenant (id, n) values (1, 1)",
          "insert into app.tenant (id, n) select i, i from generate_series(1, 9) i",
          "update public.tenant set n = random()",
          "update app.tenant set n = n + 1 where id = 3",
          "set search_path = app, public",
          "truncate public.tenant");
      alice
          .unwrap(PGConnection.class)
          .getCopyAPI()
          .copyIn("copy public.tenant (id, n) from stdin", new StringReader("5\t5\n"));
      cluster.assertAlike();
      assertThat(cluster.number("select sum(id) from tenant")).isEqualTo(5);
      assertThat(cluster.number("select sum(n) from app.tenant")).isEqualTo(46);
      run(alice, "drop table public.tenant, app.tenant", "drop schema app");
    }
  }

  /** All servers have the same of its password, so that it enters them all. */
  @Test
  void aRoleThatIsMadeLogsIn() throws Exception {
    cluster.sql("postgres", "ALTER ROLE alice CREATEROLE");
    try (Connection alice = cluster.alice()) {
      assertThatThrownBy(() -> run(alice, "create role carol login password 'secret'"))
          .hasMessageContaining("salt")
          .hasMessageContaining("as \\password of psql does");
      run(alice, "create role carol login in role alice");
      alice.unwrap(PGConnection.class).alterUserPassword("carol", "secret".toCharArray(), null);
      try (Connection carol =
          DriverManager.getConnection(
              "jdbc:postgresql://" + cluster.address() + "/app", "carol", "secret")) {
        run(carol, "insert into pgbench_history (delta) values (3)");
      }
      run(alice, "drop role carol");
      assertThat(cluster.number("select count(*) from pg_roles where rolname = 'carol'")).isZero();
    }
  }

  /** Where functions would be made in the session's temporary schema. */
  @Test
  void nothingIsMadeOfOneSessionAlone() throws Exception {
    try (Connection alice = cluster.alice()) {
      run(alice, "set search_path = pg_temp, public", "create temp table mine (id int)");
      assertThatThrownBy(
              () ->
                  run(alice, "create function mine_too() returns int language sql as $$select 1$$"))
          .hasMessageContaining("temporary");
    }
  }
}
