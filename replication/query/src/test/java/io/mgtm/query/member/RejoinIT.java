package io.mgtm.query.member;

import static io.mgtm.query.member.Sql.assertFails;
import static io.mgtm.query.member.Sql.run;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.testing.Await;
import java.io.StringReader;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.copy.CopyManager;
import org.postgresql.core.BaseConnection;

/** Servers that were away are given what they miss. */
class RejoinIT {
  private static final String TABLES =
      Transfers.TABLES
          + ";create type mood as enum ('bad', 'good');"
          + "create table kept (id int primary key, t text, at timestamptz, d interval, m mood);"
          + "create table stamped (id int primary key, t text, at timestamptz);"
          + "create function stamp() returns trigger language plpgsql as $$ begin"
          + " new.at := clock_timestamp(); return new; end $$;"
          + "create trigger stamp before insert or update on stamped for each row"
          + " execute function stamp()";

  @TempDir private Path folder;
  @AutoClose private Cluster cluster;

  @BeforeAll
  static void need() {
    Tools.needPostgres();
  }

  private void start(int servers) throws Exception {
    cluster = new Cluster(folder, servers, "dtp", TABLES);
    cluster.letAliceWriteWithoutTriggers();
    cluster.startReplicator();
  }

  /** Of every class that writes. */
  private void write(int from) throws Exception {
    try (Connection alice = cluster.alice();
        Statement statement = alice.createStatement()) {
      statement.execute("set timezone = 'America/Caracas'; set intervalstyle = 'sql_standard'");
      statement.execute("insert into kept (id, t) values (" + from + ", 'key-local')");
      statement.execute("update kept set t = t || '!' where id = " + from);
      statement.execute(
          "insert into kept select n, md5(random()::text), clock_timestamp(),"
              + " random() * interval '-7 days 3 hours', 'good' from generate_series("
              + (from + 1)
              + ", "
              + (from + 20)
              + ") n");
      statement.execute("delete from kept where id = " + (from + 20) + " and random() >= 0");
      statement.execute("insert into stamped values (" + from + ", 'trigger')");
      alice.setAutoCommit(false);
      statement.execute("insert into kept (id, t) values (" + (from + 21) + ", 'stays')");
      Savepoint savepoint = alice.setSavepoint();
      statement.execute("insert into kept (id, t) values (" + (from + 22) + ", 'goes')");
      alice.rollback(savepoint);
      statement.execute("insert into kept (id, t) values (" + (from + 23) + ", 'stays')");
      statement.execute("create table made_" + from + " (id serial primary key, t text)");
      statement.execute("insert into made_" + from + " (t) values ('a'), ('b')");
      alice.commit();
      statement.execute("insert into kept (id, t) values (" + (from + 24) + ", 'goes')");
      alice.rollback();
      alice.setAutoCommit(true);
      new CopyManager(alice.unwrap(BaseConnection.class))
          .copyIn(
              "copy kept (id, t, at, d, m) from stdin",
              new StringReader((from + 30) + "\tcopied\t2024-01-02 03:04:05\t-1 day\tbad\n"));
    }
  }

  @Test
  void aServerThatWasAwayIsGivenAllThatItMisses() throws Exception {
    start(2);
    write(100);
    try (Connection stays = cluster.alice();
        Statement statement = stays.createStatement()) {
      statement.execute("set timezone = 'Asia/Tokyo'; set application_name = 'it''s here'");
      statement.execute("insert into kept (id, t) values (1, 'before')");
      cluster.servers.get(1).kill();
      cluster.awaitIn(1);
      write(200);
      cluster.servers.get(1).startAgain();
      cluster.awaitIn(2);
      write(300);
      // Its settings are those of before, also at the server that came back.
      statement.execute("insert into kept (id, t, at) select 2, 'after', '2024-01-01 09:00'");
      assertThat(
              cluster.number(
                  "select count(*) from kept where id = 2 and at = '2024-01-01 00:00+00'"))
          .isOne();
      assertThat(
              cluster.number(
                  "select count(*) from pg_stat_activity where application_name = 'it''s here'"))
          .isOne();
    }
    cluster.assertAlike();
    assertThat(cluster.number("select count(*) from kept where t = 'stays'")).isEqualTo(6);
    assertThat(cluster.number("select count(*) from kept where t = 'goes'")).isZero();
  }

