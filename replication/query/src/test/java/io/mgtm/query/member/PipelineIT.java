package io.mgtm.query.member;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.query.wire.ErrorFields;
import io.mgtm.query.wire.Frame;
import io.mgtm.testing.Await;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Many statements in one go, and requests to cancel those that write, before two servers. */
class PipelineIT {
  private static final int MANY = 1_000;

  private static final String TABLES =
      "create table kept (id int primary key);"
          + "create table made (id serial primary key, at timestamptz default now());"
          + "create table counted (id int primary key, n int not null default 0)";

  @TempDir private static Path folder;
  @AutoClose private static Cluster cluster;

  @BeforeAll
  static void start() throws Exception {
    Tools.needPostgres();
    cluster = new Cluster(folder, 2, "dtp", TABLES);
    cluster.letRowsBeCaptured();
    cluster.startReplicator();
  }

  @BeforeEach
  void fill() throws Exception {
    try (Connection alice = cluster.alice()) {
      alice.createStatement().executeUpdate("delete from kept");
      alice.createStatement().executeUpdate("delete from made");
      alice.createStatement().executeUpdate("delete from counted");
      alice.createStatement().executeUpdate("insert into counted (id) values (1), (2)");
    }
  }

  @AfterEach
  void serversAreAlike() throws Exception {
    cluster.assertAlike();
  }

  /** How the session goes on after each of many statements. */
  enum Between {
    /** All are one transaction; what has run is told of now and then. */
    SOME_FLUSHES,
    /** The same in a transaction of the client's. */
    BEGIN_AND_COMMIT,
    /** Each is one by itself. */
    SYNC
  }

  private static ByteBuf extended(String sql) {
    return Unpooled.wrappedBuffer(
        RawClient.message('P', "", sql, (short) 0),
        RawClient.message('B', "", "", (short) 0, (short) 0, (short) 0),
        RawClient.message('E', "", 0));
  }

  /** Statements that are read, written as a text, and written as rows, in turn. */
  private static String statement(int i) {
    return switch (i % 5) {
      case 0 -> "insert into kept (id) values (%d)".formatted(i);
      case 1 -> "select count(*) from kept";
      case 2 -> "update counted set n = n + 1 where id = 1";
      case 3 -> "insert into made default values";
      default -> "select n from counted where id = 1";
    };
  }

  /** All of them as they are sent. */
  private static ByteBuf many(Between between) {
    ByteBuf all = Unpooled.buffer();
    if (between == Between.BEGIN_AND_COMMIT) {
      all.writeBytes(extended("begin"));
    }
    for (int i = 0; i < MANY; i++) {
      all.writeBytes(extended(statement(i)));
      if (between == Between.SYNC) {
        all.writeBytes(RawClient.message('S'));
      } else if (i % 300 == 150) {
        all.writeBytes(RawClient.message('H'));
      }
    }
    if (between == Between.BEGIN_AND_COMMIT) {
      all.writeBytes(extended("commit"));
    }
    return between == Between.SYNC ? all : all.writeBytes(RawClient.message('S'));
  }

  @ParameterizedTest
  @EnumSource
  void aThousandStatementsGoInOne(Between between) throws Exception {
    try (RawClient client = RawClient.trusted(cluster.replicator.address())) {
      client.send(many(between));
      if (between == Between.BEGIN_AND_COMMIT) {
        assertThat(client.readTo('C')).isEqualTo("12C");
      }
      for (int i = 0; i < MANY; i++) {
        assertAnswered(client, i);
        if (between == Between.SYNC) {
          assertThat(client.readTo('Z')).isEqualTo("Z");
        }
      }
      if (between == Between.BEGIN_AND_COMMIT) {
        assertThat(client.readTo('C')).isEqualTo("12C");
      }
      if (between != Between.SYNC) {
        assertThat(client.readTo('Z')).isEqualTo("Z");
      }
    }
    assertThat(cluster.number("select count(*) from kept")).isEqualTo(MANY / 5);
    assertThat(cluster.number("select count(*) from made")).isEqualTo(MANY / 5);
    assertThat(cluster.number("select n from counted where id = 1")).isEqualTo(MANY / 5);
  }

