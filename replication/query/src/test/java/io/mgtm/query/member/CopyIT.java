package io.mgtm.query.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.query.wire.ErrorFields;
import io.mgtm.query.wire.Frame;
import io.mgtm.testing.Await;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;
import org.postgresql.copy.CopyManager;

/** COPY FROM STDIN before two real servers. */
class CopyIT {
  private static final String TABLES =
      "create type mood as enum ('sad', 'happy');"
          + "create table loaded (id int primary key, name text, at timestamptz, m mood default null,"
          + " n int not null default 7 check (n < 1000), d date default '2020-02-02',"
          + " doubled int generated always as (n * 2) stored);"
          + "create table serials (id serial primary key, name text, at timestamptz default now());"
          + "create table named (n name, who regrole);"
          + "create function note() returns trigger language plpgsql as"
          + " $$begin insert into serials (name) values ('t'); return new; end$$;"
          + "create table noted (id int primary key);"
          + "create trigger noting before insert on noted for each row execute function note();"
          + "create table ruled (id int primary key);"
          + "create rule r as on insert to ruled do also insert into serials (name) values ('r');"
          + "create table parts (id int primary key) partition by range (id);"
          + "create table part1 partition of parts default;"
          + "create domain mail as text check (value ~ '@');"
          + "create table keyed (id int generated always as identity, m mail, moods mood[]);"
          + "create schema other; create table other.loaded_too (id int primary key);"
          + "create table twice (id int primary key); create table other.twice (x text)";

  @TempDir private static Path folder;
  @AutoClose private static Cluster cluster;

  @BeforeAll
  static void start() throws Exception {
    Tools.needPostgres();
    cluster = new Cluster(folder, 2, "dtp", TABLES);
    cluster.startReplicator();
  }

  @AfterAll
  static void whatWasRefusedIsAtNoServer() throws Exception {
    cluster.assertAlike();
  }

  @AfterEach
  void nothingIsLeftOnDisk() throws Exception {
    Await.until("the spools to be empty", () -> cluster.replicator.spooledBytes() == 0);
    assertThat(folder.resolve("state").resolve("spool")).isEmptyDirectory();
    try (Connection alice = cluster.alice();
        Statement statement = alice.createStatement()) {
      statement.executeUpdate("delete from loaded");
    }
  }

  private static CopyManager copying(Connection connection) throws SQLException {
    return connection.unwrap(PGConnection.class).getCopyAPI();
  }

  @Test
  void dataOfEveryFormatGoToAllServers() throws Exception {
    try (Connection alice = cluster.alice()) {
      String text =
          "1\ta\\tb\t2020-01-01 10:00:00+00\tsad\t5\t2020-01-02\n2\t\\N\t\\N\t\\N\t6\t\\N\n";
      assertThat(copying(alice).copyIn("copy loaded from stdin", new StringReader(text)))
          .isEqualTo(2);
      String csv = "at;id;name\n\"2020-01-01\";3;\"x;\"\"now\"\"\n\"\n;4;now\n";
      String command =
          "copy public.loaded (at, id, name) from stdin with (format csv, header, delimiter ';')";
      assertThat(copying(alice).copyIn(command, new StringReader(csv))).isEqualTo(2);
      ByteArrayOutputStream binary = new ByteArrayOutputStream();
      copying(alice)
          .copyOut("copy (select id, name, at, m, n, d from loaded) to stdout binary", binary);
      alice.createStatement().executeUpdate("delete from loaded");
      alice.setAutoCommit(false);
      assertThat(
              copying(alice)
                  .copyIn(
                      "copy loaded from stdin (format binary)",
                      new ByteArrayInputStream(binary.toByteArray())))
          .isEqualTo(4);
      alice.createStatement().executeUpdate("update loaded set n = 9 where id = 4");
      alice.commit();
    }
    assertThat(cluster.number("select sum(id * n + doubled) from loaded")).isEqualTo(128);
    assertThat(cluster.number("select count(*) from loaded where d = '2020-02-02'")).isEqualTo(2);
    cluster.assertAlike();
  }