  /** What one transaction may not do with what it has done before, two may. */
  @Test
  void aServerIsGivenWhatCannotBeDoneInOneTransaction() throws Exception {
    start(2);
    try (Connection alice = cluster.alice()) {
      run(
          alice,
          "create table child (id int primary key, of int references kept"
              + " deferrable initially deferred)");
      cluster.servers.get(1).kill();
      cluster.awaitIn(1);
      run(
          alice,
          "insert into kept (id) values (1)",
          "alter type mood add value 'glad'",
          "insert into kept (id, m) values (2, 'glad')",
          "insert into child values (50, 1)",
          "alter table child add more int",
          "insert into child values (51, 2, 3)");
      cluster.servers.get(1).startAgain();
      cluster.awaitIn(2);
      assertThat(cluster.number("select count(*) from kept, child where m = 'glad'")).isEqualTo(2);
    }
    cluster.assertAlike();
  }

  /** Clients that name what is not there, or not for the replicator, keep no server out. */
  @Test
  void databasesThatCannotBeServedAreForgotten() throws Exception {
    start(2);
    cluster.sql("postgres", "revoke create on database postgres from mgtm");
    for (String database : List.of("missing", "postgres")) {
      assertThatThrownBy(() -> cluster.connect("alice", database).close())
          .hasMessageContaining(database.equals("missing") ? "does not exist" : "GRANT CREATE ON");
    }
    cluster.servers.get(1).kill();
    cluster.awaitIn(1);
    cluster.servers.get(1).startAgain();
    cluster.awaitIn(2);
    cluster.sql("postgres", "grant create on database postgres to mgtm");
    cluster.connect("alice", "postgres").close();
  }

  /** PostgreSQL renames it beside who has written it, and who then commits would name it. */
  @Test
  void noLabelIsWrittenBehindItsRename() throws Exception {
    start(2);
    try (Connection writer = cluster.alice();
        Connection renames = cluster.alice()) {
      cluster.servers.get(1).kill();
      cluster.awaitIn(1);
      writer.setAutoCommit(false);
      run(writer, "insert into kept (id, m) values (1, 'good')");
      run(renames, "alter type mood rename value 'good' to 'fine'");
      assertFails("40001", writer::commit);
      writer.rollback();
      run(writer, "insert into kept (id, m) values (1, 'fine')");
      run(renames, "alter type mood rename value 'bad' to 'worse'");
      assertFails("40001", writer::commit);
      writer.rollback();
      run(writer, "insert into kept (id, m) values (1, 'worse')");
      writer.commit();
      run(writer, "insert into kept (id, m) values (2, 'worse')");
      run(renames, "alter type mood rename value 'worse' to 'worst'");
      assertFails("40001", () -> run(writer, "prepare transaction 'x'"));
      writer.rollback();
      cluster.servers.get(1).startAgain();
      cluster.awaitIn(2);
    }
    assertThat(cluster.number("select count(*) from kept where m = 'worst'")).isOne();
    cluster.assertAlike();
  }

  @Test
  @Tag("long")
  void aDatabaseThatIsFirstUsedWhileAServerComesBackIsUsedThereToo() throws Exception {
    start(2);
    for (Postgres server : cluster.servers) {
      server.sql("postgres", "create database fresh owner alice");
      server.sql("fresh", "grant create on database fresh to mgtm");
      server.sql("fresh", "create table t (id int primary key)");
      server.sql("fresh", "alter table t owner to alice");
    }
    Postgres away = cluster.servers.get(1);
    away.kill();
    cluster.awaitIn(1);
    write(100);
    away.startAgain();
    String url = "jdbc:postgresql://" + cluster.address() + "/fresh";
    try (Connection holds = away.direct("app")) {
      holds.setAutoCommit(false);
      holds.createStatement().execute("lock table kept");
      Await.until(
          "it to be given what it misses",
          () -> away.number("select count(*) from pg_locks where not granted") > 0);
      DriverManager.getConnection(url, "alice", Postgres.PASSWORD).close();
      holds.rollback();
    }
    cluster.awaitIn(2);
    try (Connection alice = DriverManager.getConnection(url, "alice", Postgres.PASSWORD)) {
      alice.createStatement().execute("insert into t values (1)");
    }
    cluster.assertAlike();
  }

