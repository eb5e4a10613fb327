package io.mgtm.bench.fault;

import io.mgtm.proxy.local.LocalSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two nodes that keep data and a witness, each with the proxy in a network of its own: through the
 * proxy no request fails, no gxid and no value comes twice, no snapshot is wrong.
 */
class WitnessIT {
  private static final String WITNESS = "g3";
  private static final int WITNESS_NODE = 2;

  @TempDir private Path folder;
  private TestNetwork network;
  private GroupUnderLoad running;

  @AfterEach
  void end() throws IOException {
    try {
      if (running != null) {
        running.close();
      }
    } finally {
      if (network != null) {
        network.close();
      }
    }
  }

  private void start(String mode) throws IOException, InterruptedException {
    network = TestNetwork.make("g1", "g2", WITNESS, "proxy");
    LocalSettings settings =
        network.installation(
            folder, List.of("g1", "g2", WITNESS), mode, List.of("--witness", WITNESS));
    running = GroupUnderLoad.start(settings, network::place);
  }

  private int leaderNode() throws IOException {
    return running.group().awaitLeader(GroupUnderLoad.LEADER_MS);
  }

  /** The node with data that does not lead. */
  private int otherNode() throws IOException {
    return 1 - leaderNode();
  }

  @Test
  void aPairGoesOnWithItsWitnessWhenOneIsKilledOrTheLineIsCut() throws Exception {
    start("fifo");
    running.awaitVoters(3);
    running.killFollower(otherNode(), 2_000);
    running.awaitVoters(3);
    running.killLeader(2_000);
    running.awaitVoters(3);
    running.killFollower(WITNESS_NODE, 2_000);
    running.awaitVoters(3);

    network.cut("g1", "g2");
    running.awaitProgress(2_000);
    network.heal();
    running.awaitVoters(3);

    running.verify();
  }
}
