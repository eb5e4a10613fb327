package io.mgtm.block.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.mgtm.testing.Await;
import io.mgtm.testing.OwnAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * An asynchronous replica beyond a wide-area line: 15 ms and 3 ms of jitter, 0.1 % loss, 100
 * Mbit/s. Needs the kernel lab's two ends, {@code eth-a} here and {@code eth-b} in the network
 * namespace {@code peer}.
 */
class WanIT {
  private static final int CHUNK = 65_536;

  @TempDir Path folder;
  private VolumeProcess left;
  private VolumeProcess right;

  @AfterEach
  void close() throws Exception {
    if (left != null) {
      run("tc qdisc del dev eth-a root; ip link set eth-a up; true");
      left.close();
      right.close();
    }
  }

  private Tools.Result run(String script) throws Exception {
    return Tools.run(folder, "bash", "-c", script);
  }

  private void writeChunks(int seed, int... chunks) throws Exception {
    Random random = new Random(seed);
    try (NbdClient client = new NbdClient(left.socket(), VolumeProcess.VOLUME)) {
      for (int chunk : chunks) {
        byte[] data = new byte[4096];
        random.nextBytes(data);
        assertThat(client.write((long) chunk * CHUNK + 8192, data, false)).isZero();
      }
      assertThat(client.flush()).isZero();
    }
  }

  @Test
  void exactlyWhatChangedIsSentAfterTheLineWasCut() throws Exception {
    boolean lab = Files.exists(Path.of("/run/netns/peer")) && run("ip link show eth-a").code() == 0;
    if (!lab) {
      System.out.println("SKIPPED: there is no network namespace 'peer' behind eth-a");
    }
    Assumptions.assumeTrue(lab, "there is no network namespace 'peer' behind eth-a");
    run("tc qdisc add dev eth-a root handle 1: netem delay 15ms 3ms loss 0.1% && tc qdisc add dev"
            + " eth-a parent 1: handle 2: tbf rate 100mbit burst 256kb latency 400ms")
        .succeeded();
    right =
        new VolumeProcess(folder, "right", OwnAddress.port())
            .by("ip", "netns", "exec", "peer")
            .receivingAt("10.77.0.2")
            .with("--size", "32M", "--path-timeout-ms", "20000");
    left =
        new VolumeProcess(folder, "left", OwnAddress.port())
            .listening()
            .replicaAt("10.77.0.2", right, "async")
            .with("--size", "32M", "--path-timeout-ms", "20000", "--bits-kept", "0");
    right.start();
    left.start();
    left.awaitUpToDate();
    for (int round = 0; round < 8; round++) {
      writeChunks(round, 1 + round, 40 + round, 300 - round, 500);
    }
    Await.until(
        "all is confirmed and cooled down", () -> left.link(0).path("bitsSet").asInt() == 0);
    assertThat(Files.mismatch(left.file(), right.file())).isEqualTo(-1);

    run("ip link set eth-a down").succeeded();
    writeChunks(99, 3, 77, 78, 200, 201, 333, 511);
    Await.until("the loss is noticed", () -> !left.isUpToDate());
    writeChunks(100, 3, 78);
    run("ip link set eth-a up").succeeded();
    left.awaitUpToDate();
    JsonNode resync = left.link(0).path("resync");
    assertThat(resync.path("chunksSent").asInt()).isEqualTo(7);
    assertThat(Files.mismatch(left.file(), right.file())).isEqualTo(-1);
  }
}
