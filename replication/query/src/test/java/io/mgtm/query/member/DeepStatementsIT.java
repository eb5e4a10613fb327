package io.mgtm.query.member;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.query.wire.Frame;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Statements that are nested deep, or many in one go, cost themselves at most. */
class DeepStatementsIT {
  private static final int DEPTH = 5_000;
  private static final int MANY = 9_000;

  @TempDir private static Path folder;
  @AutoClose private static Cluster cluster;

  @BeforeAll
  static void start() throws Exception {
    Tools.needPostgres();
    cluster = new Cluster(folder, 2, "dtp", "create table t (id int primary key, n int)");
    cluster.startReplicator();
  }

  private static String nested(String open, String close) {
    return open.repeat(DEPTH) + "1" + close.repeat(DEPTH);
  }

  private static final List<String> VALUES =
      List.of(
          nested("(", ")"),
          nested("(1 + ", ")"),
          nested("- ", ""),
          nested("case when true then ", " end"),
          nested("(select ", ")"),
          "(" + nested("array[", "]") + ")[1]",
          nested("abs(", ")"));

  /** What it is answered with: a SQLSTATE, or nothing; it leaves nothing behind. */
  private static String state(Connection at, String sql) throws SQLException {
    String state = "";
    at.setAutoCommit(false);
    try {
      at.createStatement().execute(sql);
    } catch (SQLException e) {
      state = e.getSQLState();
    }
    at.rollback();
    return state;
  }

  @ParameterizedTest
  @ValueSource(strings = {"simple", "extended"})
  void aServersOwnAnswerIsGiven(String protocol) throws Exception {
    String url = "jdbc:postgresql://%s/app?preferQueryMode=" + protocol;
    try (Connection through =
            DriverManager.getConnection(
                url.formatted(cluster.address()), "alice", Postgres.PASSWORD);
        Connection direct =
            DriverManager.getConnection(
                url.formatted(cluster.servers.get(0).address), "alice", Postgres.PASSWORD)) {
      for (String value : VALUES) {
        for (String form :
            List.of(
                "update t set n = %s where id = 1",
                "insert into t (id, n) values (1, %s)", "select n from t where id = %s")) {
          String sql = form.formatted(value);
          assertThat(state(through, sql))
              .as("%s of %s", form, value.substring(0, 10))
              .isEqualTo(state(direct, sql));
        }
      }
    }
  }

  @Test
  void manyInOneGoAreRun() throws Exception {
    try (RawClient client = RawClient.trusted(cluster.replicator.address())) {
      for (int i = 0; i < MANY; i++) {
        client.send(RawClient.message('P', "s" + i, "select 1", (short) 0));
      }
      client.send(RawClient.message('S'));
      client.readTo('Z');
      String all =
          IntStream.range(0, MANY)
              .mapToObj(i -> "deallocate s" + i)
              .collect(Collectors.joining(";"));
      client.send(RawClient.message('Q', all));
      int tags = 0;
      for (Frame frame = client.read(); frame.type() != 'Z'; frame = client.read()) {
        assertThat(frame.type()).as(frame.body().toString(StandardCharsets.UTF_8)).isEqualTo('C');
        tags++;
      }
      assertThat(tags).isEqualTo(MANY);
    }
  }
}
