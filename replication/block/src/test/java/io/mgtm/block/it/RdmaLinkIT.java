package io.mgtm.block.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.rdma.Rdma;
import io.mgtm.rdma.RdmaDomain;
import io.mgtm.rdma.RdmaException;
import io.mgtm.testing.Await;
import io.mgtm.testing.OwnAddress;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Links over RDMA, on whatever device there is; docker/lab/volume-tests brings Soft-RoCE. */
class RdmaLinkIT {
  private static final int SIZE = 16 << 20;

  @TempDir Path folder;
  private VolumeProcess left;
  private VolumeProcess right;

  @AfterEach
  void close() {
    if (left != null) {
      left.close();
      right.close();
    }
  }

  private static String deviceAddress() throws SocketException {
    String reason = "no local IPv4 address has an RDMA device";
    Optional<InetAddress> found = Optional.empty();
    if (Rdma.available().usable()) {
      found =
          NetworkInterface.networkInterfaces()
              .flatMap(NetworkInterface::inetAddresses)
              .filter(it -> it instanceof Inet4Address && !it.isLoopbackAddress())
              .filter(RdmaLinkIT::hasDevice)
              .findFirst();
    } else {
      reason = Rdma.available().reason();
    }
    if (found.isEmpty()) {
      System.out.println("SKIPPED: " + reason);
    }
    Assumptions.assumeTrue(found.isPresent(), reason);
    return "rdma:" + found.get().getHostAddress();
  }

  private static boolean hasDevice(InetAddress address) {
    try (RdmaDomain domain = RdmaDomain.open(address)) {
      return !domain.deviceName().isEmpty();
    } catch (RdmaException e) {
      return false;
    }
  }

  private void startPair(String mode, String... options) throws Exception {
    String device = deviceAddress();
    right =
        new VolumeProcess(folder, "right", OwnAddress.port())
            .receivingAt(device)
            .with("--size", Integer.toString(SIZE), "--path-timeout-ms", "20000");
    left =
        new VolumeProcess(folder, "left", OwnAddress.port())
            .listening()
            .replicaAt(device, right, mode)
            .with("--size", Integer.toString(SIZE), "--path-timeout-ms", "20000")
            .with(options);
    right.start();
    left.start();
    left.awaitUpToDate();
  }

  private void writeRandomly(int writes, long seed) throws Exception {
    Random random = new Random(seed);
    try (NbdClient client = new NbdClient(left.socket(), VolumeProcess.VOLUME)) {
      for (int i = 0; i < writes; i++) {
        byte[] data = new byte[1 + random.nextInt(i % 8 == 0 ? 300_000 : 8_192)];
        random.nextBytes(data);
        assertThat(client.write(random.nextInt(SIZE - data.length), data, i % 10 == 0)).isZero();
      }
      assertThat(client.flush()).isZero();
    }
  }

  private void awaitSame() throws Exception {
    Await.until("equal", () -> Files.mismatch(left.file(), right.file()) == -1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"sync", "semi", "async"})
  void aReplicaOverRdmaTakesEveryWrite(String mode) throws Exception {
    startPair(mode, "--compress", mode.equals("async") ? "lz4" : "none");
    writeRandomly(100, 1);
    if (mode.equals("sync")) {
      assertThat(Files.mismatch(left.file(), right.file())).isEqualTo(-1);
    }
    awaitSame();
  }

  @Test
  void aLostReplicaOverRdmaIsResynced() throws Exception {
    startPair("sync");
    writeRandomly(20, 2);
    right.kill();
    writeRandomly(20, 3);
    assertThat(left.linkState(0)).isNotEqualTo("up-to-date");
    right.start();
    left.awaitUpToDate();
    awaitSame();
    left.stop();
    right.stop();
    assertThat(Files.mismatch(left.file(), right.file())).isEqualTo(-1);
  }
}
