package io.mgtm.bench.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.gtm.config.HostPort;
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
@Timeout(240)
class PartitionIT {
  private static final int CLIENT_PORT = 6666;
  private static final int GROUP_PORT = 7666;
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
    List<String> names = List.of("g1", "g2", "g3");
    LocalSettings settings =
        new LocalSettings(
            folder,
            names.stream().map(n -> new HostPort(network.address(n), CLIENT_PORT)).toList(),
            names.stream().map(n -> new HostPort(network.address(n), GROUP_PORT)).toList(),
            new HostPort(network.address("proxy"), CLIENT_PORT),
            "fifo",
            LocalSettings.JVM_OPTIONS,
            List.of());
    return GroupUnderLoad.start(settings, network::place);
  }

  private static String leaderOf(GroupUnderLoad running) throws IOException {
    return running.group().settings().name(running.group().awaitLeader(GroupUnderLoad.LEADER_MS));
  }

  private List<String> others(String leader) {
    return List.of("g1", "g2", "g3").stream().filter(n -> !n.equals(leader)).toList();
  }

  @Test
  void aLeaderThatIsCutOffFromAllIsReplaced() throws Exception {
    try (GroupUnderLoad running = start()) {
      String leader = leaderOf(running);
      for (String other : others(leader)) {
        network.cut(leader, other);
      }
      network.cut(leader, "proxy");
      running.awaitProgress(2_000);
      running.notePause();
      network.heal();
      running.awaitProgress(2_000);
      running.verify();
    }
  }

  @Test
  void aLeaderThatIsCutOffWithItsClientsAcknowledgesNothing() throws Exception {
    try (GroupUnderLoad running = start()) {
      String leader = leaderOf(running);
      for (String other : others(leader)) {
        network.cut(leader, other);
        network.cut("proxy", other);
      }
      TimeUnit.MILLISECONDS.sleep(CUT_MS);
      network.heal();
      running.awaitProgress(2_000);
      running.verify();
    }
  }

  @Test
  void aLeaderThatKeepsItsClientsButLosesItsGroupIsReplaced() throws Exception {
    try (GroupUnderLoad running = start()) {
      String leader = leaderOf(running);
      for (String other : others(leader)) {
        network.cut(leader, other);
      }
      running.awaitProgress(2_000);
      assertThat(running.notePause()).isPositive();
      network.heal();
      running.awaitProgress(2_000);
      running.verify();
    }
  }

  @Test
  void aLeaderThatIsHeardByNobodyIsReplaced() throws Exception {
    try (GroupUnderLoad running = start()) {
      String leader = leaderOf(running);
      for (String other : others(leader)) {
        network.lose(leader, other);
      }
      running.awaitProgress(2_000);
      network.heal();
      running.awaitProgress(2_000);
      running.verify();
    }
  }

  @Test
  void aLeaderThatHearsNobodyIsReplaced() throws Exception {
    try (GroupUnderLoad running = start()) {
      String leader = leaderOf(running);
      for (String other : others(leader)) {
        network.lose(other, leader);
      }
      running.awaitProgress(2_000);
      network.heal();
      running.awaitProgress(2_000);
      running.verify();
    }
  }

  @Test
  void aFollowerThatIsCutOffIsNotMissed() throws Exception {
    try (GroupUnderLoad running = start()) {
      String leader = leaderOf(running);
      String follower = others(leader).get(0);
      network.cut(follower, leader);
      network.cut(follower, others(leader).get(1));
      running.awaitProgress(5_000);
      network.heal();
      running.awaitProgress(2_000);
      running.verify();
    }
  }
}
