package io.mgtm.block.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
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

  @ParameterizedTest
  @ValueSource(strings = {"sync", "semi", "async"})
  void fioFindsNoWrongChecksumWhilePathsAreLostAndResynced(String mode) throws Exception {
    Tools.need("fio");
    right =
        new VolumeProcess(folder, "right", Ports.free()).receiving().with("--size", "64M").start();
    left =
        new VolumeProcess(folder, "left", 0)
            .listening()
            .with("--size", "64M")
            .replica(right, mode)
            .start();
    left.awaitUpToDate(60);
    CompletableFuture<Tools.Result> fio =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return Tools.run(
                    folder,
                    180,
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
    while (!fio.isDone() && losses < 4) {
      java.util.concurrent.locks.LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(700));
      right.kill();
      java.util.concurrent.locks.LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(300));
      right.start();
      left.awaitUpToDate(90);
      losses++;
    }
    fio.get(200, TimeUnit.SECONDS).succeeded();
    left.awaitUpToDate(60);
    Tools.await("both sides equal", 30, () -> Files.mismatch(left.file(), right.file()) == -1);
    assertThat(losses).isPositive();
  }

  @Test
  void aReplicaWithAFullDiskIsSuspendedWithAClearReasonAndCaughtUpLater() throws Exception {
    Tools.need("mount");
    Path small = Files.createDirectories(folder.resolve("right"));
    boolean mounted =
        Tools.run(folder, 10, "mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", small.toString())
                .code()
            == 0;
    org.junit.jupiter.api.Assumptions.assumeTrue(
        mounted, "SKIPPED: a tmpfs cannot be mounted here");
    try {
      right =
          new VolumeProcess(folder, "right", Ports.free())
              .receiving()
              .with("--size", "32M")
              .start();
      left =
          new VolumeProcess(folder, "left", 0)
              .listening()
              .with("--size", "32M")
              .replica(right, "sync")
              .start();
      left.awaitUpToDate(60);
      byte[] data = new byte[8 << 20];
      Arrays.fill(data, (byte) 5);
      try (NbdClient client = new NbdClient(left.socket(), "left")) {
        assertThat(client.write(0, data, false)).as("the database goes on").isZero();
        assertThat(client.flush()).isZero();
        Tools.await(
            "the link says why",
            30,
            () -> left.link(0).path("lastLoss").asText().contains("give it room"));
        Tools.run(folder, 10, "mount", "-o", "remount,size=64m", small.toString()).succeeded();
        left.awaitUpToDate(90);
        assertThat(Files.mismatch(left.file(), right.file())).isEqualTo(-1);
      }
    } finally {
      close();
      Tools.run(folder, 20, "umount", "-l", small.toString()).succeeded();
    }
  }
}
