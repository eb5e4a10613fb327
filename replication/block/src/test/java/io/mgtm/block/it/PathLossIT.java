package io.mgtm.block.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.mgtm.testing.Await;
import io.mgtm.testing.OwnAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** fio's own verification while paths are lost and come back, and bad conditions on one side. */
class PathLossIT {
  @TempDir Path folder;
  private VolumeProcess left;
  private VolumeProcess right;

  @AfterEach
  void close() {
    for (VolumeProcess volume : Arrays.asList(left, right)) {
      if (volume != null) {
        volume.close();
      }
    }
  }

  @Test
  void fioFindsNoWrongChecksumWhilePathsAreLostAndResynced() throws Exception {
    loseAndResync("sync", 2);
  }

  @ParameterizedTest
  @Tag("long")
  @ValueSource(strings = {"semi", "async"})
  void norDoesItWithLooserReplication(String mode) throws Exception {
    loseAndResync(mode, 4);
  }

  /** Waits until so many more requests are answered, or whoever makes them has ended. */
  private void awaitRequests(long more, CompletableFuture<?> client) throws IOException {
    long until = requests() + more;
    Await.until("requests are answered", () -> client.isDone() || requests() >= until);
  }

  private long requests() throws IOException {
    JsonNode requests = left.status().path("requests");
    return requests.path("read").path("count").asLong()
        + requests.path("write").path("count").asLong();
  }

  private void loseAndResync(String mode, int lossesMax) throws Exception {
    Tools.need("fio");
    right =
        new VolumeProcess(folder, "right", OwnAddress.port())
            .receiving()
            .with("--size", "64M")
            .start();
    left =
        new VolumeProcess(folder, "left", 0)
            .listening()
            .with("--size", "64M")
            .replica(right, mode)
            .start();
    left.awaitUpToDate();
    CompletableFuture<Tools.Result> fio =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return Tools.run(
                    folder,
                    "fio",
                    "--name=v",
                    "--ioengine=nbd",
                    "--uri=" + left.uri(),
                    "--rw=randrw",
                    "--bs=4k",
                    "--iodepth=16",
                    "--size=64M",
                    "--io_size=48M",
                    "--verify=crc32c",
                    "--verify_fatal=1",
                    "--do_verify=1",
                    "--fsync=32",
                    "--rate_iops=1500",
                    "--output-format=terse");
              } catch (Exception e) {
                throw new IllegalStateException(e);
              }
            });
    int losses = 0;
    while (!fio.isDone() && losses < lossesMax) {
      awaitRequests(1_000, fio);
      right.kill();
      awaitRequests(400, fio);
      right.start();
      left.awaitUpToDate();
      losses++;
    }
    fio.get(200, TimeUnit.SECONDS).succeeded();
    left.awaitUpToDate();
    Await.until("both sides equal", () -> Files.mismatch(left.file(), right.file()) == -1);
    assertThat(losses).isPositive();
  }

  @Test
  @Tag("long")
  void aReplicaWithAFullDiskIsSuspendedWithAClearReasonAndCaughtUpLater() throws Exception {
    Tools.need("mount");
    Path small = Files.createDirectories(folder.resolve("right"));
    boolean mounted =
        Tools.run(folder, "mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", small.toString()).code()
            == 0;
    org.junit.jupiter.api.Assumptions.assumeTrue(
        mounted, "SKIPPED: a tmpfs cannot be mounted here");
    try {
      right =
          new VolumeProcess(folder, "right", OwnAddress.port())
              .receiving()
              .with("--size", "32M")
              .start();
      left =
          new VolumeProcess(folder, "left", 0)
              .listening()
              .with("--size", "32M")
              .replica(right, "sync")
              .start();
      left.awaitUpToDate();
      byte[] data = new byte[8 << 20];
      Arrays.fill(data, (byte) 5);
      try (NbdClient client = new NbdClient(left.socket(), VolumeProcess.VOLUME)) {
        assertThat(client.write(0, data, false)).as("the database goes on").isZero();
        assertThat(client.flush()).isZero();
        Await.until(
            "the link says why",
            () -> left.link(0).path("lastLoss").asText().contains("give it room"));
        Tools.run(folder, "mount", "-o", "remount,size=64m", small.toString()).succeeded();
        left.awaitUpToDate();
        assertThat(Files.mismatch(left.file(), right.file())).isEqualTo(-1);
      }
    } finally {
      close();
      Tools.run(folder, "umount", "-l", small.toString()).succeeded();
    }
  }
}
