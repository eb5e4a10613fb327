package io.mgtm.query.member;

import static io.mgtm.query.member.Sql.fails;
import static io.mgtm.query.member.Sql.number;
import static io.mgtm.query.member.Sql.run;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.testing.Await;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Values that clients draw from sequences by name, before three real servers. */
class SequencesIT {
  private static final String MADE =
      "create table item (id serial primary key, n bigint);"
          + " create sequence plain; create sequence down increment -3 maxvalue -1 minvalue -1000;"
          + " create sequence \"Odd.one\" start 5; create sequence little maxvalue 12;"
          + " create sequence kept; create schema app; create sequence app.plain start 1000;"
          + " create function twice(n bigint) returns bigint language sql as 'select n * 2';"
          + " create table numbered (id int primary key, n bigint);"
          + " create function numbers() returns trigger language plpgsql as"
          + " 'begin new.n := new.n + 1; return new; end';"
          + " create trigger numbers before insert on numbered for each row"
          + " execute function numbers()";

  @TempDir private static Path folder;
  @AutoClose private static Cluster cluster;

  @BeforeAll
  static void start() throws Exception {
    Tools.needPostgres();
    cluster = new Cluster(folder, 3, "dtp", MADE);
    cluster.letRowsBeCaptured();
    cluster.startReplicator();
  }

  private static List<Long> next(String sequence) throws SQLException {
    return cluster.nextElsewhere(sequence);
  }

  @Test
  void othersAreAheadOfWhatWasDrawn() throws Exception {
    try (Connection alice = cluster.alice()) {
      long first = number(alice, "select nextval('plain')");
      assertThat(next("plain")).hasSize(2).allMatch(next -> next > first);
      for (int i = 1; i < 100; i++) {
        assertThat(number(alice, "select nextval('plain'::regclass)")).isEqualTo(first + i);
        long drawn = first + i;
        assertThat(next("plain")).allMatch(next -> next > drawn && next <= drawn + 33);
      }
      assertThat(number(alice, "select nextval('app.plain')")).isEqualTo(1000);
      assertThat(number(alice, "select last_value from app.plain")).isEqualTo(1000);
      assertThat(number(alice, "select currval('app.plain') + lastval()")).isEqualTo(2000);
      assertThat(next("app.plain")).allMatch(next -> next > 1000);
      run(alice, "set search_path to app");
      assertThat(number(alice, "select nextval('plain')")).isEqualTo(1001);
      run(alice, "reset search_path");
      assertThat(number(alice, "select nextval('down')")).isEqualTo(-1);
      assertThat(next("down")).allMatch(next -> next < -1);
      assertThat(number(alice, "select nextval('\"Odd.one\"')")).isEqualTo(5);
      assertThat(next("\"Odd.one\"")).allMatch(next -> next > 5);
      assertThat(number(alice, "select max(nextval('plain')) from generate_series(1, 500)"))
          .isEqualTo(first + 599);
      assertThat(next("plain")).allMatch(next -> next > first + 599);
    }
  }

  /** At its end a sequence has no values to skip. */
  @Test
  void aLittleOneGivesAllItHas() throws Exception {
    try (Connection alice = cluster.alice()) {
      for (int i = 1; i <= 12; i++) {
        assertThat(number(alice, "select nextval('little')")).isEqualTo(i);
        long drawn = i;
        assertThat(next("little")).containsOnly(drawn + 1);
      }
      assertThatThrownBy(() -> number(alice, "select nextval('little')"))
          .hasMessageContaining("reached maximum value");
    }
  }

  @Test
  void writesDrawFromThem() throws Exception {
    try (Connection alice = cluster.alice();
        Connection bob = cluster.alice()) {
      run(
          alice,
          "create sequence s",
          "insert into item (n) values (nextval('s')), (nextval('s'))",
          "insert into item (n) select nextval('s') from generate_series(1, 50)",
          "update item set n = nextval('s') + 1000 where id = 1",
          "insert into numbered values (1, nextval('s'))",
          "do $$ begin insert into item (n) values (nextval('s')); end $$");
      assertThat(next("s")).allMatch(next -> next > 54);
      assertThat(number(bob, "select twice(nextval('s'))"))
          .isEqualTo(2 * number(alice, "select 56"));
      alice.setAutoCommit(false);
      long drawn = number(alice, "insert into item (n) values (nextval('s')) returning n");
      assertThat(number(bob, "select nextval('s')")).isEqualTo(drawn + 1);
      alice.rollback();
      assertThat(number(alice, "select nextval('s')")).isEqualTo(drawn + 2);
      alice.commit();
      assertThat(next("s")).allMatch(next -> next > drawn + 2);
    }
    cluster.assertAlike();
  }

