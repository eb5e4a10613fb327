package io.mgtm.bench.fault;

import io.mgtm.bench.failover.ProcessNetwork;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Mode total: members that are cut off from the others, and keep the proxy, are left by it. */
@Tag("long")
class TotalPartitionIT {
  private static final Logger log = LoggerFactory.getLogger(TotalPartitionIT.class);
  private static final List<String> NAMES = List.of("g1", "g2", "g3");

  @TempDir Path folder;
  private ProcessNetwork network;

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
    return GroupUnderLoad.start(
        network.installation(folder, NAMES, "total", GroupUnderLoad.jvmOptions()), network::place);
  }

  /** What is lost between a member and the others. */
  private interface Cut {
    void make(String member, List<String> others) throws IOException;
  }

  private void inTurn(String what, Cut cut) throws IOException, InterruptedException {
    try (GroupUnderLoad running = start()) {
      for (String member : NAMES) {
        cut.make(member, NAMES.stream().filter(name -> !name.equals(member)).toList());
        running.awaitProgress(2_000);
        running.notePause();
        network.heal();
        running.awaitProgress(2_000);
        running.awaitAllServe();
      }
      running.verify();
      log.info("{}: longest request in ms: {}", what, running.pausesMs());
    }
  }

  @Test
  void eachMemberInTurnIsCutOffAndItsGatewayGoesToAnother() throws Exception {
    inTurn("cut off in turn", (member, others) -> network.cut(member, others));
  }

  @Test
  void aMemberThatIsHeardByNobodyIsLeft() throws Exception {
    inTurn("heard by nobody", (member, others) -> network.lose(member, others));
  }
}
