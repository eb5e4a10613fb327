package io.mgtm.query.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a session sets, prepares and locks at one server, and what its role may, before two. */
class SessionStateIT {
  private static final String TABLES =
      """
      create table pair (a int, b text, n int, primary key (a, b));
      create table counted (id int primary key, n int not null default 0 check (n < 1000));
      create domain later as timestamptz check (value >= now());
      create table due (id int primary key, at timestamptz check (at >= now()));
      create table dues (id int primary key, at later);
      create table today (id int primary key, at date check (at >= current_date));
      create table defaulted (id int primary key,
        s text default set_config('extra_float_digits', '-15', false));
      create domain setting as text default set_config('timezone', 'Asia/Tokyo', false);
      create table defaulted_by_domain (id int primary key, s setting);
      create table listed (id int primary key, words text[], x xml, at timestamptz);
      create table granted (id int primary key, n int, s text);
      grant insert (id, n), update (n) on granted to public;
      create function sets(text, text) returns text language sql as
        'select set_config($1, $2, false)';
      create function locks() returns int language plpgsql as
        $$begin execute 'lock ' || 'table public.listed in access exclusive mode'; return 1; end$$;
      create function tells() returns void language sql as $$select pg_notify('a', 'b')$$;
      create schema elsewhere;
      create function writes() returns int language sql as
        $$insert into pair values (9, 'f', 9) returning 1$$;
      create view writing as select writes();
      create table doubled (id int primary key, d int generated always as (2 * id) stored);
      create table named (rel regclass primary key, n int);
      create view viewed as select id, n from counted;
      """;

  @TempDir private static Path folder;
  @AutoClose private static Cluster cluster;