  @Test
  void tablesThatAreMadeOfAQueryDraw() throws Exception {
    try (Connection alice = cluster.alice()) {
      run(
          alice,
          "create sequence filling",
          "create table filled as select g, nextval('filling') n from generate_series(1, 50) g",
          "begin",
          "select nextval('filling') as n into refilled",
          "commit");
      assertThat(next("filling")).allMatch(next -> next > 51);
      assertThat(cluster.number("select max(n) from filled")).isEqualTo(50);
      assertThat(cluster.number("select n from refilled")).isEqualTo(51);
    }
  }

  @Test
  void whatIsSetIsSetEverywhere() throws Exception {
    try (Connection alice = cluster.alice()) {
      run(alice, "create table dumped (id serial primary key, n int)");
      run(alice, "insert into dumped values (70, 1)");
      run(alice, "select pg_catalog.setval('public.dumped_id_seq', 500, true)");
      assertThat(next("dumped_id_seq")).containsOnly(533L);
      run(
          alice,
          "select setval(pg_get_serial_sequence('\"dumped\"','id'), coalesce(max(\"id\"), 1),"
              + " max(\"id\") is not null) from \"dumped\"");
      assertThat(next("dumped_id_seq")).containsOnly(103L);
      run(alice, "select setval('dumped_id_seq', 10, false)");
      assertThat(next("dumped_id_seq")).containsOnly(43L);
      assertThat(number(alice, "select nextval('dumped_id_seq')")).isEqualTo(10);
      run(alice, "insert into dumped (n) values (1), (2)");
      assertThat(cluster.number("select max(id) from dumped where id < 70")).isEqualTo(12);
    }
  }

  @Test
  void oneThatIsMadeAnewOrRestartedIsAheadAnew() throws Exception {
    try (Connection alice = cluster.alice()) {
      for (String anew :
          List.of(
              "drop sequence if exists again; create sequence again",
              "alter sequence again restart",
              "drop sequence again; create sequence again",
              "alter sequence again increment 7 restart",
              "create temp sequence again")) {
        run(alice, anew);
        assertThat(number(alice, "select nextval('again')")).as(anew).isEqualTo(1);
        assertThat(next("public.again")).as(anew).allMatch(next -> next > 1);
      }
    }
  }

  @Test
  void oneThatWasMadeAfterTheSnapshotIsSetToo() throws Exception {
    try (Connection alice = cluster.alice();
        Connection bob = cluster.alice()) {
      run(alice, "begin isolation level repeatable read", "select 1 from item");
      run(bob, "create sequence young", "create sequence changed");
      run(bob, "alter sequence changed increment -1 minvalue -100 maxvalue -1 start -1 restart");
      assertThat(number(alice, "select nextval('young')")).isEqualTo(1);
      assertThat(number(alice, "select nextval('changed')")).isEqualTo(-1);
      assertThat(next("young")).allMatch(next -> next > 1);
      assertThat(next("changed")).allMatch(next -> next < -1);
      run(alice, "commit");
    }
  }

  /** Nobody is put out by what the leader alone may have. */
  @Test
  void boundThatOthersAreBeyondIsNotSet() throws Exception {
    try (Connection alice = cluster.alice()) {
      run(alice, "create sequence wide", "select nextval('wide')");
      assertThatThrownBy(() -> run(alice, "alter sequence wide maxvalue 20"))
          .isInstanceOfSatisfying(
              SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("0A000"))
          .hasMessageContaining("is further");
      run(alice, "alter sequence wide maxvalue 20 restart with 5");
      assertThat(number(alice, "select nextval('wide')")).isEqualTo(5);
      run(alice, "alter sequence wide maxvalue 1000", "drop sequence wide");
    }
    cluster.assertAlike();
  }

