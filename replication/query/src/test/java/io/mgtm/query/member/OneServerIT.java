package io.mgtm.query.member;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.common.HostPort;
import io.mgtm.query.wire.ErrorFields;
import io.mgtm.query.wire.Frame;
import io.mgtm.testing.Await;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One real PostgreSQL server behind the replicator, and clients of several kinds. */
class OneServerIT {
  @TempDir private static Path folder;
  private static Postgres postgres;
  private static QueryServer replicator;
  private static String url;

  @BeforeAll
  static void start() throws Exception {
    Tools.needPostgres();
    postgres = new Postgres(folder.resolve("pg"), List.of());
    replicator = QueryServer.start(TestConfig.of(folder, postgres.address));
    url = "jdbc:postgresql://" + HostPort.of(replicator.address()) + "/app";
  }

  @AfterAll
  static void stop() throws Exception {
    if (replicator != null) {
      replicator.close();
    }
    if (postgres != null) {
      postgres.stop();
    }
  }

  private static Connection alice() throws SQLException {
    return DriverManager.getConnection(url, "alice", Postgres.PASSWORD);
  }

  private static Tools.Result program(String name, String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of(Tools.PROGRAMS + "/" + name));
    command.addAll(List.of(arguments));
    HostPort at = HostPort.of(replicator.address());
    return Tools.run(
        folder,
        Map.of(
            "PGHOST",
            at.host(),
            "PGPORT",
            Integer.toString(at.port()),
            "PGUSER",
            "alice",
            "PGDATABASE",
            "app",
            "PGPASSWORD",
            Postgres.PASSWORD),
        command);
  }

  @Test
  void psqlEntersWithTheProofOfItsPasswordOnly() throws Exception {
    Tools.Result told =
        program("psql", "-XAtc", "select current_user, inet_server_port(); select 1/0");
    assertThat(told.output())
        .isEqualTo("alice|" + postgres.address.port() + "\nERROR:  division by zero\n");
    assertThat(program("psql", "-XAt", "-c", "do $$begin raise notice 'told'; end$$").output())
        .contains("NOTICE:  told");
  }

  @Test
  void jdbcPreparesBatchesAndFetchesByCursor() throws Exception {
    try (Connection connection = alice()) {
      try (Statement statement = connection.createStatement()) {
        statement.execute("create temporary table t(id int primary key, s text)");
      }
      connection.setAutoCommit(false);
      try (PreparedStatement insert = connection.prepareStatement("insert into t values (?, ?)")) {
        for (int i = 0; i < 2_000; i++) {
          insert.setInt(1, i);
          insert.setString(2, "row " + i);
          insert.addBatch();
        }
        assertThat(insert.executeBatch()).hasSize(2_000);
      }
      connection.commit();
      try (PreparedStatement select = connection.prepareStatement("select id from t order by id")) {
        select.setFetchSize(100);
        ResultSet rows = select.executeQuery();
        for (int i = 0; i < 2_000; i++) {
          assertThat(rows.next()).isTrue();
          assertThat(rows.getInt(1)).isEqualTo(i);
        }
        assertThat(rows.next()).isFalse();
      }
    }
  }

  @Test
  void copyGoesInAndOut() throws Exception {
    try (RawClient client = RawClient.trusted(replicator.address())) {
      client.send(RawClient.message('Q', "create temporary table c(n int, s text)"));
      client.readTo('Z');
      StringBuilder lines = new StringBuilder();
      for (int i = 0; i < 50_000; i++) {
        lines.append(i).append("\tabcdefghij\n");
      }
      client.send(RawClient.message('Q', "copy c from stdin"));
      assertThat(client.readTo('G')).isEqualTo("G");
      client.send(RawClient.message('d', lines.toString().getBytes(StandardCharsets.UTF_8)));
      client.send(RawClient.message('c'));
      assertThat(client.readTo('Z')).isEqualTo("CZ");
      client.send(RawClient.message('Q', "copy c to stdout"));
      assertThat(copied(client)).isEqualTo(lines.toString());
      client.send(RawClient.message('Q', "copy c from stdin"));
      assertThat(client.readTo('G')).isEqualTo("G");
      client.send(RawClient.message('d', "x\n".getBytes(StandardCharsets.UTF_8)));
      client.send(RawClient.message('c'));
      assertThat(client.readTo('Z')).isEqualTo("EZ");
      client.send(RawClient.message('Q', "select 1"));
      assertThat(client.readTo('Z')).isEqualTo("TDCZ");
    }
  }

  private static String copied(RawClient client) throws Exception {
    StringBuilder lines = new StringBuilder();
    for (Frame frame = client.read(); frame.type() != 'Z'; frame = client.read()) {
      assertThat(frame.type()).isIn('H', 'd', 'c', 'C');
      if (frame.type() == 'd') {
        lines.append(frame.body().toString(StandardCharsets.UTF_8));
      }
    }
    return lines.toString();
  }

  @ParameterizedTest
  @ValueSource(strings = {"simple", "extended", "prepared"})
  void pgbenchRunsInEveryMode(String mode) throws Exception {
    if (mode.equals("simple")) {
      program("pgbench", "-i", "-q").succeeded();
    } else {
      program("pgbench", "-i", "-q", "-I", "dtg").succeeded();
    }
    Tools.Result run = program("pgbench", "-n", "-c", "4", "-t", "50", "-M", mode);
    assertThat(run.succeeded().output())
        .contains("number of transactions actually processed: 200/200");
    assertThat(
            program(
                    "psql",
                    "-XAtc",
                    "select sum(delta) = (select sum(bbalance) from"
                        + " pgbench_branches) from pgbench_history")
                .output())
        .isEqualTo("t\n");
  }

  @Test
  void cancelReachesTheServer() throws Exception {
    try (RawClient client = RawClient.trusted(replicator.address())) {
      client.send(RawClient.message('Q', "select pg_sleep(600)"));
      Await.until(
          "it to be cancelled",
          () -> {
            client.requestCancel(replicator.address());
            return postgres.log().contains("canceling statement due to user request");
          });
      Frame error = client.read();
      while (error.type() != 'E') {
        error = client.read();
      }
      assertThat(ErrorFields.read(error.body()).sqlState()).isEqualTo("57014");
      assertThat(client.readTo('Z')).isEqualTo("Z");
      client.secret++;
      client.requestCancel(replicator.address());
    }
  }

  private static ByteBuf one(ByteBuf into, String sql) {
    into.writeBytes(RawClient.message('P', "", sql, (short) 0));
    into.writeBytes(RawClient.message('B', "", "", (short) 0, (short) 0, (short) 0));
    into.writeBytes(RawClient.message('E', "", 0));
    return into;
  }

  @Test
  void flushIsAnsweredBeforeSyncAndAThousandStatementsGoInOne() throws Exception {
    try (RawClient client = RawClient.trusted(replicator.address())) {
      ByteBuf flushed = one(Unpooled.buffer(), "select 1");
      client.send(flushed.writeBytes(RawClient.message('H')));
      assertThat(client.readTo('C')).isEqualTo("12DC");
      client.send(RawClient.message('S'));
      assertThat(client.readTo('Z')).isEqualTo("Z");
      ByteBuf many = Unpooled.buffer();
      for (int i = 0; i < 1_000; i++) {
        one(many, "select " + i);
      }
      client.send(many.writeBytes(RawClient.message('S')));
      assertThat(client.readTo('Z')).isEqualTo("12DC".repeat(1_000) + "Z");
    }
  }

  @Test
  void whoReadsSlowlyIsNotSentMoreThanTheBuffersHold() throws Exception {
    try (RawClient client = RawClient.trusted(replicator.address())) {
      long before = usedBytes();
      client.send(
          RawClient.message('Q', "select repeat('x', 1000000) from generate_series(1, 100)"));
      awaitStandstill();
      assertThat(usedBytes() - before).isLessThan(32L << 20);
      assertThat(client.readTo('Z')).isEqualTo("T" + "D".repeat(100) + "CZ");
    }
  }

  /** Until the server waits for its socket, and goes on waiting while nothing more is held here. */
  private static void awaitStandstill() {
    AtomicLong held = new AtomicLong();
    AtomicInteger stood = new AtomicInteger();
    Await.until(
        "the server to wait",
        () -> {
          long now = usedBytes();
          boolean stands = serverWaitsForItsClient() && held.getAndSet(now) == now;
          stood.set(stands ? stood.get() + 1 : 0);
          return stood.get() == 20;
        });
  }

  private static long usedBytes() {
    return ((ByteBufAllocatorMetricProvider) ByteBufAllocator.DEFAULT).metric().usedDirectMemory();
  }

  private static boolean serverWaitsForItsClient() throws SQLException {
    try (Connection direct = postgres.direct("app");
        ResultSet rows =
            direct
                .createStatement()
                .executeQuery(
                    "select count(*) from pg_stat_activity where wait_event = 'ClientWrite'")) {
      return rows.next() && rows.getInt(1) > 0;
    }
  }

  @Test
  void whatBreaksTheProtocolEndsTheSessionAndItsBackend() throws Exception {
    for (ByteBuf bad :
        List.of(
            RawClient.message('?', 1),
            Unpooled.buffer().writeByte('Q').writeInt(3),
            Unpooled.buffer().writeByte('Q').writeInt(0x3fffffff))) {
      try (RawClient client = RawClient.trusted(replicator.address())) {
        client.send(bad);
        List<Frame> all = client.readToEnd();
        assertThat(all).extracting(Frame::type).containsExactly('E');
        assertThat(ErrorFields.read(all.get(0).body()).sqlState()).isIn("08P01", "54000");
      }
    }
    Await.until("their sessions to end", () -> replicator.sessions() == 0);
    Await.until("their backends to end", () -> backendsOfTrusted() == 0);
  }

  private static int backendsOfTrusted() throws SQLException {
    try (Connection direct = postgres.direct("app");
        ResultSet rows =
            direct
                .createStatement()
                .executeQuery("select count(*) from pg_stat_activity where usename = 'trusted'")) {
      rows.next();
      return rows.getInt(1);
    }
  }

  @Test
  void aKilledBackendIsTold() throws Exception {
    try (RawClient client = RawClient.trusted(replicator.address())) {
      postgres.sql(
          "app", "select pg_terminate_backend(pid) from pg_stat_activity where usename='trusted'");
      List<Frame> all = client.readToEnd();
      assertThat(all).extracting(Frame::type).containsExactly('E');
      assertThat(ErrorFields.read(all.get(0).body()).sqlState()).isEqualTo("57P01");
    }
  }
}
