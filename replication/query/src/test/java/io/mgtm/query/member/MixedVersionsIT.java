package io.mgtm.query.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.common.HostPort;
import io.mgtm.testing.Await;
import java.io.StringReader;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.PGConnection;

/** PostgreSQL 15 and the newest that is to be had, behind one replicator; each of them leads. */
class MixedVersionsIT {
  private static final String TABLES =
      "create type mood as enum ('bad', 'good');"
          + "create table item (id int primary key, n numeric, t text, at timestamptz default now(),"
          + " m mood, i interval, f float8, b bytea, j jsonb, r int4range, a text[],"
          + " g int generated always as (id * 2) stored);"
          + "create table plain (id int primary key, n numeric, t text);"
          + "create table log (id bigserial primary key, t text, at timestamptz default clock_timestamp());"
          + "create function note() returns trigger language plpgsql as"
          + " $$begin insert into log (t) values (new.t); return new; end$$;"
          + "create table noted (id int primary key, t text);"
          + "create trigger noting before insert or update on noted for each row execute function note();"
          + "create function put(n int) returns int language plpgsql as"
          + " $$begin insert into log (t) select 'p' from generate_series(1, n); return n; end$$;"
          + "create procedure puts(n int) language sql as $$insert into log (t) values (n::text)$$";

  private static final List<String> WRITES =
      List.of(
          "insert into plain (id, n, t) values (1, 1.50, 'a'), (2, null, E'b\\nc')",
          "update plain set n = 2.5 where id = 1",
          "insert into item (id, n, t, m, i, f, b, j, r, a) values (1, 'NaN', 'é', 'good',"
              + " '1 mon 2 days 03:04:05.678', 1e-300, '\\x00ff', '{\"a\": [1.10]}', '[1,5)', '{a,NULL}')",
          "insert into item (id, t, f) select g, md5(g::text), random() from generate_series(10, 30) g",
          "update item set at = clock_timestamp(), n = f * 3 where id > 12",
          "delete from item where id in (select id from item where f > 0.9)",
          "insert into item (id, t) values (1, 'x') on conflict (id) do update set t = excluded.t || '!'",
          "insert into noted values (1, 'one'), (2, 'two')",
          "update noted set t = t || '.'",
          "select put(3)",
          "call puts(7)",
          "do $$begin update item set id = id + 100 where id < 20; end$$",
          "merge into plain p using (values (1, 9), (3, 3)) v (id, n) on p.id = v.id"
              + " when matched then update set n = v.n when not matched then insert (id, n)"
              + " values (v.id, v.n)",
          "with d as (delete from plain where id = 3 returning *) insert into log (t) select n::text from d",
          "create table made (id int primary key, n int not null default 3 check (n > 0), t varchar(9))",
          "create index made_n on made (n); create view goods as select id from item where m = 'good'",
          "alter table made add column at timestamptz, alter column t type text",
          "alter type mood add value if not exists 'best'; comment on table made is 'made'",
          "grant select on made to public",
          "insert into made (id, t) select g, 'x' from generate_series(1, 50) g",
          "begin; insert into made (id) values (100); savepoint a; delete from made where id < 9;"
              + " rollback to a; update made set n = 4 where id = 100; commit",
          "alter table made drop constraint made_pkey, add primary key (id)",
          "truncate made; drop table made; drop view goods",
          "vacuum plain",
          "delete from plain; delete from item; delete from noted; delete from log");

  @TempDir private static Path folder;
  @AutoClose private static Cluster cluster;

  @BeforeAll
  static void start() throws Exception {
    cluster = Cluster.mixed(folder, OtherPostgres.unpack(folder), "dtp", TABLES);
    cluster.letRowsBeCaptured();
    cluster.startReplicator();
  }

  @AfterEach
  void theyAreAlike() throws Exception {
    Await.until("both to be in", () -> cluster.replicator.serversIn().size() == 2);
    cluster.assertAlike();
  }

