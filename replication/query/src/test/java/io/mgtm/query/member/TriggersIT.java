package io.mgtm.query.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
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
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Writes in which triggers and functions of users take part, before two real servers. */
class TriggersIT {
  private static final String TABLES =
      """
      create table doc (id serial primary key, body text, n int, at timestamptz, by float8);
      create function stamp() returns trigger language plpgsql as
        $$begin new.at = clock_timestamp(); new.by = random(); return new; end$$;
      create trigger stamping before insert or update on doc for each row execute function stamp();

      create table odd (id int primary key, n int, what text);
      create function odd() returns trigger language plpgsql as $$begin
        case coalesce(new.what, old.what)
          when 'skip' then return null;
          when 'key' then new.id = new.id + 1000;
          when 'elsewhere' then insert into log values (default, 'x');
          when 'caught' then
            begin insert into log values (default, 'x'); raise division_by_zero;
            exception when division_by_zero then null; end;
          when 'same' then insert into odd values (old.id + 500, 0, 'plain');
          when 'empty' then truncate log;
          when 'role' then set role alice;
          when 'set' then perform set_config('extra_float_digits', '0', false);
          when 'schema' then create table made (n int);
          else null;
        end case;
        return coalesce(new, old); end$$;
      create trigger odd before update or delete on odd for each row execute function odd();

      create table log (id serial primary key, what text);
      create table late (id int primary key);
      create function noted() returns trigger language plpgsql as
        $$begin insert into log values (default, 'late'); return null; end$$;
      create constraint trigger noting after insert on late deferrable initially deferred
        for each row execute function noted();
      create table told (id int primary key);
      create trigger emptying before truncate on told for each statement execute function noted();
      create trigger telling after delete on told for each statement execute function noted();
      create table plain (id int primary key, n float8);
      create table secured (id int primary key);
      alter table secured enable row level security;
      create table tree (id int primary key, parent int references tree on delete cascade, r float8);
      create table top (id int primary key);
      create table mid (id int primary key, p int references top on delete cascade);
      create table low (id int primary key, p int references mid on delete set null, by float8);
      create function randomly() returns trigger language plpgsql as
        $$begin new.by = random(); return new; end$$;
      create trigger low before update on low for each row execute function randomly();
      create table exactly (id numeric primary key, n int);
      create function scaled() returns trigger language plpgsql as
        $$begin new.id = new.id + 0.00; return new; end$$;
      create trigger scaled before update on exactly for each row execute function scaled();
      create table one (id int primary key, o int);
      create table other (id int primary key, o int references one on delete cascade);
      alter table one add foreign key (o) references other on delete cascade;
      insert into one values (1), (2);
      insert into other values (1, 1);
      update one set o = 1 where id = 2;
      insert into top values (1);
      insert into mid values (1, 1);
      insert into low values (1, 1, 0);
      create function twice(int) returns int language sql volatile as 'select 2 * $1';
      create function noisy(int) returns int language sql volatile as
        $$insert into log values (default, 'noisy') returning $1$$;
      """;

  @TempDir private static Path folder;
  @AutoClose private static Cluster cluster;

  @BeforeAll
  static void start() throws Exception {
    Tools.needPostgres();
    cluster = new Cluster(folder, 2, "dtp", TABLES);
    cluster.letAliceWriteWithoutTriggers();
    cluster.startReplicator();
  }

  @Test
  void whatATriggerPutsIntoARowIsAtAllServers() throws Exception {
    try (Connection alice = cluster.alice();
        Statement statement = alice.createStatement()) {
      assertThat(
              statement.executeUpdate(
                  "insert into doc (body, n) select repeat(md5(n::text), 500), 1"
                      + " from generate_series(1, 20) n"))
          .isEqualTo(20);
      try (PreparedStatement update =
          alice.prepareStatement("update doc set n = n + ? where id = ? returning n, at")) {
        for (int i = 1; i <= 20; i++) {
          update.setInt(1, i);
          update.setInt(2, 1 + i % 3);
          try (ResultSet rows = update.executeQuery()) {
            assertThat(rows.next()).isTrue();
            assertThat(rows.getMetaData().getColumnCount()).isEqualTo(2);
          }
        }
      }
      statement.execute(
          "begin; update doc set n = 0 where id = 4; savepoint a; update doc set n = 1 where id = 5;"
              + " rollback to a; delete from doc where id > 18; commit");
    }
    assertThat(cluster.number("select count(*) from doc where at is not null and id < 100"))
        .isEqualTo(18);
    assertThat(cluster.number("select n from doc where id = 5")).isEqualTo(1);
    cluster.assertAlike();
  }