  @Test
  void psqlCopiesWithBackslash() throws Exception {
    Tools.Result psql =
        cluster.program(
            "psql",
            "-XAtc",
            "\\copy loaded (id, name) from program 'seq 1 20000 | sed s/$/,abcdefghij/' csv");
    assertThat(psql.succeeded().output()).isEqualTo("COPY 20000\n");
    assertThat(cluster.number("select count(*) from loaded")).isEqualTo(20_000);
    cluster.assertAlike();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          copy serials (name) from stdin              | would compute a value of its own for
          copy serials (id, name) from stdin          | would compute a value of its own for at
          copy named from stdin                       | may read data in another way
          copy noted from stdin                       | has triggers, rules or partitions
          copy ruled from stdin                       | has triggers, rules or partitions
          copy parts from stdin                       | has triggers, rules or partitions
          copy twice from stdin                       | no table that one name alone tells of
          copy loaded from stdin where random() < 0.5 | with where is not known
          copy loaded from stdin (encoding 'latin1')  | with encoding is not known
          copy loaded from stdin (format csv, default 'x') | with default is not known
          copy loaded from stdin delimiter E'\\x41'   | not one plain character
          copy loaded from '/etc/passwd'              | file or program of the server
          """)
  void whatServersWouldReadInTheirOwnWayIsRefused(String sql, String why) throws Exception {
    try (Connection alice = cluster.alice()) {
      assertThatThrownBy(() -> copying(alice).copyIn(sql, new StringReader("1\n")))
          .isInstanceOfSatisfying(
              SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("0A000"))
          .hasMessageContaining(why);
      assertThat(alice.createStatement().execute("select 1")).isTrue();
    }
  }

  /** None of its triggers runs, and it is no other table that the rows go to. */
  @Test
  void dataGoIntoPartitionsAndTablesWithOtherTriggers() throws Exception {
    try (Connection alice = cluster.alice()) {
      alice
          .createStatement()
          .execute(
              "create trigger later before update on keyed for each row execute function note();"
                  + " create trigger off before insert on keyed for each row execute function note();"
                  + " alter table keyed disable trigger off");
      assertThat(copying(alice).copyIn("copy part1 from stdin", new StringReader("1\n2\n")))
          .isEqualTo(2);
      assertThat(
              copying(alice)
                  .copyIn(
                      "copy keyed from stdin",
                      new StringReader("1\ta@b\t{happy}\n2\t\\N\t{sad,happy}\n")))
          .isEqualTo(2);
      assertThatThrownBy(
              () -> copying(alice).copyIn("copy keyed from stdin", new StringReader("3\tx\t{}\n")))
          .hasMessageContaining("mail_check");
      alice.createStatement().execute("truncate only part1; truncate keyed restart identity");
    }
    assertThat(cluster.number("select count(*) from parts")).isZero();
    assertThat(cluster.number("select count(*) from serials where name = 't'")).isZero();
    cluster.assertAlike();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          text | 1\\tnow
          text | 1\\tToday 10:00
          text | 1\\t2020-01-01\\n2\\tn\\\\ow
          text | 1\\t\\\\Now
          text | 1\\t\\\\x6eow
          csv  | 1,NOW()
          csv  | 1,"to""morrow"
          csv  | 1,"n"ow
          csv  | 1,2020-01-01\\n"2",yesterday\\n3,
          """)
  void dataThatNameTheMomentAreRefused(String format, String data) throws Exception {
    String bytes = data.replace("\\\\", "\u0001").replace("\\t", "\t").replace("\\n", "\n");
    try (Connection alice = cluster.alice()) {
      assertThatThrownBy(
              () ->
                  copying(alice)
                      .copyIn(
                          "copy loaded (id, at) from stdin (format " + format + ")",
                          new StringReader(bytes.replace('\u0001', '\\'))))
          .hasMessageContaining("may name the moment")
          .isInstanceOfSatisfying(
              SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("0A000"));
      assertThat(cluster.number("select count(*) from loaded")).isZero();
      assertThat(alice.createStatement().execute("select 1")).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whatEndsItInTheMiddleLeavesNothing(boolean autocommit) throws Exception {
    try (Connection alice = cluster.alice()) {
      alice.createStatement().executeUpdate("insert into loaded (id) values (50)");
      alice.setAutoCommit(autocommit);
      CopyIn failed = copying(alice).copyIn("copy loaded (id) from stdin");
      byte[] line = "1\n".getBytes(StandardCharsets.UTF_8);
      failed.writeToCopy(line, 0, 2);
      failed.cancelCopy();
      undone(alice);
      for (String bad : List.of("1\n50\n", "1\nx\n", "1\t2\n")) {
        assertThatThrownBy(
                () -> copying(alice).copyIn("copy loaded (id) from stdin", new StringReader(bad)))
            .isInstanceOf(SQLException.class);
        undone(alice);
      }
      assertThatThrownBy(
              () ->
                  copying(alice)
                      .copyIn("copy loaded (id, n) from stdin", new StringReader("1\t1000\n")))
          .hasMessageContaining("violates check constraint");
      undone(alice);
      byte[] many =
          "123\tabcdefghijklmnopqrstuvwxyz\n".repeat(400_000).getBytes(StandardCharsets.UTF_8);
      assertThatThrownBy(
              () ->
                  copying(alice)
                      .copyIn("copy loaded (n, name) from stdin", new ByteArrayInputStream(many)))
          .isInstanceOfSatisfying(
              SQLException.class, e -> assertThat(e.getSQLState()).isIn("53100", "23502"));
      undone(alice);
    }
    try (RawClient client = RawClient.trusted(cluster.replicator.address())) {
      client.send(RawClient.message('Q', "copy loaded (id) from stdin"));
      assertThat(client.readTo('G')).isEqualTo("G");
      client.send(RawClient.message('d', line("7")));
    }
    Await.until("the session to end", () -> cluster.replicator.sessions() == 0);
    assertThat(cluster.number("select count(*) from loaded")).isEqualTo(1);
    cluster.assertAlike();
  }

  private static void undone(Connection alice) throws SQLException {
    if (!alice.getAutoCommit()) {
      assertThatThrownBy(() -> alice.createStatement().execute("select 1"))
          .hasMessageContaining("current transaction is aborted");
      alice.rollback();
    }
    assertThat(cluster.number("select count(*) from loaded")).isEqualTo(1);
    assertThat(alice.createStatement().execute("select 1")).isTrue();
  }

  @Test
  void moreThanMayWaitOnDiskIsRefused() throws Exception {
    byte[] line = "\tabcdefghijklmnopqrstuvwxyz\n".getBytes(StandardCharsets.UTF_8);
    try (Connection alice = cluster.alice()) {
      CopyIn in = copying(alice).copyIn("copy loaded (id, name) from stdin");
      assertThatThrownBy(
              () -> {
                for (int i = 0; i < 400_000; i++) {
                  byte[] number = Integer.toString(i).getBytes(StandardCharsets.UTF_8);
                  in.writeToCopy(number, 0, number.length);
                  in.writeToCopy(line, 0, line.length);
                }
                in.endCopy();
              })
          .isInstanceOfSatisfying(
              SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("53100"))
          .hasMessageContaining("limits.spoolBytesMax");
      assertThat(alice.createStatement().execute("select 1")).isTrue();
    }
    assertThat(cluster.number("select count(*) from loaded")).isZero();
    cluster.assertAlike();
  }

  private static byte[] line(String text) {
    return (text + "\n").getBytes(StandardCharsets.UTF_8);
  }

  private static ByteBuf executed(String sql, char end) {
    return Unpooled.wrappedBuffer(
        RawClient.message('P', "", sql, (short) 0),
        RawClient.message('B', "", "", (short) 0, (short) 0, (short) 0),
        RawClient.message('D', new byte[] {'P'}, ""),
        RawClient.message('E', "", 0),
        RawClient.message(end));
  }

  @Test
  void itGoesOnAfterSyncFlushAndOtherStatements() throws Exception {
    try (RawClient client = RawClient.trusted(cluster.replicator.address())) {
      for (char end : new char[] {'S', 'H'}) {
        // As libpq does: a Sync with the command, and another after the data; all in one go.
        client.send(
            Unpooled.wrappedBuffer(
                executed("copy loaded (id) from stdin", end),
                RawClient.message('d', line(end == 'S' ? "1" : "2")),
                RawClient.message('H'),
                RawClient.message('c'),
                RawClient.message('S')));
        assertThat(client.readTo('Z')).isEqualTo("12nGCZ");
        client.send(
            Unpooled.wrappedBuffer(
                executed("copy loaded (id) from stdin", end),
                RawClient.message('d', line("1")),
                RawClient.message('c'),
                RawClient.message('S')));
        assertThat(client.readTo('Z')).isEqualTo("12nGEZ");
        client.send(executed("copy missing (id) from stdin", 'S'));
        assertThat(client.readTo('Z')).isEqualTo("EZ");
      }
      client.send(
          RawClient.message(
              'Q',
              "insert into loaded (id) values (3); copy loaded (id) from stdin; select 1;"
                  + " copy loaded (id) from stdin"));
      assertThat(client.readTo('G')).isEqualTo("CG");
      client.send(RawClient.message('d', line("4")));
      client.send(RawClient.message('c'));
      assertThat(client.readTo('G')).endsWith("G");
      client.send(RawClient.message('d', line("5")));
      client.send(RawClient.message('c'));
      assertThat(client.readTo('Z')).endsWith("CZ");
      client.send(RawClient.message('Q', "copy loaded (id) from stdin"));
      assertThat(client.readTo('G')).isEqualTo("G");
      client.send(RawClient.message('Q', "select 1"));
      Frame error = client.read();
      assertThat(ErrorFields.read(error.body()).sqlState()).isEqualTo("08P01");
      assertThat(client.readTo('Z')).isEqualTo("Z");
    }
    assertThat(cluster.number("select sum(id) from loaded")).isEqualTo(15);
    cluster.assertAlike();
  }

  @Test
  void statementsThatFollowAFlushAtOnceAreRun() throws Exception {
    try (RawClient client = RawClient.trusted(cluster.replicator.address())) {
      client.send(
          Unpooled.wrappedBuffer(
              executed("insert into loaded (id) values (1)", 'H'),
              executed("insert into loaded (id) values (2)", 'S')));
      assertThat(client.readTo('Z')).isEqualTo("12nC12nCZ");
    }
    assertThat(cluster.number("select sum(id) from loaded")).isEqualTo(3);
    cluster.assertAlike();
  }

  /** It is not told that it is done, and then that it is undone. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whatTheSchemaOvertakesHasOneAnswer(boolean extended) throws Exception {
    try (RawClient client = RawClient.trusted(cluster.replicator.address());
        Connection alice = cluster.alice();
        Statement statement = alice.createStatement()) {
      String copy = "copy other.loaded_too from stdin";
      if (extended) {
        client.send(RawClient.message('P', "", copy, (short) 0));
        client.send(RawClient.message('B', "", "", (short) 0, (short) 0, (short) 0));
        client.send(RawClient.message('E', "", 0));
        client.send(RawClient.message('S'));
      } else {
        client.send(RawClient.message('Q', copy));
      }
      assertThat(client.readTo('G')).doesNotContain("E");
      statement.execute("create table overtakes (id int primary key)");
      client.send(RawClient.message('d', "1\n".getBytes(StandardCharsets.US_ASCII)));
      client.send(RawClient.message('c'));
      if (extended) {
        client.send(RawClient.message('S'));
      }
      assertThat(client.readTo('Z')).isEqualTo("EZ");
      assertThat(cluster.number("select count(*) from other.loaded_too")).isZero();
      statement.execute("drop table overtakes");
    }
  }
}