  private static void lead(int server) throws Exception {
    HostPort address = cluster.servers.get(server).address;
    if (!cluster.replicator.serversIn().get(0).equals(address.toString())) {
      assertThat(Tools.ask(cluster.replicator.admin(), "/promote?server=" + address).toString())
          .isEqualTo("{\"leader\":\"%s\",\"serversIn\":1}".formatted(address));
      Await.until("both to be in", () -> cluster.replicator.serversIn().size() == 2);
    }
    assertThat(cluster.replicator.serversIn().get(0)).isEqualTo(address.toString());
  }

  private static void write(Statement statement, String sql) {
    try {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new AssertionError(sql + ": " + e.getMessage(), e);
    }
  }

  private static void writeAll(int leader) throws Exception {
    lead(leader);
    try (Connection alice = cluster.alice();
        Statement statement = alice.createStatement()) {
      for (String sql : WRITES) {
        write(statement, sql);
        if (sql.matches("(delete from item|with|grant|vacuum) .*")) {
          cluster.assertAlike();
        }
      }
    }
    prepared();
    copy();
    clientsAreToldTheOldestVersionAndWhatAllReport();
  }

  /** In binary once the driver has prepared it, as it does after five times. */
  private static void prepared() throws Exception {
    try (Connection alice = cluster.alice();
        PreparedStatement insert =
            alice.prepareStatement(
                "insert into item (id, n, f, at, b, a) values (?, ?, ?, ?, ?, ?) returning id, n, at");
        PreparedStatement update =
            alice.prepareStatement("update item set f = f / ?, i = at - now() where id = ?")) {
      for (int i = 1; i <= 8; i++) {
        insert.setInt(1, i);
        insert.setBigDecimal(2, new BigDecimal("12345678901234567890.0123").scaleByPowerOfTen(-i));
        insert.setDouble(3, Math.PI * i);
        insert.setTimestamp(4, new Timestamp(i * 1_000_000_007L));
        insert.setBytes(5, new byte[] {0, (byte) i, -1});
        insert.setArray(6, alice.createArrayOf("text", new String[] {"a", null, "\"" + i}));
        try (ResultSet row = insert.executeQuery()) {
          assertThat(row.next()).isTrue();
        }
        update.setDouble(1, i);
        update.setInt(2, i);
        assertThat(update.executeUpdate()).isOne();
      }
      insert.setInt(1, 1);
      assertThatThrownBy(insert::executeQuery)
          .isInstanceOfSatisfying(
              SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("23505"));
    }
    cluster.assertAlike();
  }

  private static void copy() throws Exception {
    try (Connection alice = cluster.alice()) {
      alice
          .unwrap(PGConnection.class)
          .getCopyAPI()
          .copyIn("copy plain from stdin csv", new StringReader("1,1.5,x\n2,,\"y,\"\"z\"\n"));
    }
    cluster.assertAlike();
    try (Connection alice = cluster.alice();
        Statement statement = alice.createStatement()) {
      write(statement, "delete from plain; delete from item");
    }
  }

  private static void refused(Statement statement, String sql, String state, String why) {
    assertThatThrownBy(() -> statement.execute(sql))
        .as(sql)
        .isInstanceOfSatisfying(
            SQLException.class,
            e -> assertThat(e.getSQLState()).as(e.getMessage()).isEqualTo(state))
        .hasMessageContaining(why);
  }

  @Test
  void theSameIsAtBothWhileTheOlderLeads() throws Exception {
    writeAll(0);
    try (Connection alice = cluster.alice();
        Statement statement = alice.createStatement()) {
      for (String sql :
          List.of(
              "insert into plain (id) values (uuidv7())",
              "merge into plain p using plain q on p.id = q.id when matched then delete returning 1",
              "alter table plain add constraint named not null t",
              "set transaction_timeout = 0")) {
        assertThatThrownBy(() -> statement.execute(sql)).as(sql).isInstanceOf(SQLException.class);
      }
      // psql older than 18 ends CSV so, which 18 takes for a row.
      assertThatThrownBy(
              () ->
                  alice
                      .unwrap(PGConnection.class)
                      .getCopyAPI()
                      .copyIn("copy plain from stdin csv", new StringReader("1,2,x\n\\.\n")))
          .hasMessageContaining("the server at " + cluster.servers.get(1).address);
      // A server of another version might have answered: the leader's word counts.
      for (int i = 0; i < 4; i++) {
        refused(statement, "select count(array_sort(array[id])) from plain", "42883", "array_sort");
      }
      // The newer one knows no such setting.
      statement.execute("set force_parallel_mode = off");
      assertThat(cluster.replicator.serversIn()).hasSize(2);
    }
  }