  /** What depends on the session, on names or on what the leader alone computes. */
  @Test
  void whatASessionHasToItselfIsReplayed() throws Exception {
    start(2);
    cluster.servers.get(1).kill();
    cluster.awaitIn(1);
    try (Connection alice = cluster.alice();
        Statement statement = alice.createStatement()) {
      statement.execute("create schema mine");
      statement.execute("create table mine.place (slot int primary key, entry text)");
      statement.execute("set search_path = mine, public; set datestyle = 'ISO, DMY'");
      statement.execute("insert into place values (1, 'müßig')");
      statement.execute("update place set entry = entry || E'\\\\' where slot = 1");
      statement.execute(
          "create table kinds (id int generated always as identity primary key, n numeric,"
              + " twice numeric generated always as (n * 2) stored, d date, b bytea, j jsonb,"
              + " a text[], m public.mood default 'bad', w text default current_user)");
      statement.execute(
          "insert into kinds (n, d, b, j, a) select n / 7.0, ('0' || n || '/12/2024')::date,"
              + " decode('00ff', 'hex'), '{\"a\": 1.50}', array['x', null, 'it''s'] from"
              + " generate_series(1, 5) n");
      statement.execute("set timezone = 'America/Caracas'");
      statement.execute("insert into public.kept (id, t, at) values (9001, 'ä', '3/4/2024 5:06')");
      statement.execute("create index on kinds (n); comment on table kinds is 'süß'");
      statement.execute("alter table kinds rename to sorts");
      statement.execute("alter table sorts rename column d to day");
      statement.execute("insert into sorts (n, day) values (1, '1/2/2024')");
      statement.execute("create table gone (id int primary key); insert into gone values (1)");
      statement.execute("drop table gone");
      statement.execute("create table gone (id int primary key, t text)");
      statement.execute("insert into gone values (1, 'again')");
      statement.execute("grant select on sorts to public");
    }
    cluster.servers.get(1).startAgain();
    cluster.awaitIn(2);
    cluster.assertAlike();
    assertThat(
            cluster.number(
                "select count(*) from pg_class where relname = 'sorts'"
                    + " and relowner = 'alice'::regrole and obj_description(oid) = 'süß'"))
        .isOne();
    assertThat(cluster.number("select count(*) from mine.sorts where w = 'alice'")).isEqualTo(6);
  }

  @Test
  @Tag("long")
  void serversDieAndComeBackUnderLoad() throws Exception {
    start(3);
    Transfers transfers = new Transfers(cluster, 4);
    try {
      for (int round = 0; round < 6; round++) {
        Postgres one = cluster.servers.get(round % 3);
        more(transfers);
        one.kill();
        cluster.awaitIn(2);
        more(transfers);
        one.startAgain();
        cluster.awaitIn(3);
      }
      more(transfers);
      transfers.end();
      assertThat(transfers.told()).allMatch(told -> told.matches("40001 .*"));
      cluster.assertMoved(transfers);
    } finally {
      transfers.end();
    }
  }

  /** What was in COMMIT there is found out when it is back. */
  @Test
  @Tag("long")
  void theLastServerDiesAndComesBackUnderLoad() throws Exception {
    start(2);
    Transfers transfers = new Transfers(cluster, 4);
    try {
      more(transfers);
      cluster.servers.get(0).kill();
      cluster.awaitIn(1);
      for (int round = 0; round < 3; round++) {
        more(transfers);
        cluster.servers.get(1).kill();
        cluster.servers.get(1).startAgain();
      }
      more(transfers);
      cluster.servers.get(0).startAgain();
      cluster.awaitIn(2);
      more(transfers);
      transfers.end();
      cluster.assertMoved(transfers);
    } finally {
      transfers.end();
    }
  }

  @Test
  @Tag("long")
  void whatWasWrittenWhileAServerWasAwayIsKeptOverARestart() throws Exception {
    start(2);
    cluster.servers.get(0).kill();
    cluster.awaitIn(1);
    write(100);
    cluster.replicator.close();
    cluster.startReplicator();
    write(200);
    cluster.servers.get(0).startAgain();
    cluster.awaitIn(2);
    cluster.assertAlike();
    // Who was away does not lead by coming back.
    assertThat(cluster.replicator.serversIn())
        .last()
        .isEqualTo(cluster.servers.get(0).address.toString());
  }

  @Test
  @Tag("long")
  void aLargeTransactionIsNotInTheLogAndItsServerStaysOut() throws Exception {
    start(2);
    cluster.servers.get(1).kill();
    cluster.awaitIn(1);
    try (Connection alice = cluster.alice();
        Statement statement = alice.createStatement()) {
      statement.execute(
          "insert into kept select n, repeat('x', 1000) from generate_series(1, 10000) n");
    }
    cluster.servers.get(1).startAgain();
    Await.until(
        "the reason",
        () -> String.valueOf(cluster.replicator.whyOut(1)).contains("make it a copy"));
    assertThat(cluster.replicator.serversIn()).hasSize(1);
  }

  private static void more(Transfers transfers) {
    long before = transfers.done();
    Await.until("100 more moves", () -> transfers.done() > before + 100);
  }
}
