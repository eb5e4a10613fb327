package io.mgtm.query.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Statements of class C before two real servers: what they write is at both, whatever wrote it. */
class CaptureIT {
  private static final String TABLES =
      """
      create table item (id int primary key, n int, what text);
      create table audit (at timestamptz default clock_timestamp(), r float8 default random(), what text);
      create table summed (what text primary key, n bigint not null);
      insert into summed values ('items', 0);
      create function noted() returns trigger language plpgsql as $$begin
        insert into audit (what) values (tg_op || coalesce(new.id, old.id));
        update summed set n = n + 1 where what = 'items';
        return null; end$$;
      create trigger noted after insert or update or delete on item for each row execute function noted();

      create table parent (id int primary key, n int);
      create table kid (id int primary key, p int references parent on delete cascade on update cascade);
      create trigger noted after insert or update or delete on kid for each row execute function noted();
      create table ref (id int primary key, p int references parent);
      create table plain (id serial primary key, n float8);
      create table uniq (id int primary key, u int unique, n int);
      create table part (id int primary key, u int, n int);
      create unique index on part (u) where n > 0;
      create table exactly (id numeric primary key, n int);
      insert into exactly values (1, 0), (2.00, 0);
      create table bare (n int, what text);
      create table parted (id int primary key, n int) partition by range (id);
      create table low partition of parted for values from (0) to (100);
      create table high partition of parted for values from (100) to (200);
      create view shown as select id, n from item;
      create table secured (id int primary key);
      alter table secured enable row level security;
      create table untold (id int primary key);
      create table moment (id int primary key, at timestamptz check (at <= now()));
      create table swaps (id int primary key deferrable, n int);

      create table wild (id int primary key, u int unique, n int);
      create function wild() returns trigger language plpgsql as $$declare a int; b int; begin
        if pg_trigger_depth() > 3 then return null; end if;
        for i in 1..2 loop
          a := (random() * 9)::int; b := (random() * 9)::int;
          begin
            case (random() * 4)::int
              when 0 then update wild set u = b, n = n + 1 where id = a;
              when 1 then delete from wild where id = a;
              when 2 then insert into wild values (a, b, 0);
              when 3 then update wild set id = b where id = a;
              else raise division_by_zero;
            end case;
          exception when unique_violation or division_by_zero then null; end;
        end loop;
        return null; end$$;
      create trigger a after insert or update or delete on wild for each row execute function wild();
      create trigger z after update on wild for each row execute function wild();

      create type mood as enum ('sad', 'happy');
      create type pair as (a int, b text);
      create schema "Odd Schema";
      create table "Odd Schema"."Odd ""Table" (
        "Key, 1" mood, "key"" 2" numeric, always int generated always as identity,
        doubled numeric generated always as ("key"" 2" * 2) stored,
        b bytea, f float8, g float4, ts timestamptz, tz timestamp, d date, iv interval, arr text[],
        j jsonb, js json, ip inet, p pair, r int4range, m money, c char(5), "t" int, x bit(3), e text,
        dropped int, primary key ("Key, 1", "key"" 2"));
      alter table "Odd Schema"."Odd ""Table" drop column dropped;
      create function odd() returns void language plpgsql
        set extra_float_digits = 0 set intervalstyle = sql_standard set bytea_output = escape
        set timezone = 'Asia/Kathmandu' as $$begin
        insert into "Odd Schema"."Odd ""Table" values ('sad', 1.10, default, default, '\\x00ff5c', 0.1::float8 + 0.2,
          1.1, '1883-01-01 00:00:00+00', 'infinity', '0044-03-15 BC', '-1 year -2 days +03:00:00.5',
          array['a"b', null, 'NULL', 'c,d\\'], '{"a": 1.0, "b": null}', '{"x" :  1}', '10.1.2.3',
          row(null, null), '[1,5)', 12.34, 'a  ', null, b'101', ''),
          ('happy', 'NaN', default, default, null, '-0', 'NaN', null, null, null, null, '{}', 'null', null, '::/0',
          row(1, null), 'empty', null, '', 7, null, 'ü');
        update "Odd Schema"."Odd ""Table" set f = 1e-300, iv = iv * 1.5 where "Key, 1" = 'sad';
        end$$;

      create function add(i int) returns int language plpgsql as $$begin
        insert into item values (i, 0, 'added'); return i * 10; end$$;
      create function idle() returns int language plpgsql as $$begin
        update item set n = 1 where false; return 3; end$$;
      create function later(i int) returns int language plpgsql as $$begin
        if i > 900 then insert into item values (i, 0, 'later'); end if; return i; end$$;
      create procedure put(i int, inout o int default 0) language plpgsql as $$begin
        insert into item values (i, 0, 'put'); o := i + 1; end$$;
      create procedure commits() language plpgsql as $$begin insert into bare values (1); commit; end$$;
      create function upsert(i int) returns void language plpgsql as $$begin
        for k in 1..3 loop
          begin insert into item select g, 1, 'x' from generate_series(i - 2, i) g;
          exception when unique_violation then update item set n = n + 1 where id = i; end;
        end loop; end$$;
      create function undone() returns void language plpgsql as $$begin
        begin
          update item set n = -7; delete from plain; insert into bare values (13, 'undone');
          raise division_by_zero;
        exception when division_by_zero then insert into bare values (14, 'kept'); end; end$$;
      create function swap(of text, a int, b int) returns void language plpgsql as $$begin
        execute format('update %I set id = -1 where id = %s', of, a);
        execute format('update %I set id = %s where id = %s', of, a, b);
        execute format('update %I set id = %s where id = -1', of, b); end$$;
      create function rotated() returns void language plpgsql as $$begin
        update part set u = 0 where id = 1;
        update part set u = 1 where id = 2; update part set u = 2 where id = 1; end$$;
      create function replica() returns void language plpgsql as $$begin
        perform set_config('session_replication_role', 'replica', true);
        insert into kid values (990, 990);
        perform set_config('session_replication_role', 'origin', true); end$$;
      create function resets() returns void language plpgsql as $$begin
        execute 'reset all'; insert into bare values (66, 'reset'); end$$;
      create function restarts() returns void language plpgsql as $$begin
        insert into bare values (67, 'x'); execute 'reset all'; perform mgtm.mgtm_begin_capture(); end$$;
      create function temps() returns void language plpgsql as $$begin
        create temp table gone (n int) on commit drop; insert into gone values (1); end$$;
      create function inserts(of text) returns void language plpgsql as $$begin
        execute format('insert into %I values (1)', of); end$$;
      create function changes() returns void language plpgsql as $$begin
        insert into bare values (1, 'a'); update bare set n = 2; end$$;
      """;

