package io.mgtm.bench.fault;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Mode total: members that are cut off from the others, and keep the proxy, are left by it. */
@Timeout(240)
class TotalPartitionIT {
  private static final Logger log = LoggerFactory.getLogger(TotalPartitionIT.class);
  private static final List<String> NAMES = List.of("g1", "g2", "g3");

  @TempDir Path folder;
  private TestNetwork network;

  @BeforeEach
  void makeNetwork() throws IOException {
    network = TestNetwork.make("g1", "g2", "g3", "proxy");
  }

  @AfterEach
  void removeNetwork() throws IOException {
    if (network != null) {
      network.close();
    }
  }

  private GroupUnderLoad start() throws IOException, InterruptedException {
    return GroupUnderLoad.start(network.installation(folder, NAMES, "total"), network::place);
  }

  @Test
  void eachMemberInTurnIsCutOffAndItsFrontGoesToAnother() throws Exception {
    try (GroupUnderLoad running = start()) {
      for (String alone : NAMES) {
        for (String other : NAMES) {
          if (!other.equals(alone)) {
            network.cut(alone, other);
          }
        }
        running.awaitProgress(2_000);
        running.notePause();
        network.heal();
        running.awaitProgress(2_000);
        running.awaitAllServe();
      }
      running.verify();
      log.info("cut off in turn: longest request in ms: {}", running.pausesMs());
    }
  }

  @Test
  void aMemberThatIsHeardByNobodyIsLeft() throws Exception {
    try (GroupUnderLoad running = start()) {
      for (String silent : NAMES) {
        for (String other : NAMES) {
          if (!other.equals(silent)) {
            network.lose(silent, other);
          }
        }
        running.awaitProgress(2_000);
        running.notePause();
        network.heal();
        running.awaitProgress(2_000);
        running.awaitAllServe();
      }
      running.verify();
      log.info("heard by nobody: longest request in ms: {}", running.pausesMs());
    }
  }
}