  /** Nobody is told that it is done, before it is told that it is not. */
  @Test
  void whatIsUndoneIsNotAnswered() throws Exception {
    try (RawClient client = RawClient.trusted(cluster.replicator.address())) {
      client.query("create sequence narrow");
      client.query("select setval('narrow', 500); select setval('narrow', 3)");
      String alter = "alter sequence narrow maxvalue 10";
      assertThat(client.query(alter)).isEqualTo("EZ");
      assertThat(client.query("select 1; " + alter)).isEqualTo("TDCEZ");
      assertThat(client.query("begin; " + alter)).isEqualTo("CEZ");
      assertThat(client.query("rollback")).isEqualTo("CZ");
      assertThat(client.query("alter sequence narrow maxvalue 10 restart")).isEqualTo("CZ");
    }
  }

  /** As a migration does, or a dump that is restored at once. */
  @Test
  void oneThatIsMadeOrAlteredInTheTransactionIsSetInIt() throws Exception {
    try (Connection alice = cluster.alice();
        Connection bob = cluster.alice()) {
      run(
          alice,
          "create sequence altered",
          "create sequence other",
          "begin",
          "create sequence made",
          "create table migrated (id serial primary key, n bigint)",
          "insert into migrated (n) values (nextval('made')), (nextval('other'))",
          "select setval('migrated_id_seq', 50), setval('made', 700, false)",
          "alter sequence altered restart 30",
          "select nextval('altered')");
      assertThat(number(bob, "select nextval('other')")).isEqualTo(2);
      run(alice, "commit");
      assertThat(next("migrated_id_seq")).containsOnly(83L);
      assertThat(next("made")).containsOnly(733L);
      assertThat(next("altered")).containsOnly(63L);
      assertThat(next("other")).allMatch(next -> next > 2);
      assertThat(number(bob, "select nextval('made')")).isEqualTo(700);
      run(alice, "begin", "alter sequence made restart 5", "select nextval('made')", "rollback");
      assertThat(next("made")).allMatch(next -> next > 700);
      assertThat(number(bob, "select nextval('made')")).isEqualTo(701);
      assertThat(cluster.number("select sum(n) from migrated")).isEqualTo(2);
    }
    cluster.assertAlike();
  }

  @Test
  void preparedAndPipelinedStatementsDraw() throws Exception {
    try (Connection alice = cluster.alice()) {
      run(alice, "create sequence piped");
      alice.setAutoCommit(false);
      try (PreparedStatement batch =
          alice.prepareStatement("insert into item (n) values (nextval('piped') + ?)")) {
        for (int i = 0; i < 300; i++) {
          batch.setInt(1, i);
          batch.addBatch();
        }
        batch.executeBatch();
      }
      alice.commit();
      assertThat(next("piped")).allMatch(next -> next > 300);
      alice.setAutoCommit(true);
      try (PreparedStatement prepared = alice.prepareStatement("select nextval('piped'), ?::int")) {
        for (int i = 0; i < 20; i++) {
          prepared.setInt(1, i);
          try (ResultSet rows = prepared.executeQuery()) {
            assertThat(rows.next()).isTrue();
            assertThat(rows.getLong(1)).isEqualTo(301 + i);
          }
        }
      }
      alice.setAutoCommit(false);
      try (PreparedStatement parts =
          alice.prepareStatement("select nextval('piped') from generate_series(1, 100)")) {
        parts.setFetchSize(7);
        try (ResultSet rows = parts.executeQuery()) {
          for (long wanted = 321; rows.next(); wanted++) {
            assertThat(rows.getLong(1)).isEqualTo(wanted);
          }
        }
      }
      alice.commit();
      assertThat(next("piped")).allMatch(next -> next > 420);
    }
    cluster.assertAlike();
  }

  @Test
  void oneThatComesBackIsAheadOfWhatWasDrawnMeanwhile() throws Exception {
    try (Connection alice = cluster.alice()) {
      run(alice, "create sequence missed", "select setval('missed', 1000)");
      Postgres away =
          cluster.servers.stream().filter(one -> one != cluster.leader()).findFirst().orElseThrow();
      away.kill();
      Await.until("it to be out", () -> cluster.replicator.serversIn().size() == 2);
      assertThat(number(alice, "select max(nextval('missed')) from generate_series(1, 70)"))
          .isEqualTo(1070);
      run(alice, "create sequence later", "select setval('later', 3)");
      away.startAgain();
      cluster.awaitIn(3);
      assertThat(next("missed")).containsOnly(1103L);
      assertThat(next("later")).containsOnly(36L);
    }
  }

