package io.mgtm.bench.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.proxy.local.LocalSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Each node and the proxy has a network of its own, and packets between them are lost: through the
 * proxy no request fails, no gxid and no value comes twice, no snapshot is wrong.
 */
@Timeout(900)
class PartitionIT {
  private static final List<String> NAMES = List.of("g1", "g2", "g3");
  private static final int CUT_MS = 4_000;

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
    return GroupUnderLoad.start(network.installation(folder, NAMES, "fifo"), network::place);
  }

  /** Packets that are lost from now on. */
  private interface Cut {
    void make(String leader, List<String> others) throws IOException;
  }

  /** What is seen until the network is whole again. */
  private interface During {
    void see(GroupUnderLoad running) throws Exception;
  }

  private static void groupServes(GroupUnderLoad running) throws InterruptedException {
    running.awaitProgress(2_000);
    assertThat(running.notePause()).isPositive();
  }

  private void underLoad(Cut cut, During during) throws Exception {
    try (GroupUnderLoad running = start()) {
      LocalSettings settings = running.group().settings();
      String leader = settings.name(running.group().awaitLeader(GroupUnderLoad.LEADER_MS));
      cut.make(leader, NAMES.stream().filter(n -> !n.equals(leader)).toList());
      during.see(running);
      network.heal();
      running.awaitProgress(2_000);
      running.verify();
    }
  }

  @Test
  void aLeaderThatIsCutOffFromAllIsReplaced() throws Exception {
    underLoad(
        (leader, others) -> {
          network.cut(leader, others);
          network.cut(leader, "proxy");
        },
        PartitionIT::groupServes);
  }

  @Test
  void aLeaderThatIsCutOffWithItsClientsAcknowledgesNothing() throws Exception {
    underLoad(
        (leader, others) -> {
          network.cut(leader, others);
          network.cut("proxy", others);
        },
        running -> {
          // Replies that were under way when the cut was made may still come, late on a slow
          // machine, but not again and again.
          long served;
          int tries = 0;
          do {
            assertThat(tries++).as("times that something was acknowledged").isLessThan(4);
            TimeUnit.MILLISECONDS.sleep(CUT_MS / 4);
            served = running.served();
            TimeUnit.MILLISECONDS.sleep(CUT_MS);
          } while (running.served() != served);
        });
  }

  @Test
  void aLeaderThatKeepsItsClientsButLosesItsGroupIsReplaced() throws Exception {
    underLoad((leader, others) -> network.cut(leader, others), PartitionIT::groupServes);
  }

  @Test
  void aLeaderThatIsHeardByNobodyIsReplaced() throws Exception {
    underLoad((leader, others) -> network.lose(leader, others), PartitionIT::groupServes);
  }

  @Test
  void aLeaderThatHearsNobodyIsReplaced() throws Exception {
    underLoad(
        (leader, others) -> {
          network.lose(others.get(0), leader);
          network.lose(others.get(1), leader);
        },
        PartitionIT::groupServes);
  }

  @Test
  void aFollowerThatIsCutOffIsNotMissed() throws Exception {
    underLoad(
        (leader, others) -> {
          network.cut(others.get(0), leader);
          network.cut(others.get(0), others.get(1));
        },
        running -> running.awaitProgress(5_000));
  }
}
