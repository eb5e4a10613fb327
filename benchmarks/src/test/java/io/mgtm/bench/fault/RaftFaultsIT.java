package io.mgtm.bench.fault;

import io.mgtm.proxy.local.LocalSettings;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Mode raft: processes are killed and stopped under load through the proxy; no request fails, no
 * gxid and no value comes twice, no snapshot is wrong.
 */
@Timeout(900)
class RaftFaultsIT {
  private static final Logger log = LoggerFactory.getLogger(RaftFaultsIT.class);
  private static final int KILLS = 5;
  private static final int REQUESTS = 500;

  @TempDir Path folder;

  private GroupUnderLoad start() throws IOException, InterruptedException {
    return GroupUnderLoad.start(LocalSettings.free(folder, 3, "raft"));
  }

  @Test
  void leadersThatAreKilledOneAfterAnotherAreNotMissed() throws Exception {
    try (GroupUnderLoad running = start()) {
      for (int i = 0; i < KILLS; i++) {
        running.killLeader(REQUESTS);
        running.awaitVoters(3);
        running.awaitProgress(REQUESTS);
      }
      running.verify();
      log.info("leader killed: longest request in ms {}", running.pausesMs());
    }
  }

  @Test
  void aLeaderThatHangsIsReplacedAndMayComeBack() throws Exception {
    try (GroupUnderLoad running = start()) {
      running.hangLeader(REQUESTS);
      running.awaitVoters(3);
      running.awaitProgress(REQUESTS);
      running.verify();
      log.info("leader stopped: longest request in ms {}", running.pausesMs());
    }
  }

  @Test
  void allNodesKilledAtOnceGoOnWhereTheyWere() throws Exception {
    try (GroupUnderLoad running = start()) {
      for (int i = 0; i < 3; i++) {
        running.group().node(i).kill();
      }
      for (int i = 0; i < 3; i++) {
        running.group().restartNode(i);
      }
      running.awaitProgress(REQUESTS);
      running.verify();
    }
  }
}
