package io.mgtm.query.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.query.wire.Frame;
import io.mgtm.testing.Await;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Servers that die, stop and differ while clients write. */
@Tag("long")
class EjectionIT {
  @TempDir private Path folder;
  private Cluster cluster;

  @BeforeAll
  static void need() {
    Tools.needPostgres();
  }

  private void start(int servers) throws Exception {
    cluster = new Cluster(folder, servers, Transfers.TABLES);
    cluster.startReplicator();
  }

  @AfterEach
  void stop() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
  }

  @Test
  void nothingAcknowledgedIsLostWhileServersDie() throws Exception {
    start(3);
    Transfers transfers = new Transfers(cluster, 4);
    try {
      awaitMore(transfers);
      cluster.servers.get(2).kill();
      Await.until("the third server to be out", () -> in().size() == 2);
      awaitMore(transfers);
      assertThat(transfers.told()).isEmpty();
      cluster.servers.get(0).kill();
      Await.until("the leader to be out", () -> in().size() == 1);
      awaitMore(transfers);
      transfers.end();
      assertThat(transfers.told()).allMatch(told -> told.startsWith("40001"));
      checkMoves(cluster.servers.get(1), transfers);
    } finally {
      transfers.end();
    }
  }

  @Test
  void aStoppedLeaderIsPutOutAndTheOthersStayEqual() throws Exception {
    start(3);
    Transfers transfers = new Transfers(cluster, 4);
    try {
      awaitMore(transfers);
      cluster.servers.get(0).signal("STOP");
      try {
        Await.until("the leader to be out", () -> in().size() == 2);
        awaitMore(transfers);
        transfers.end();
      } finally {
        cluster.servers.get(0).signal("CONT");
      }
      assertThat(transfers.told()).allMatch(told -> told.startsWith("40001"));
      assertThat(cluster.replicator.verify()).isEmpty();
      checkMoves(cluster.servers.get(1), transfers);
      checkMoves(cluster.servers.get(2), transfers);
    } finally {
      transfers.end();
    }
  }

  /** As with PostgreSQL, nothing is open after COMMIT, whether it failed or not. */
  @Test
  void aCommitThatFailsEndsTheTransaction() throws Exception {
    start(3);
    for (boolean noticed : new boolean[] {false, true}) {
      try (RawClient client = RawClient.trusted(cluster.replicator.address())) {
        client.send(
            RawClient.message('Q', "begin; update account set balance = balance where id = 1"));
        client.readTo('Z');
        cluster.servers.get(noticed ? 1 : 0).kill();
        int left = noticed ? 1 : 2;
        if (noticed) {
          Await.until("the leader to be out", () -> in().size() == left);
        }
        client.send(RawClient.message('Q', "commit"));
        assertThat(client.read().type()).isEqualTo('E');
        Frame ready = client.read();
        assertThat((char) ready.body().getByte(ready.body().readerIndex())).isEqualTo('I');
        client.send(
            RawClient.message(
                'Q', "begin; update account set balance = balance where id = 1; commit"));
        assertThat(client.readTo('Z')).isEqualTo("CCCZ");
      }
    }
  }

  @Test
  void aServerWhoseRowsDifferIsPutOutAndStaysOut() throws Exception {
    start(2);
    cluster.servers.get(1).sql("app", "delete from account where id = 7");
    try (Connection alice = cluster.alice();
        Statement statement = alice.createStatement()) {
      assertThat(statement.executeUpdate("update account set balance = 5 where id = 7")).isOne();
      Await.until("the second server to be out", () -> in().size() == 1);
      try (ResultSet rows = statement.executeQuery("select balance from account where id = 7")) {
        rows.next();
        assertThat(rows.getInt(1)).isEqualTo(5);
      }
    }
    cluster.replicator.close();
    cluster.startReplicator();
    assertThat(in()).containsExactly(cluster.servers.get(0).address.toString());
  }

  @Test
  void serversThatDifferAtTheFirstStartAreToldApart() throws Exception {
    cluster = new Cluster(folder, 2, Transfers.TABLES);
    cluster.servers.get(1).sql("app", "update account set balance = 5 where id < 4");
    cluster.startReplicator();
    assertThat(in()).containsExactly(cluster.servers.get(0).address.toString());
    assertThat(cluster.replicator.whyOut(1)).contains("3 rows of public.account of app differ");
  }

  @Test
  void anEndedBackendEndsItsSessionAndPutsNobodyOut() throws Exception {
    start(2);
    try (RawClient client = RawClient.trusted(cluster.replicator.address())) {
      cluster
          .servers
          .get(1)
          .sql(
              "app",
              "select pg_terminate_backend(pid) from pg_stat_activity where usename='trusted'");
      assertThat(client.readToEnd()).hasSize(1);
    }
    assertThat(in()).hasSize(2);
  }

  private List<String> in() {
    return cluster.replicator.serversIn();
  }

  private static void awaitMore(Transfers transfers) {
    long before = transfers.done();
    Await.until("200 more moves", () -> transfers.done() > before + 200);
  }

  private static void checkMoves(Postgres at, Transfers transfers) throws SQLException {
    try (Connection direct = at.direct("app");
        Statement statement = direct.createStatement()) {
      try (ResultSet rows = statement.executeQuery("select sum(balance) from account")) {
        rows.next();
        assertThat(rows.getLong(1)).isEqualTo(20_000);
      }
      for (int client = 0; client < transfers.acknowledged().size(); client++) {
        try (ResultSet rows =
            statement.executeQuery(
                "select count(*), max(number) from move where client = " + client)) {
          rows.next();
          assertThat(rows.getInt(1)).as("no number is missing").isEqualTo(rows.getInt(2));
          assertThat(rows.getInt(2)).isGreaterThanOrEqualTo(transfers.acknowledged().get(client));
        }
      }
    }
  }
}
