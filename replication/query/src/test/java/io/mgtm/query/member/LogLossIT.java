package io.mgtm.query.member;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.testing.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Comparator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The log, or what servers say that they have, is lost, of another time, or another's. */
class LogLossIT {
  @TempDir private Path folder;
  @AutoClose private Cluster cluster;

  @BeforeAll
  static void need() {
    Tools.needPostgres();
  }

  @BeforeEach
  void start() throws Exception {
    cluster =
        new Cluster(
            folder,
            2,
            "dtp",
            "create table counter (id int primary key, n int);"
                + "insert into counter values (1, 0);"
                + "create table line (id serial primary key, t text)");
    cluster.startReplicator();
  }

  private void count(int times) throws SQLException {
    try (Connection alice = cluster.alice();
        Statement statement = alice.createStatement()) {
      for (int i = 0; i < times; i++) {
        statement.execute("update counter set n = n + 1 where id = 1");
      }
    }
  }

  private void line() throws SQLException {
    try (Connection alice = cluster.alice();
        Statement statement = alice.createStatement()) {
      statement.execute("insert into line (t) values ('a')");
    }
  }

  private void assertCounted(int times) throws Exception {
    for (Postgres one : cluster.servers) {
      if (cluster.replicator.serversIn().contains(one.address.toString())) {
        assertThat(one.number("select n from counter")).as("%s", one.address).isEqualTo(times);
      }
    }
    assertThat(cluster.replicator.verify()).isEmpty();
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path one : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(one);
      }
    }
  }

  @Test
  void withoutALogTheServerThatHasMoreLeads() throws Exception {
    count(3);
    cluster.servers.get(0).kill();
    cluster.awaitIn(1);
    count(4);
    cluster.replicator.close();
    cluster.servers.get(0).startAgain();
    delete(folder.resolve("state"));
    cluster.startReplicator();
    assertCounted(7);
    assertThat(cluster.replicator.serversIn())
        .containsExactly(cluster.servers.get(1).address.toString());
  }

  @Test
  @Tag("long")
  void withAnOlderLogTheServerThatHasMoreLeads() throws Exception {
    count(3);
    cluster.replicator.close();
    Tools.copy(folder.resolve("state"), folder.resolve("older"));
    cluster.startReplicator();
    cluster.servers.get(0).kill();
    cluster.awaitIn(1);
    count(4);
    cluster.replicator.close();
    cluster.servers.get(0).startAgain();
    delete(folder.resolve("state"));
    Tools.copy(folder.resolve("older"), folder.resolve("state"));
    cluster.startReplicator();
    assertCounted(7);
    assertThat(cluster.replicator.serversIn())
        .containsExactly(cluster.servers.get(1).address.toString());
  }

  @Test
  void whoIsOutIsNotGivenALogThatHasLostItsEnd() throws Exception {
    count(3);
    cluster.servers.get(1).kill();
    cluster.awaitIn(1);
    count(2);
    cluster.replicator.close();
    Tools.copy(folder.resolve("state"), folder.resolve("older"));
    cluster.startReplicator();
    count(4);
    cluster.replicator.close();
    delete(folder.resolve("state"));
    Tools.copy(folder.resolve("older"), folder.resolve("state"));
    cluster.startReplicator();
    assertCounted(9);
    assertThat(cluster.replicator.whyOut(1)).contains("has lost what it misses");
    cluster.servers.get(1).startAgain();
    // Also by the next start, for which nothing is lost any more.
    cluster.replicator.close();
    cluster.startReplicator();
    count(1);
    assertCounted(10);
    assertThat(cluster.replicator.whyOut(1)).contains("has lost what it misses");
  }

  @Test
  @Tag("long")
  void whoHasLostItsPositionIsNotGivenAllAgain() throws Exception {
    count(3);
    cluster.servers.get(1).sql("app", "drop schema mgtm cascade");
    cluster.servers.get(1).kill();
    cluster.awaitIn(1);
    count(4);
    cluster.servers.get(1).startAgain();
    Await.until(
        "the reason",
        () -> String.valueOf(cluster.replicator.whyOut(1)).contains("make it a copy"));
    assertCounted(7);
  }

  @Test
  @Tag("long")
  void whoHasLostItsPositionMeanwhileIsCompared() throws Exception {
    count(3);
    cluster.replicator.close();
    cluster.servers.get(1).sql("app", "drop schema mgtm cascade");
    cluster.startReplicator();
    count(4);
    assertCounted(7);
    assertThat(cluster.replicator.serversIn()).hasSize(2);
  }

  @Test
  @Tag("long")
  void emptiedPositionsPutTheLeaderOut() throws Exception {
    count(3);
    cluster.servers.get(0).sql("app", "truncate mgtm.position");
    count(1);
    assertThat(cluster.replicator.serversIn()).hasSize(1);
    count(3);
    assertCounted(7);
  }

  @Test
  @Tag("long")
  void whoLeadsFirstAtAStartHasSequencesBehindItsRows() throws Exception {
    for (int i = 0; i < 5; i++) {
      line();
    }
    cluster.replicator.close();
    cluster.servers.get(0).kill();
    cluster.startReplicator();
    line();
    assertThat(cluster.servers.get(1).number("select count(*) from line")).isEqualTo(6);
  }

  @Test
  void aDeposedReplicatorAcknowledgesNothing() throws Exception {
    count(3);
    QueryServer old = cluster.replicator;
    try (Connection alice = cluster.alice();
        Statement statement = alice.createStatement()) {
      alice.setAutoCommit(false);
      statement.execute("update counter set n = n + 100 where id = 1");
      // The second server is taken over before the first.
      cluster.servers.get(1).sql("app", "update mgtm.position set fence = 1000000");
      boolean acknowledged = true;
      try {
        alice.commit();
      } catch (SQLException e) {
        acknowledged = false;
      }
      assertThat(acknowledged).isFalse();
      assertThat(cluster.number("select n from counter")).isEqualTo(3);
    } finally {
      old.close();
    }
  }

  @Test
  @Tag("long")
  void settingsOfItsOwnReachAServerThatComesBack() throws Exception {
    try (Connection alice = cluster.alice();
        Statement statement = alice.createStatement()) {
      statement.execute("set app.tenant = 'blue'");
      statement.execute("update counter set n = n + 1 where id = 1");
      cluster.servers.get(1).kill();
      cluster.awaitIn(1);
      cluster.servers.get(1).startAgain();
      cluster.awaitIn(2);
      statement.execute("update counter set n = n + 1 where id = 1");
      cluster.servers.get(0).kill();
      cluster.awaitIn(1);
      try (var rows = statement.executeQuery("select current_setting('app.tenant', true)")) {
        rows.next();
        assertThat(rows.getString(1)).isEqualTo("blue");
      }
    }
  }
}
