package io.mgtm.query.member;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.testing.Await;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The replicator's process is killed while clients write, and started again. */
class ReplicatorDiesIT {
  private static final int ROUNDS_LONG = Integer.getInteger("mgtm.rounds", 6);
  private static final int MISSED = 3;

  @TempDir private Path folder;
  private Cluster cluster;
  private LoneReplicator replicator;

  @BeforeAll
  static void need() {
    Tools.needPostgres();
  }

  @AfterEach
  void stop() throws Exception {
    if (replicator != null) {
      replicator.close();
    }
    if (cluster != null) {
      cluster.close();
    }
  }

  @Test
  void whatWasAcknowledgedIsAtAllServersAndNothingIsThereTwice() throws Exception {
    dies(1);
  }

  @Test
  @Tag("long")
  void norAfterManyDeaths() throws Exception {
    dies(ROUNDS_LONG);
  }

  /** All that was decided and is nowhere goes to all, and is told of in one line for each. */
  @Test
  void aStartTellsHowManyEachHasMissed() throws Exception {
    cluster = new Cluster(folder, 2, "dtp", "create table kept (id int primary key)");
    replicator = new LoneReplicator(cluster);
    replicator.start();
    Postgres other = cluster.servers.get(1);
    String waits = " from pg_locks where not granted and relation = 'mgtm.position'::regclass";
    List<CompletableFuture<Void>> clients = new ArrayList<>();
    try (Connection holds = other.direct("app")) {
      cluster.alice().close(); // The table is there.
      holds.setAutoCommit(false);
      holds.createStatement().execute("lock table mgtm.position in exclusive mode");
      for (int i = 0; i < MISSED; i++) {
        String insert = "insert into kept (id) values (%d)".formatted(i);
        clients.add(CompletableFuture.runAsync(() -> write(insert)));
      }
      Await.until("all to wait", () -> other.number("select count(*)" + waits) == MISSED);
      replicator.kill();
      clients.forEach(client -> client.exceptionally(broken -> null).join());
      Await.until(
          "all to be gone",
          () -> other.number("select count(pg_terminate_backend(pid))" + waits) == 0);
    }
    replicator.start();
    cluster.alice().close(); // It serves.

    String said = replicator.said();
    assertThat(cluster.number("select count(*) from kept")).as(said).isEqualTo(MISSED);
    assertThat(said).doesNotContain("misses transaction");
    for (Postgres one : cluster.servers) {
      String line = "%s was given %d transactions that it missed".formatted(one.address, MISSED);
      assertThat(said).containsOnlyOnce(line);
    }
  }

  private void write(String sql) {
    try (Connection alice = cluster.alice()) {
      alice.createStatement().execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private void dies(int rounds) throws Exception {
    cluster = new Cluster(folder, 2, "dtp", Transfers.TABLES);
    replicator = new LoneReplicator(cluster);
    replicator.start();
    Transfers transfers = new Transfers(cluster, 4);
    try {
      for (int round = 0; round < rounds; round++) {
        long before = transfers.done();
        Await.until("more moves", () -> transfers.done() > before + 100);
        replicator.kill();
        replicator.start();
      }
      long before = transfers.done();
      Await.until("more moves", () -> transfers.done() > before + 100);
    } finally {
      transfers.end();
    }
    replicator.shutDown();
    // The log was enough to tell what is missing where.
    assertThat(replicator.said()).doesNotContain("rows are compared");
    cluster.external = null;
    cluster.startReplicator();
    cluster.assertMoved(transfers);
  }
}
