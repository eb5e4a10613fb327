package io.mgtm.bench.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.bench.failover.ProcessNetwork;
import io.mgtm.bench.load.MixedLoad;
import io.mgtm.local.LocalSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two nodes that keep data and a witness, each with the proxy in a network of its own: through the
 * proxy no request fails, no gxid and no value comes twice, no snapshot is wrong.
 */
@Tag("long")
class WitnessIT {
  private static final String WITNESS = "g3";
  private static final int WITNESS_NODE = 2;
  private static final int PROGRESS = 2_000;

  /**
   * However slow the machine is: gateways are waited for, and keep their sessions while cut off.
   */
  private static final String PATIENT =
      "group: {recoveryWaitMs: 30000}\nlinks: {graceMs: 600000}\n";

  @TempDir private Path folder;
  @TempDir private Path scratch;
  private ProcessNetwork network;
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
    start(mode, List.of("g1", "g2", WITNESS), List.of("--witness", WITNESS));
    awaitPair();
  }

  private void start(String mode, List<String> nodes, List<String> options)
      throws IOException, InterruptedException {
    network = TestNetwork.make("g1", "g2", WITNESS, "proxy");
    LocalSettings settings =
        network
            .installation(folder, nodes, mode, GroupUnderLoad.jvmOptions())
            .withNodeOptions(options);
    running = GroupUnderLoad.start(ConfiguredNodes.of(settings, scratch, PATIENT), network::place);
  }

  private int leaderNode() throws IOException {
    return running.group().awaitLeader(GroupUnderLoad.LEADER_MS);
  }

  /** The node with data that does not lead. */
  private int otherNode() throws IOException {
    return 1 - leaderNode();
  }

  /** Waits until both keep what is acknowledged, so that either may go. */
  private void awaitPair() throws InterruptedException {
    running.awaitVoters(3);
    running.awaitWarning("");
  }

  private static String name(int node) {
    return "g" + (node + 1);
  }

  @Test
  void aPairInFifoGoesOnWhenOneIsKilledOrHangs() throws Exception {
    killAndHang("fifo");
  }

  @Test
  void aPairInLazyGoesOnWhenOneIsKilledOrHangs() throws Exception {
    killAndHang("lazy");
  }

  private void killAndHang(String mode) throws Exception {
    start(mode);
    running.killFollower(otherNode(), PROGRESS);
    awaitPair();
    running.killLeader(PROGRESS);
    awaitPair();
    running.group().node(WITNESS_NODE).kill();
    running.awaitWarning("The witness g3 has not answered for ");
    running.awaitProgress(PROGRESS);
    running.group().restartNode(WITNESS_NODE);
    awaitPair();
    try (MixedLoad direct = running.loadNode(leaderNode())) {
      running.hangLeader(PROGRESS);
      awaitPair();
      verify(direct);
    }
    running.verify();
  }

  @Test
  void aWitnessOfLazyThatLosesItsDiskJoinsAgain() throws Exception {
    start("lazy");
    awaitPair();
    running.group().node(WITNESS_NODE).kill();
    running.awaitWarning("The witness g3 has not answered for ");
    Files.move(folder.resolve(WITNESS), folder.resolve("lost"));
    running.group().restartNode(WITNESS_NODE);
    running.awaitWarning("");
    awaitPair();
    running.killLeader(PROGRESS);
    awaitPair();
    running.verify();
  }

  @Test
  void aPairInLazyThatIsCutInTwoLeadsOnce() throws Exception {
    cutInTwo("lazy");
  }

  @Test
  void aPairInFifoThatIsCutInTwoLeadsOnce() throws Exception {
    cutInTwo("fifo");
  }

  private void cutInTwo(String mode) throws Exception {
    start(mode);
    network.cut("g1", "g2");
    running.awaitProgress(PROGRESS);
    running.awaitWarning("with the witness g3 alone");
    running.awaitServing(Set.of(leaderNode()));
    network.heal();
    awaitPair();

    int leader = leaderNode();
    int other = 1 - leader;
    try (MixedLoad direct = running.loadNode(leader)) {
      network.cut(name(leader), List.of(name(other), WITNESS));
      running.awaitServing(Set.of(other));
      running.awaitProgress(PROGRESS);
      network.heal();
      awaitPair();
      assertThat(leaderNode()).isEqualTo(other);
      verify(direct);
    }
    running.verify();
  }

  private static void verify(MixedLoad direct) throws InterruptedException {
    MixedLoad.Result result = direct.finish();
    assertThat(result.firstErrors()).isEmpty();
    assertThat(result.firstFindings()).isEmpty();
  }

  /** Planted: what the witness is for. */
  @Test
  void withoutAWitnessBothSidesOfALazyPairServe() throws Exception {
    start("lazy", List.of("g1", "g2"), List.of());
    running.awaitVoters(2);
    network.cut("g1", "g2");
    running.awaitServing(Set.of(0, 1));
  }
}
