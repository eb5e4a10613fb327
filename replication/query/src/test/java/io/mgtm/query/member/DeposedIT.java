package io.mgtm.query.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.common.HostPort;
import io.mgtm.query.config.QueryConfig;
import io.mgtm.query.fleet.StuckLog;
import io.mgtm.testing.Await;
import io.mgtm.testing.OwnAddress;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A replicator that leads is cut off from the others of its group, and goes on with clients and
 * servers.
 */
class DeposedIT {
  @TempDir private Path folder;
  private final List<QueryServer> replicators = new ArrayList<>();
  private final CountDownLatch cut = new CountDownLatch(1);
  private Cluster cluster;
  private Connection writer;
  private Connection reader;

  @BeforeEach
  void start() throws Exception {
    Tools.needPostgres();
    cluster =
        new Cluster(
            folder,
            2,
            "dtp",
            "create table counter (id int primary key, n int);"
                + "insert into counter values (1, 0), (2, 0)");
    QueryConfig one =
        TestConfig.several(
            folder, cluster.servers.stream().map(s -> s.address).toList(), 8 << 20, 60_000);
    String members = "q1=%s,q2=%s,q3=%s".formatted(address(), address(), address());
    for (String name : List.of("q1", "q2", "q3")) {
      replicators.add(QueryServer.start(TestConfig.member(one, name, members)));
    }
  }

  private static HostPort address() {
    return new HostPort(OwnAddress.HOST, OwnAddress.port());
  }

  @AfterEach
  void stop() throws Exception {
    cut.countDown();
    replicators.forEach(QueryServer::close);
    if (cluster != null) {
      cluster.close();
    }
  }

  private QueryServer awaitServing(List<QueryServer> of) {
    Await.until("one that serves", () -> of.stream().anyMatch(QueryServer::serves));
    return of.stream().filter(QueryServer::serves).findFirst().orElseThrow();
  }

  private static Connection alice(QueryServer at) throws SQLException {
    return Cluster.alice(HostPort.of(at.address()));
  }

  /** Nothing of the group is heard there any more; the rest goes on. */
  private void cutOff(QueryServer one) {
    StuckLog.until(one.order(), cut);
  }

  /** Of one that leads: it may lose that by itself on a busy machine. */
  private boolean began(QueryServer old) {
    try {
      writer = alice(old);
      reader = alice(old);
      execute(writer, "update counter set n = 1 where id = 1");
      writer.setAutoCommit(false);
      execute(writer, "update counter set n = 100 where id = 1");
      return true;
    } catch (SQLException e) {
      return false;
    }
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static boolean wrote(QueryServer at, int value) {
    try (Connection alice = alice(at)) {
      execute(alice, "update counter set n = " + value + " where id = 1");
      return true;
    } catch (SQLException e) {
      return false;
    }
  }

  @Test
  void itAcknowledgesNothingAnswersNoReadAndLeadsAgain() throws Exception {
    Await.until("a transaction at the one that leads", () -> began(awaitServing(replicators)));
    QueryServer old = awaitServing(replicators);
    List<QueryServer> others = new ArrayList<>(replicators);
    others.remove(old);
    cutOff(old);
    CompletableFuture<Void> committed = CompletableFuture.runAsync(() -> commit(writer));
    // What the old one's session has locked is free.
    Await.until("another one to serve", () -> wrote(awaitServing(others), 2));
    // Nor do its idle sessions keep others from connecting.
    for (Postgres server : cluster.servers) {
      Await.until(
          "its backends to end",
          () -> server.number("select count(*) from pg_stat_activity where usename='alice'") == 0);
    }
    // It does not know yet that it is deposed, and answers no read that could miss that.
    CompletableFuture<Integer> seen = CompletableFuture.supplyAsync(() -> quietly(reader));
    cut.countDown();
    assertThatThrownBy(() -> committed.get(180, TimeUnit.SECONDS))
        .as("the commit that was under way")
        .isNotNull();
    assertThatThrownBy(() -> seen.get(180, TimeUnit.SECONDS)).as("the read").isNotNull();
    assertThat(cluster.number("select n from counter where id = 1")).isEqualTo(2);

    // Without a restart.
    others.remove(0).close();
    Await.until(
        "the old one to lead", () -> old.serves() ? wrote(old, 3) : handsOver(others.get(0)));
    assertThat(cluster.number("select n from counter where id = 1")).isEqualTo(3);
    Await.untilAsserted(
        "the other one to forward its clients",
        () -> assertForwards(old.serves() ? others.get(0) : old));
    Await.untilAsserted(
        "all to be alike",
        () -> assertThat(awaitServing(List.of(old, others.get(0))).verify()).isEmpty());
  }

  private static boolean handsOver(QueryServer one) throws Exception {
    one.order().handOver();
    return false;
  }

  private static void assertForwards(QueryServer one) {
    assertThat(one.serves()).isFalse();
    assertThat(wrote(one, 3)).isTrue();
  }

  private static void commit(Connection connection) {
    try {
      connection.commit();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static int quietly(Connection connection) {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("select n from counter where id = 1")) {
      rows.next();
      return rows.getInt(1);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