  /** What is read has all that was written before. */
  private static void assertAnswered(RawClient client, int i) throws Exception {
    assertThat(client.readTo('2')).as("of statement %d", i).isEqualTo("12");
    Frame next = client.read();
    if (i % 5 == 1 || i % 5 == 4) {
      assertThat(next.type()).isEqualTo('D');
      String number = next.body().skipBytes(6).toString(StandardCharsets.US_ASCII);
      assertThat(number).as("of statement %d", i).isEqualTo(Integer.toString(i / 5 + 1));
      next = client.read();
    }
    assertThat(next.type()).isEqualTo('C');
  }

  @Test
  void whatWasFlushedIsToldBeforeTheRestIsSent() throws Exception {
    try (RawClient client = RawClient.trusted(cluster.replicator.address())) {
      for (int i = 0; i < MANY / 10; i++) {
        client.send(Unpooled.wrappedBuffer(extended(statement(i)), RawClient.message('H')));
        assertAnswered(client, i);
      }
      assertThat(cluster.number("select count(*) from kept")).isZero();
      client.send(RawClient.message('S'));
      assertThat(client.readTo('Z')).isEqualTo("Z");
    }
    assertThat(cluster.number("select count(*) from kept")).isEqualTo(MANY / 50);
  }

  @Test
  void allBeforeAnErrorIsUndoneAndAllAfterItIsPassedOver() throws Exception {
    try (RawClient client = RawClient.trusted(cluster.replicator.address())) {
      ByteBuf all = many(Between.SOME_FLUSHES);
      all.writerIndex(all.writerIndex() - 5);
      all.writeBytes(extended("insert into kept (id) values (0)"));
      all.writeBytes(extended("insert into kept (id) values (-1)"));
      all.writeBytes(RawClient.message('H'));
      all.writeBytes(extended("insert into kept (id) values (-2)"));
      all.writeBytes(RawClient.message('S'));
      all.writeBytes(extended("insert into kept (id) values (-3)"));
      client.send(all.writeBytes(RawClient.message('S')));
      for (int i = 0; i < MANY; i++) {
        assertAnswered(client, i);
      }
      assertThat(client.readTo('Z')).isEqualTo("12EZ");
      assertThat(client.readTo('Z')).isEqualTo("12CZ");
    }
    assertThat(cluster.number("select sum(id) from kept")).isEqualTo(-3);
    assertThat(cluster.number("select count(*) from made")).isZero();
  }

  /** As PostgreSQL does it: locks and cursors last until all have run. */
  @Test
  void severalStatementsOfOneQueryAreOneTransaction() throws Exception {
    try (RawClient client = RawClient.trusted(cluster.replicator.address())) {
      client.send(
          RawClient.message(
              'Q',
              "declare c cursor for select id from counted order by id; fetch 1 from c; fetch 1 from c"));
      assertThat(client.readTo('Z')).isEqualTo("CTDCTDCZ");
      client.send(
          RawClient.message('Q', "lock table counted; select pg_notify('a', 'b'); select 1/0"));
      assertThat(client.readTo('Z')).isEqualTo("CTDCEZ");
      client.send(RawClient.message('Q', "select 1; lock table counted in share mode; select 2"));
      assertThat(client.readTo('Z')).isEqualTo("TDCCTDCZ");
      client.send(RawClient.message('Q', "fetch 1 from c"));
      assertThat(client.readTo('Z')).isEqualTo("EZ");
    }
  }

  private static void awaitAt(Postgres server, String what, String activity) {
    Await.until(
        what,
        () ->
            server.number(
                    "select count(*) from pg_stat_activity where usename = 'trusted' and "
                        + activity)
                > 0);
  }