  private static final List<String> WRITES =
      List.of(
          "insert into item select g, g, 'i' from generate_series(1, 9) g",
          "insert into parent select g, g from generate_series(1, 9) g",
          "insert into kid select g, g from generate_series(1, 9) g",
          "insert into uniq select g, g, g from generate_series(1, 9) g",
          "insert into part select g, g, 1 from generate_series(1, 9) g",
          "merge into item using (values (1, 50), (10, 60)) v (id, n) on item.id = v.id"
              + " when matched then update set n = v.n when not matched then insert (id, n) values (v.id, v.n)",
          "merge into item using plain on item.id = plain.id when matched then delete",
          "with d as (delete from item where id = 2 returning *) insert into plain (n) select n from d",
          "with w as (insert into plain (n) select random() from generate_series(1, 5) returning *)"
              + " update item set n = 1 from w where item.id = 3",
          "explain analyze update item set n = random() * 100 where id = 4",
          "update item set id = id + 100 where id = 5",
          "update uniq set id = id + 100, u = u + 100",
          "insert into item values (6, 0), (11, 0) on conflict (id) do update set n = item.n + 1",
          "delete from item where id > 5",
          "call put(20)",
          "do $$begin for i in 30..35 loop perform add(i); end loop; delete from item where id = 31; end$$",
          "do 'begin end'",
          "select add(40)",
          "select add(g), random() from generate_series(41, 45) g",
          "select idle()",
          "select id from item where id < 1000 for update",
          "delete from parent where id in (1, 2)",
          "update parent set id = id + 50 where id = 3",
          "select upsert(60)",
          "select undone()",
          "select swap('uniq', 101, 102)",
          "select swap('kid', 5, 6)",
          "select rotated()",
          "update exactly set id = id + 0.0",
          "select replica()",
          "select odd()",
          "insert into parted select g, g from generate_series(95, 99) g",
          "update parted set id = id + 10 where id between 96 and 99",
          "update shown set n = 9 where id = 20");

  @TempDir private static Path folder;
  @AutoClose private static Cluster cluster;

  @BeforeAll
  static void start() throws Exception {
    Tools.needPostgres();
    cluster = new Cluster(folder, 2, "dtp", TABLES);
    cluster.letRowsBeCaptured();
    cluster.startReplicator();
    // As one whose owner had not let the replicator's role be a member.
    try (Connection alice = cluster.alice()) {
      alice.createStatement().execute("select 1");
    }
    for (Postgres one : cluster.servers) {
      one.sql("app", "drop trigger mgtm_capture on untold");
    }
  }

  /** Each by itself, and once more in a transaction of several. */
  @Test
  void whatIsWrittenIsAtAllServers() throws Exception {
    try (Connection alice = cluster.alice();
        Statement statement = alice.createStatement()) {
      for (String sql : WRITES) {
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
      assertThat(cluster.number("select u from uniq where id = 101")).isEqualTo(102);

      alice.setAutoCommit(false);
      statement.execute("delete from \"Odd Schema\".\"Odd \"\"Table\"");
      for (String sql : WRITES) {
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
        "call put(nextval('plain_id_seq')::int)",
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
      assertThatThrownBy(() -> statement.execute("select nextval('plain_id_seq')"))
          .hasMessageContaining("read-only transaction");
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
      updates.execute("insert into parent values (400, 0)");
      alice.setAutoCommit(false);
      updates.execute(
          "with p as (update parent set n = n + 1 where id = 400 returning *) select 1 from p");
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