  @Test
  void theSameIsAtBothWhileTheNewerLeads() throws Exception {
    writeAll(1);
    try (Connection alice = cluster.alice();
        Statement statement = alice.createStatement()) {
      whatTheOlderLacks(alice, statement);
    }
    lead(0);
  }

  private static void whatTheOlderLacks(Connection alice, Statement statement) throws Exception {
    statement.execute("create table keyed (id uuid primary key, n int)");
    statement.execute("insert into keyed values (uuidv7(), 0x1F), (uuidv4(), 1_000)");
    statement.execute(
        "merge into plain p using (values (1), (2)) v (id) on p.id = v.id when not matched then"
            + " insert (id, t) values (v.id, 'm') returning merge_action(), p.id");
    statement.execute("update plain set n = 5 where id = 1 returning old.n, new.n");
    cluster.assertAlike();
    for (int i = 0; i < 4; i++) {
      try (ResultSet row = statement.executeQuery("select array_sort(array[2, 1])")) {
        row.next();
        assertThat(row.getString(1)).isEqualTo("{1,2}");
      }
    }
    String older = "the server at " + cluster.servers.get(0).address + ", of PostgreSQL 15.";
    for (boolean autocommit : new boolean[] {true, false}) {
      alice.setAutoCommit(autocommit);
      refused(
          statement,
          "create table virt (id int, g int generated always as (id * 2))",
          "0A000",
          older);
      end(alice);
      refused(statement, "alter table plain add constraint named not null t", "0A000", older);
      end(alice);
      refused(
          statement, "create table late (id uuid primary key default uuidv7())", "0A000", older);
      end(alice);
      refused(statement, "grant maintain on plain to public", "0A000", older);
      end(alice);
      refused(statement, "revoke alice from mgtm", "0A000", "memberships");
      end(alice);
      assertThatThrownBy(
              () ->
                  alice
                      .unwrap(PGConnection.class)
                      .getCopyAPI()
                      .copyIn("copy plain from stdin csv", new StringReader("0x10,0b1,t\n")))
          .hasMessageContaining(older);
      end(alice);
      // As pg_dump of PostgreSQL 17 and newer begins.
      statement.execute("set transaction_timeout = 0");
      statement.execute("set local enable_self_join_elimination = off");
      refused(statement, "set transaction_timeout = '1min'", "0A000", "transaction_timeout");
      end(alice);
    }
    alice.setAutoCommit(true);
    assertThat(cluster.replicator.serversIn()).hasSize(2);
    statement.execute("delete from plain; drop table keyed");
  }

  private static void end(Connection alice) throws SQLException {
    if (!alice.getAutoCommit()) {
      alice.rollback();
    }
  }

  /** So that nobody uses what one of them lacks. */
  private static void clientsAreToldTheOldestVersionAndWhatAllReport() throws Exception {
    try (Connection alice = cluster.alice()) {
      assertThat(alice.getMetaData().getDatabaseMajorVersion()).isEqualTo(15);
      assertThat(alice.unwrap(PGConnection.class).getParameterStatuses())
          .containsKey("TimeZone")
          .doesNotContainKeys("search_path", "scram_iterations");
    }
    String url =
        "jdbc:postgresql://" + cluster.address() + "/app?options=-c%20transaction_timeout=1";
    assertThatThrownBy(() -> DriverManager.getConnection(url, "alice", Postgres.PASSWORD))
        .hasMessageContaining("transaction_timeout");
  }
}