  @BeforeAll
  static void start() throws Exception {
    Tools.needPostgres();
    cluster = new Cluster(folder, 2, "dtp", TABLES);
    cluster.startReplicator();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "set array_nulls = off",
        "set local \"xmloption\" = document",
        "set xml option document",
        "insert into due values (1, now())",
        "insert into dues values (1, now())",
        "insert into today values (1, current_date)",
        "insert into granted select 1, 1",
        "select table_to_xml('writing', true, false, '')",
        "select schema_to_xml('public', true, false, '')",
        "insert into counted select 1 where table_to_xml('writing', true, false, '') is null",
        "insert into named values ('pair', 1)",
        "insert into defaulted (id) values (1)",
        "insert into defaulted_by_domain (id) select 1",
        "create temp table mine (s text default set_config('work_mem', '1MB', false))",
        "update granted set n = n + 1 where n > 0",
        "select tells()",
        "select pg_advisory_xact_lock(1), random()",
        "select pg_notify('a', 'b') from viewed",
        "select lo_from_bytea(0, '')",
        "set lc_monetary = 'C'",
      })
  void whatWouldPutOthersOutIsRefused(String sql) throws Exception {
    try (Connection alice = cluster.alice();
        Statement statement = alice.createStatement()) {
      assertThatThrownBy(() -> statement.execute(sql))
          .isInstanceOfSatisfying(
              SQLException.class, e -> assertThat(e.getSQLState()).isIn("0A000", "25006"))
          .hasMessageContaining("Hint");
    }
    cluster.assertAlike();
  }

  @Test
  void rowsOfTablesOfWhichColumnsAreGrantedAreWrittenByTheirKeys() throws Exception {
    try (Connection alice = cluster.alice();
        Statement statement = alice.createStatement()) {
      statement.executeUpdate("insert into granted (id, n) values (7, 1)");
      statement.executeUpdate("update granted set n = n + 1 where id = 7");
    }
    assertThat(cluster.number("select n from granted where id = 7")).isEqualTo(2);
    cluster.assertAlike();
  }

  @Test
  void generatedColumnsAreComputedAnewEverywhere() throws Exception {
    try (Connection alice = cluster.alice();
        Statement statement = alice.createStatement()) {
      statement.executeUpdate("insert into doubled values (1), (2)");
      assertThat(statement.executeUpdate("update doubled set d = default")).isEqualTo(2);
    }
    cluster.assertAlike();
  }

  /** Values of users' types have the numbers of these in binary, which each server has given. */
  @Test
  void numbersOfTypesNeedNotBeTheSame() throws Exception {
    cluster.servers.get(1).sql("app", "create type elsewhere.spare as enum ('x')");
    cluster.servers.get(1).sql("app", "drop type elsewhere.spare");
    try (Connection alice = cluster.alice();
        Statement statement = alice.createStatement()) {
      statement.execute("create type mood as enum ('sad', 'ok')");
      statement.execute("create table moods (id int primary key, all_of mood[], rel regclass)");
      statement.execute("create table later_made (id int)");
    }
    try (RawClient client = RawClient.trusted(cluster.replicator.address())) {
      String sql = "insert into moods select 1, '{sad,ok}', 'later_made' returning id";
      client.send(RawClient.message('P', "", sql, (short) 0));
      byte[] binary = {0, 1, 0, 1};
      client.send(RawClient.message('B', "", "", (short) 0, (short) 0, binary));
      client.send(RawClient.message('E', "", 0));
      client.send(RawClient.message('S'));
      assertThat(client.readTo('Z')).isEqualTo("12DCZ");
    }
    assertThat(cluster.number("select count(*) from moods where all_of = '{sad,ok}'")).isOne();
    cluster.assertAlike();
  }

  @Test
  void rowsAreLockedWhileOthersAreWritten() throws Exception {
    try (Connection alice = cluster.alice();
        Statement statement = alice.createStatement()) {
      statement.executeUpdate("insert into counted (id) values (400), (401)");
      assertThat(
              statement.executeUpdate(
                  "delete from counted where id in (select id from counted where id >= 400"
                      + " order by id limit 1 for update skip locked)"))
          .isEqualTo(1);
    }
    assertThat(cluster.number("select min(id) from counted where id >= 400")).isEqualTo(401);
    cluster.assertAlike();
  }

  /** A client's own time limits are for its own statements. */
  @Test
  @Tag("long")
  void limitsThatATransactionSetsAreNotThoseOfOtherServers() throws Exception {
    try (Connection alice = cluster.alice();
        Statement statement = alice.createStatement()) {
      alice.setAutoCommit(false);
      statement.execute("set idle_in_transaction_session_timeout = '2s'");
      statement.executeUpdate("insert into counted values (550)");
      statement.execute("select pg_sleep(4)");
      alice.commit();
      try (ResultSet rows = statement.executeQuery("show idle_in_transaction_session_timeout")) {
        rows.next();
        assertThat(rows.getString(1)).isEqualTo("2s");
      }
      alice.rollback();
    }
    cluster.assertAlike();
  }

  @Test
  void aNameOfASavepointIsNoOtherOne() throws Exception {
    try (Connection alice = cluster.alice();
        Statement statement = alice.createStatement()) {
      alice.setAutoCommit(false);
      statement.execute("savepoint \"refused by the replicator\"");
      statement.executeUpdate("insert into counted select 500");
      statement.execute("savepoint b");
      assertThatThrownBy(() -> statement.execute("delete from pair where ctid is null"));
      assertThatThrownBy(() -> statement.execute("select 1"))
          .hasMessageContaining("current transaction is aborted");
      alice.rollback();
    }
    cluster.assertAlike();
  }

  @Test
  void whatIsReadOnlyAtAnotherServerLeavesNothingThere() throws Exception {
    for (int i = 0; i < 4; i++) {
      try (Connection alice = cluster.alice();
          Statement statement = alice.createStatement()) {
        statement.execute("begin read only");
        statement.execute("select sets('search_path', 'elsewhere'), locks()");
        try (Connection writer = cluster.alice()) {
          writer.createStatement().executeUpdate("insert into listed (id) values (" + i + ")");
        }
        statement.execute("commit");
        try (ResultSet rows = statement.executeQuery("show search_path")) {
          rows.next();
          assertThat(rows.getString(1)).doesNotContain("elsewhere");
        }
      }
    }
    cluster.assertAlike();
  }

  /** Two of four at least are at another server than the leader. */
  @Test
  void locksAreTheLeadersInReadOnlyTransactionsToo() throws Exception {
    List<String> states = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      try (Connection alice = cluster.alice();
          Statement statement = alice.createStatement()) {
        statement.execute("begin read only");
        statement.execute("select 1");
        try {
          statement.execute("lock table listed in access exclusive mode");
          states.add("locked");
        } catch (SQLException e) {
          states.add(e.getSQLState());
        }
        statement.execute("rollback");
        // What writes runs where all that write run.
        statement.execute("begin read only read write");
        statement.execute("lock table listed in access exclusive mode");
        statement.execute("rollback");
        for (String sql :
            new String[] {"set transaction read write", "reset transaction_read_only"}) {
          statement.execute("begin read only");
          assertThatThrownBy(() -> statement.execute(sql)).hasMessageContaining("stays so");
          statement.execute("rollback");
        }
      }
    }
    assertThat(states).containsOnly("locked", "0A000").contains("0A000");
    cluster.assertAlike();
  }

  @Test
  void rowsOfAViewComeInPartsInAReadOnlyTransaction() throws Exception {
    try (Connection alice = cluster.alice();
        Statement statement = alice.createStatement()) {
      statement.executeUpdate("insert into counted select n from generate_series(600, 619) n");
    }
    for (int i = 0; i < 2; i++) {
      try (RawClient client = RawClient.trusted(cluster.replicator.address())) {
        client.send(RawClient.message('Q', "begin read only"));
        client.readTo('Z');
        String sql = "select * from viewed where id between 600 and 619 and random() < 2";
        client.send(RawClient.message('P', "", sql, (short) 0));
        client.send(RawClient.message('B', "p", "", (short) 0, (short) 0, (short) 0));
        client.send(RawClient.message('E', "p", 1));
        client.send(RawClient.message('S'));
        assertThat(client.readTo('Z')).isEqualTo("12DsZ");
        client.send(RawClient.message('E', "p", 1));
        client.send(RawClient.message('S'));
        assertThat(client.readTo('Z')).isEqualTo("DsZ");
      }
    }
  }

  @Test
  void aZoneWhoseTimesCannotBeReadEndsItsSession() throws Exception {
    try (Connection alice = cluster.alice();
        Statement statement = alice.createStatement()) {
      statement.execute("set timezone = 'FOO-14BAR,M3.2.0/2,J300/3'");
      statement.executeUpdate("insert into listed (id, at) select 20, now()");
      assertThatThrownBy(
              () -> {
                statement.execute("set timezone = '<X>+99'");
                statement.executeUpdate("insert into listed (id, at) select 21, now()");
              })
          .isInstanceOf(SQLException.class);
    }
    assertThat(cluster.number("select count(*) from listed where id = 21")).isZero();
    cluster.assertAlike();
  }

  /** What the replicator forgot while servers still knew it would write at one of them. */
  @Test
  void whatIsPreparedIsKnownAsLongAsServersKnowIt() throws Exception {
    try (RawClient client = RawClient.trusted(cluster.replicator.address())) {
      client.send(RawClient.message('P', "ins", "insert into pair values ($1, 'd', 1)", (short) 0));
      insert(client, "300");
      client.send(RawClient.message('S'));
      assertThat(client.readTo('Z')).isEqualTo("12CZ");
      for (String sql : List.of("discard plans", "deallocate \"all\"")) {
        client.send(RawClient.message('Q', sql));
        client.readTo('Z');
      }
      insert(client, "301");
      client.send(RawClient.message('S'));
      assertThat(client.readTo('Z')).isEqualTo("2CZ");
      client.send(RawClient.message('P', "", "no statement", (short) 0));
      client.send(RawClient.message('C', "Sins"));
      client.send(RawClient.message('S'));
      assertThat(client.readTo('Z')).isEqualTo("EZ");
      insert(client, "302");
      client.send(RawClient.message('S'));
      assertThat(client.readTo('Z')).isEqualTo("EZ");
      client.send(RawClient.message('P', "ins", "insert into pair values ($1, 'e', 1)", (short) 0));
      insert(client, "303");
      client.send(RawClient.message('S'));
      assertThat(client.readTo('Z')).isEqualTo("12CZ");
    }
    assertThat(cluster.number("select count(*) from pair where a between 300 and 303"))
        .isEqualTo(3);
    cluster.assertAlike();
  }

  private static void insert(RawClient client, String id) throws Exception {
    byte[] text = id.getBytes(StandardCharsets.US_ASCII);
    client.send(
        RawClient.message('B', "", "ins", (short) 0, (short) 1, text.length, text, (short) 0));
    client.send(RawClient.message('E', "", 0));
  }
}
