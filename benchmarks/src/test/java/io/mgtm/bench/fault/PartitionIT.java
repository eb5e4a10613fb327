package io.mgtm.bench.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.bench.failover.ProcessNetwork;
import io.mgtm.bench.load.MixedLoad;
import io.mgtm.local.LocalSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * Each node and the proxy has a network of its own, and packets between them are lost: through the
 * proxy no request fails, no gxid and no value comes twice, no snapshot is wrong.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PartitionIT {
  private static final List<String> NAMES = List.of("g1", "g2", "g3");

  /** Requests of clients of the others. */
  private static final int MEANWHILE = 200;

  @TempDir static Path folder;
  private ProcessNetwork network;
  private GroupUnderLoad running;

  @BeforeAll
  void start() throws IOException, InterruptedException {
    network = TestNetwork.make("g1", "g2", "g3", "proxy");
    running =
        GroupUnderLoad.start(
            ConfiguredNodes.of(
                network.installation(folder, NAMES, "fifo", GroupUnderLoad.jvmOptions()),
                folder,
                "links: {graceMs: 600000}\n"),
            network::place);
  }

  @AfterAll
  void verify() throws IOException, InterruptedException {
    if (network == null) {
      return;
    }
    try {
      if (running != null) {
        try (GroupUnderLoad ends = running) {
          ends.verify();
        }
      }
    } finally {
      network.close();
    }
  }

  /** Packets that are lost from now on. */
  private interface Cut {
    void make(String leader, List<String> others) throws IOException;
  }

  /** What is seen until the network is whole again. */
  private interface During {
    void see(GroupUnderLoad running, String leader) throws Exception;
  }

  private static void groupServes(GroupUnderLoad running, String leader) {
    running.awaitProgress(500);
    assertThat(running.notePause()).isPositive();
  }

  private void underLoad(Cut cut, During during) throws Exception {
    running.awaitVoters(3);
    LocalSettings settings = running.group().settings();
    String leader = settings.name(running.group().awaitLeader(GroupUnderLoad.LEADER_MS));
    try {
      cut.make(leader, NAMES.stream().filter(n -> !n.equals(leader)).toList());
      during.see(running, leader);
    } finally {
      network.heal();
    }
    running.awaitProgress(500);
  }

  @Tag("long")
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
  @Tag("long")
  void aLeaderThatIsCutOffWithItsClientsAcknowledgesNothing() throws Exception {
    underLoad(
        (leader, others) -> {
          network.cut(leader, others);
          network.cut("proxy", others);
        },
        PartitionIT::nothingIsAcknowledgedBesideTheOthers);
  }

  private static void nothingIsAcknowledgedBesideTheOthers(GroupUnderLoad running, String leader)
      throws Exception {
    try (MixedLoad direct = running.loadNode(running.awaitSuccessor(leader))) {
      // Replies that were under way may still come, late on a slow machine, but not again and
      // again.
      long served;
      int tries = 0;
      do {
        assertThat(tries++).as("times that something was acknowledged").isLessThan(4);
        GroupUnderLoad.awaitServed(direct, MEANWHILE);
        served = running.served();
        GroupUnderLoad.awaitServed(direct, MEANWHILE);
      } while (running.served() != served);
      assertThat(direct.finish().clean()).isTrue();
    }
  }

  @Test
  void aLeaderThatKeepsItsClientsButLosesItsGroupIsReplaced() throws Exception {
    underLoad((leader, others) -> network.cut(leader, others), PartitionIT::groupServes);
  }

  @Test
  @Tag("long")
  void aLeaderThatIsHeardByNobodyIsReplaced() throws Exception {
    underLoad((leader, others) -> network.lose(leader, others), PartitionIT::groupServes);
  }

  @Test
  @Tag("long")
  void aLeaderThatHearsNobodyIsReplaced() throws Exception {
    underLoad(
        (leader, others) -> {
          network.lose(others.get(0), leader);
          network.lose(others.get(1), leader);
        },
        PartitionIT::groupServes);
  }

  @Test
  @Tag("long")
  void aFollowerThatIsCutOffIsNotMissed() throws Exception {
    underLoad(
        (leader, others) -> {
          network.cut(others.get(0), leader);
          network.cut(others.get(0), others.get(1));
        },
        (running, leader) -> running.awaitProgress(1_250));
  }
}