  private static void assertCancelled(RawClient client) throws Exception {
    Frame error = client.read();
    while (error.type() != 'E') {
      error = client.read();
    }
    assertThat(ErrorFields.read(error.body()).sqlState()).isEqualTo("57014");
    assertThat(client.readTo('Z')).isEqualTo("Z");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "insert into kept select 1 from generate_series(1, 99999) a, generate_series(1, 99999) b where a < -b",
        "update counted set n = 7 where id = 2",
        "do $$begin insert into kept values (1); perform pg_sleep(600); end$$",
        "insert into kept values (1); update counted set n = n + 7 where id > 0",
      })
  void aWriteThatRunsIsCancelled(String sql) throws Exception {
    try (Connection holder = cluster.alice();
        RawClient client = RawClient.trusted(cluster.replicator.address())) {
      holder.setAutoCommit(false);
      holder.createStatement().executeUpdate("update counted set n = 5 where id = 2");
      for (boolean begun : new boolean[] {false, true}) {
        if (begun) {
          client.send(RawClient.message('Q', "begin; insert into kept values (2)"));
          assertThat(client.readTo('Z')).isEqualTo("CCZ");
        }
        client.send(RawClient.message('Q', sql));
        awaitAt(
            cluster.servers.get(0),
            "the write to run",
            "state = 'active' and (wait_event_type in ('Lock', 'Timeout') or query like '%generate_series%')");
        client.requestCancel(cluster.replicator.address());
        assertCancelled(client);
        if (begun) {
          client.send(RawClient.message('Q', "rollback"));
          assertThat(client.readTo('Z')).isEqualTo("CZ");
        }
      }
      holder.commit();
      assertThat(cluster.number("select count(*) from kept")).isZero();
      client.send(RawClient.message('Q', "insert into kept values (3)"));
      assertThat(client.readTo('Z')).isEqualTo("CZ");
    }
    assertThat(cluster.number("select sum(id) from kept")).isEqualTo(3);
    assertThat(cluster.number("select sum(n) from counted")).isEqualTo(5);
  }

  /** It is done at the leader then, and so it is everywhere. */
  @Test
  void aRequestToCancelWhatAnotherServerHasStillToDoLeavesServersAlike() throws Exception {
    try (Connection holder = cluster.servers.get(1).direct("app");
        RawClient client = RawClient.trusted(cluster.replicator.address())) {
      holder.setAutoCommit(false);
      holder.createStatement().execute("lock table kept in share mode");
      client.send(RawClient.message('Q', "insert into kept values (1)"));
      awaitAt(cluster.servers.get(1), "the other to wait", "wait_event_type = 'Lock'");
      client.requestCancel(cluster.replicator.address());
      holder.rollback();
      long expected = endsAsAll(client) ? 1 : 0;
      assertThat(cluster.number("select count(*) from kept")).isEqualTo(expected);
      client.send(RawClient.message('Q', "insert into kept values (2)"));
      assertThat(client.readTo('Z')).isEqualTo("CZ");
    }
  }

  /** Whether a statement was done; else it was cancelled, and the session goes on. */
  private static boolean endsAsAll(RawClient client) throws Exception {
    ErrorFields error = null;
    for (Frame frame = client.read(); frame.type() != 'Z'; frame = client.read()) {
      error = frame.type() == 'E' ? ErrorFields.read(frame.body()) : error;
      assertThat(error == null || error.severity().equals("ERROR")).as("%s", error).isTrue();
    }
    assertThat(error == null || error.sqlState().equals("57014")).as("%s", error).isTrue();
    return error == null;
  }

  /** Wherever a request finds it, also before it or at COMMIT. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "update counted set n = n + 1 where id = 1",
        "update counted set n = n + 1 where id < 2",
        "update counted set n = n + 1 where id < (select count(*) from generate_series(1, 9000))",
        "do $$begin update counted set n = n + 1 where id = 1; end$$",
      })
  void requestsAtAnyMomentCancelAllOrNothing(String sql) throws Exception {
    int done = 0;
    try (RawClient client = RawClient.trusted(cluster.replicator.address())) {
      AtomicBoolean ended = new AtomicBoolean();
      CompletableFuture<Void> requests = CompletableFuture.runAsync(() -> cancel(client, ended));
      try {
        for (int i = 0; i < 300; i++) {
          client.send(RawClient.message('Q', "select 1"));
          endsAsAll(client);
          client.send(RawClient.message('Q', sql));
          done += endsAsAll(client) ? 1 : 0;
        }
      } finally {
        ended.set(true);
        requests.get(180, TimeUnit.SECONDS);
      }
    }
    assertThat(cluster.number("select n from counted where id = 1")).isEqualTo(done);
  }

  private static void cancel(RawClient client, AtomicBoolean ended) {
    try {
      while (!ended.get()) {
        client.requestCancel(cluster.replicator.address());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