  @Test
  void nobodyWaitsForOneThatIsSilent() throws Exception {
    try (Connection alice = cluster.alice()) {
      run(alice, "create sequence silent", "select nextval('silent')");
      Postgres stopped =
          cluster.servers.stream().filter(one -> one != cluster.leader()).findFirst().orElseThrow();
      stopped.signal("STOP");
      try {
        assertThat(number(alice, "select max(nextval('silent')) from generate_series(1, 70)"))
            .isEqualTo(71);
        assertThat(cluster.replicator.serversIn()).hasSize(2);
      } finally {
        stopped.signal("CONT");
      }
      cluster.awaitIn(3);
      assertThat(next("silent")).containsOnly(104L);
    }
  }

  /** Of several statements the last. */
  private static void refused(String sqlState, String message, String... statements)
      throws SQLException {
    int last = statements.length - 1;
    try (Connection alice = cluster.alice()) {
      run(alice, Arrays.copyOf(statements, last));
      fails(alice, statements[last], sqlState, message);
    }
  }

  @Test
  void whatCannotBeSetElsewhereIsRefused() throws Exception {
    refused("25006", "read-only", "begin read only", "select nextval('kept')");
    refused(
        "0A000",
        "may not be set elsewhere",
        "begin",
        "create sequence x",
        "revoke update on sequence x from alice",
        "select nextval('x')");
    refused("0A000", "cursor", "begin", "declare c cursor for select nextval('kept')");
    refused("42P01", "does not exist", "select nextval('no_such')");
    for (Postgres one : cluster.servers) {
      one.sql("app", "create sequence foreigners");
      one.sql("app", "grant usage on sequence foreigners to alice");
      one.sql("app", "revoke pg_write_all_data from mgtm");
    }
    try {
      String grant = "GRANT UPDATE ON SEQUENCE public.foreigners TO mgtm";
      refused("0A000", grant, "select nextval('foreigners')");
    } finally {
      cluster.sql("app", "grant pg_write_all_data to mgtm");
    }
    try (Connection alice = cluster.alice()) {
      assertThat(number(alice, "select nextval('foreigners')")).isEqualTo(2);
    }
    cluster.assertAlike();
  }

  /** Clients draw while the leader dies, comes back, and dies once more. */
  @Test
  void noValueIsGivenTwiceWhileLeadersDie() throws Exception {
    Set<Long> given = ConcurrentHashMap.newKeySet();
    Set<Long> twice = ConcurrentHashMap.newKeySet();
    AtomicBoolean ends = new AtomicBoolean();
    ExecutorService clients = Executors.newFixedThreadPool(4);
    try {
      try (Connection alice = cluster.alice()) {
        run(alice, "create sequence drawn");
      }
      List<Future<?>> drawing = new ArrayList<>();
      for (String from : List.of("", "", " from generate_series(1, 3) limit 1")) {
        drawing.add(
            clients.submit(
                () -> {
                  draw("select nextval('drawn')" + from, given, twice, ends);
                  return null;
                }));
      }
      for (int round = 0; round < 2; round++) {
        int had = given.size();
        Await.until("more to be drawn", () -> given.size() > had + 200);
        Postgres leads = cluster.leader();
        leads.kill();
        Await.until("it to be out", () -> cluster.replicator.serversIn().size() == 2);
        int after = given.size();
        Await.until("more to be drawn of the next", () -> given.size() > after + 200);
        leads.startAgain();
        cluster.awaitIn(3);
      }
      ends.set(true);
      for (Future<?> one : drawing) {
        one.get(60, TimeUnit.SECONDS);
      }
      assertThat(twice).isEmpty();
      long highest = new HashSet<>(given).stream().mapToLong(n -> n).max().orElseThrow();
      assertThat(next("drawn")).allMatch(next -> next > highest);
    } finally {
      ends.set(true);
      clients.shutdownNow();
    }
  }

  private static void draw(String sql, Set<Long> given, Set<Long> twice, AtomicBoolean ends)
      throws SQLException {
    while (!ends.get()) {
      try (Connection alice = cluster.alice()) {
        while (!ends.get()) {
          long value = number(alice, sql);
          if (!given.add(value)) {
            twice.add(value);
          }
        }
      } catch (SQLException e) {
        assertThat(e.getSQLState()).as(e.getMessage()).isIn("40001", "57P01", "08006", "08001");
      }
    }
  }
}