  @Test
  void contendingWritersLeaveEqualRows() throws Exception {
    try (Connection alice = cluster.alice()) {
      alice.createStatement().executeUpdate("insert into doc (id, n) values (700, 0), (701, 0)");
    }
    List<CompletableFuture<Void>> all = new ArrayList<>();
    for (int c = 0; c < 3; c++) {
      all.add(CompletableFuture.runAsync(TriggersIT::contend));
    }
    CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).get(180, TimeUnit.SECONDS);
    assertThat(cluster.number("select sum(n) from doc where id in (700, 701)")).isEqualTo(3 * 30);
    cluster.assertAlike();
  }

  private static void contend() {
    try (Connection alice = cluster.alice();
        Statement statement = alice.createStatement()) {
      for (int i = 0; i < 30; i++) {
        statement.executeUpdate("update doc set n = n + 1 where id = " + (700 + i % 2));
      }
    } catch (SQLException e) {
      throw new CompletionException(e);
    }
  }

  @Test
  void rowsThatATriggerLeavesOutAreLeftOutEverywhere() throws Exception {
    try (Connection alice = cluster.alice();
        Statement statement = alice.createStatement()) {
      statement.executeUpdate("insert into odd values (1, 0, 'skip'), (2, 0, 'plain')");
      assertThat(statement.executeUpdate("update odd set n = 1 where id < 3")).isEqualTo(1);
      assertThat(statement.executeUpdate("delete from odd where id < 3")).isEqualTo(1);
    }
    assertThat(cluster.number("select count(*) from odd where id < 3")).isEqualTo(1);
    cluster.assertAlike();
  }

  @ParameterizedTest
  @ValueSource(strings = {"key", "elsewhere", "caught", "same", "empty", "schema", "set", "role"})
  void aTriggerThatDoesMoreIsUndone(String what) throws Exception {
    try (Connection alice = cluster.alice();
        Statement statement = alice.createStatement()) {
      int id = 100 + Math.abs(what.hashCode() % 100_000);
      statement.executeUpdate("insert into odd values (%d, 0, '%s')".formatted(id, what));
      assertRefused(alice, "update odd set n = 1 where id = " + id);
      assertThat(cluster.number("select n from odd where id = " + id)).isZero();
    }
    cluster.assertAlike();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "delete from told where false",
        "insert into late values (1)",
        "insert into plain values (1, noisy(1))",
        "insert into plain select noisy(n) from generate_series(1, 3) n",
        "insert into doc values (1, 'x') on conflict (id) do update set n = 2",
        "insert into secured values (1)",
        "delete from top where id = 1",
        "delete from one where id in (1, 2)",
        "copy secured from stdin",
        "copy doc from stdin",
        "truncate told",
      })
  void whatItsRowsDoNotTellIsRefused(String sql) throws Exception {
    try (Connection alice = cluster.alice()) {
      assertRefused(alice, sql);
    }
    assertThat(cluster.number("select count(*) from log")).isZero();
    cluster.assertAlike();
  }

  private static void assertRefused(Connection alice, String sql) throws SQLException {
    try (Statement statement = alice.createStatement()) {
      for (boolean autocommit : new boolean[] {true, false}) {
        alice.setAutoCommit(autocommit);
        assertThatThrownBy(() -> statement.execute(sql))
            .as("%s", sql)
            .isInstanceOfSatisfying(
                SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("0A000"))
            .hasMessageContaining("Hint");
      }
      assertThatThrownBy(() -> statement.execute("select 1"))
          .hasMessageContaining("current transaction is aborted");
      alice.rollback();
      alice.setAutoCommit(true);
      assertThat(statement.execute("select 1")).isTrue();
    }
  }

  /** The transaction's own rows and those of a TRUNCATE are not taken for one another. */
  @Test
  void countsAreComparedTableByTable() throws Exception {
    try (Connection alice = cluster.alice();
        Statement statement = alice.createStatement()) {
      statement.executeUpdate("insert into odd values (90, 0, 'empty')");
      for (int rows = 1; rows <= 6; rows++) {
        alice.setAutoCommit(false);
        statement.executeUpdate(
            "insert into log select 1000 + n, 'x' from generate_series(1, %d) n".formatted(rows));
        assertThatThrownBy(() -> statement.execute("update odd set n = 1 where id = 90"))
            .hasMessageContaining("has written to other tables");
        alice.rollback();
      }
    }
    cluster.assertAlike();
  }

  @Test
  void keyThatIsWrittenOtherwiseIsAnotherKey() throws Exception {
    try (Connection alice = cluster.alice();
        Statement statement = alice.createStatement()) {
      statement.executeUpdate("insert into exactly values (1, 0), (2.00, 0)");
      assertRefused(alice, "update exactly set n = 1 where id = 1");
      assertThat(statement.executeUpdate("update exactly set n = 1 where id = 2")).isEqualTo(1);
    }
    cluster.assertAlike();
  }

  /** Row by row they could not be written where one refers to a later one. */
  @Test
  void rowsThatReferToOneAnotherAreWrittenTogether() throws Exception {
    try (Connection alice = cluster.alice();
        Statement statement = alice.createStatement()) {
      statement.executeUpdate("insert into tree select 2, 1, random() union all select 1, null, 0");
      statement.executeUpdate("insert into tree select 3, 1, random() union all select 4, 3, 0");
      assertThat(statement.executeUpdate("delete from tree where r = 0 and id = 4")).isEqualTo(1);
      assertThat(statement.executeUpdate("delete from tree where id = 1")).isEqualTo(1);
      assertThat(cluster.number("select count(*) from tree")).isZero();
      statement.executeUpdate(
          "insert into tree select n, nullif(n - 1, 0) from generate_series(1, 5) n");
      assertRefused(alice, "delete from tree where id in (1, 4)");
      assertThat(statement.executeUpdate("delete from tree where id > 0")).isEqualTo(5);
    }
    cluster.assertAlike();
  }

  /** What is behind a foreign key's action is no matter where it does not act. */
  @Test
  void aTableIsWrittenWhoseForeignKeysReachTriggers() throws Exception {
    try (Connection alice = cluster.alice();
        Statement statement = alice.createStatement()) {
      statement.executeUpdate("insert into top values (50), (51)");
      assertThat(statement.executeUpdate("delete from top where id = 50")).isEqualTo(1);
    }
    assertThat(cluster.number("select count(*) from top where id >= 50")).isEqualTo(1);
    cluster.assertAlike();
  }

  @Test
  void datesAreOfStyleIso() throws Exception {
    try (Connection alice = cluster.alice()) {
      assertRefused(alice, "set datestyle = 'SQL, DMY'");
      alice.createStatement().execute("set datestyle = 'ISO, DMY'");
      assertThatThrownBy(
              () -> {
                alice.createStatement().execute("set datestyle = E'S\\x51L, DMY'");
                alice.createStatement().execute("select 1");
              })
          .isInstanceOf(SQLException.class);
    }
  }

  @Test
  void eachExecuteHasTheFormatsOfItsOwnBind() throws Exception {
    try (RawClient client = RawClient.trusted(cluster.replicator.address())) {
      client.send(
          RawClient.message(
              'P',
              "j",
              "insert into plain (id, n) values ($1, $2::int + random()) returning n",
              (short) 0));
      for (int i = 0; i < 3; i++) {
        byte[] id = Integer.toString(7000 + i).getBytes(StandardCharsets.US_ASCII);
        byte[] formats = i == 1 ? new byte[] {0, 1, 0, 1} : new byte[] {0, 0};
        client.send(RawClient.message('B', "", "j", (short) 0, (short) 2, 4, id, 4, id, formats));
        client.send(RawClient.message('E', "", 0));
      }
      client.send(RawClient.message('S'));
      assertThat(client.readTo('Z')).isEqualTo("12DC2DC2DCZ");
    }
    assertThat(cluster.number("select count(*) from plain where id between 7000 and 7002"))
        .isEqualTo(3);
    cluster.assertAlike();
  }

  @Test
  void functionsOfUsersMayGiveValues() throws Exception {
    try (Connection alice = cluster.alice();
        Statement statement = alice.createStatement()) {
      statement.executeUpdate("insert into plain values (10, twice(5)), (11, random())");
      statement.executeUpdate("update plain set n = twice(id) + random() where id = 11");
      assertThat(statement.executeUpdate("delete from plain where twice(id) = 20")).isEqualTo(1);
    }
    cluster.assertAlike();
  }

  @Test
  void afterAChangeOfTheSchemaInItsTransactionItIsRefused() throws Exception {
    try (Connection alice = cluster.alice();
        Statement statement = alice.createStatement()) {
      alice.setAutoCommit(false);
      statement.execute("create table fresh (id int)");
      assertThatThrownBy(() -> statement.execute("update doc set n = 3"))
          .hasMessageContaining("has changed the schema");
      alice.rollback();
    }
    cluster.assertAlike();
  }

  /** A statement without a name outlives what the replicator asks between. */
  @Test
  void pipelinedStatementsAreAnsweredInTheirOrder() throws Exception {
    Tools.Result psql =
        cluster.program(
            "psql",
            "-XAtq",
            "-c",
            "insert into doc (id, n) values (900, 1); update doc set n = n + 1 where id = 900"
                + " returning n; select n * 10 from doc where id = 900");
    assertThat(psql.succeeded().output().lines()).containsExactly("2", "20");
    assertThat(cluster.number("select n from doc where id = 900")).isEqualTo(2);
    cluster.assertAlike();
  }

  @Test
  void withoutTheRightToWriteRowsWithoutTriggersItIsRefusedAndNoServerIsOut() throws Exception {
    Postgres other = cluster.servers.get(1);
    other.sql("app", "REVOKE SET ON PARAMETER session_replication_role FROM alice");
    try (Connection alice = cluster.alice()) {
      assertRefused(alice, "update doc set n = 5");
    } finally {
      other.sql("app", "GRANT SET ON PARAMETER session_replication_role TO alice");
    }
    cluster.assertAlike();
  }
}
