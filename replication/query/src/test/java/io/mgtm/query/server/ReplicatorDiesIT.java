package io.mgtm.query.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.testing.Await;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The replicator's process is killed while clients write, and started again. */
class ReplicatorDiesIT {
  private static final int ROUNDS_LONG = Integer.getInteger("mgtm.rounds", 6);

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
