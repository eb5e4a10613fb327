package io.mgtm.block.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.testing.Await;
import io.mgtm.testing.OwnAddress;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A primary whose disk is full or broken, with its metadata on that disk too. */
class FailingDiskIT {
  private static final int PIECE = 65_536;
  private static final int ENOSPC = 28;

  /** Where nothing was written before the disk was full. */
  private static final long NEW = 400L * PIECE;

  @TempDir Path folder;
  private Path small;
  private VolumeProcess left;
  private VolumeProcess right;

  @BeforeEach
  void prepare() throws Exception {
    new Mounts(folder).need();
    small = Files.createDirectories(folder.resolve("left"));
    Path image = folder.resolve("image");
    Tools.run(folder, "truncate", "-s", "32M", image.toString()).succeeded();
    Tools.run(folder, "mkfs.ext4", "-q", image.toString()).succeeded();
    Tools.run(folder, "mount", "-o", "loop", image.toString(), small.toString()).succeeded();
    left = new VolumeProcess(folder, "left", OwnAddress.port()).listening().with("--size", "64M");
    right = new VolumeProcess(folder, "right", OwnAddress.port()).listening().receiving();
    right.with("--size", "64M");
  }

  @AfterEach
  void close() throws Exception {
    left.close();
    right.close();
    Tools.run(folder, "umount", "-l", small.toString());
  }

  /** Takes what room there is. */
  private void fill() {
    try (OutputStream ballast = Files.newOutputStream(small.resolve("ballast"))) {
      byte[] piece = new byte[4096];
      while (true) {
        ballast.write(piece);
      }
    } catch (IOException e) {
      assertThat(e.getMessage()).contains("No space left");
    }
  }

  private static int write(VolumeProcess volume, long offset) throws IOException {
    byte[] data = new byte[PIECE];
    Arrays.fill(data, filled(offset));
    try (NbdClient client = new NbdClient(volume.socket(), VolumeProcess.VOLUME)) {
      return client.write(offset, data, true);
    }
  }

  private static byte filled(long offset) {
    return (byte) (offset / PIECE + 1);
  }

  private static byte read(VolumeProcess volume, long offset) throws IOException {
    try (NbdClient client = new NbdClient(volume.socket(), VolumeProcess.VOLUME)) {
      return client.read(offset, PIECE)[0];
    }
  }

  /** A synchronous primary that can become its replica's replica. */
  private void startThatMayReturn() throws Exception {
    right.replica(left, "sync").start();
    left.receiving().replica(right, "sync").start();
    assertThat(left.ask("promote").path("error").asText()).isEmpty();
    left.awaitUpToDate();
  }

  private static void assertWarns(VolumeProcess volume, String... words) throws IOException {
    assertThat(volume.status().path("warning").asText()).contains(words);
  }

  private static String health(String http) throws Exception {
    return VolumeProcess.get(http, "/health").body();
  }

  @Test
  void withoutAReplicaAFullFileSystemIsToldAndReadsGoOn() throws Exception {
    String http = OwnAddress.HOST + ":" + OwnAddress.port();
    left.with("--metrics", http).start();
    assertThat(write(left, 0)).isZero();
    fill();
    assertThat(write(left, NEW)).isEqualTo(ENOSPC);
    assertThat(read(left, 0)).isEqualTo(filled(0));
    assertWarns(left, "THE DISK FAILS", "No space left");
    Await.until("health tells", () -> health(http).contains("\"down\""));
    assertThat(health(http)).contains("THE DISK FAILS", "No space left");
    left.kill();
    left.start();
    assertThat(read(left, 0)).as("after a start without room").isEqualTo(filled(0));
    assertThat(write(left, NEW)).isEqualTo(ENOSPC);
    Files.delete(small.resolve("ballast"));
    assertThat(write(left, NEW)).isZero();
  }

  @Test
  void aVolumeThatFindsNoRoomForItsMetadataIsNotHalfMade() throws Exception {
    fill();
    Path file = folder.resolve("disk");
    Path meta = small.resolve("meta");
    String[] create = {
      "create", "--name", "v2", "--file", "" + file, "--size", "1M", "--meta", "" + meta
    };
    assertThat(left.command(create).output())
        .contains("cannot write " + meta)
        .contains("No space left on device");
    assertThat(meta).doesNotExist();
    Files.delete(small.resolve("ballast"));
    assertThat(left.command(create).succeeded().output()).contains("link key, shown once");
  }

  @Test
  @Tag("long")
  void aReplicaThatDoesNotStandInIsSentWhatItLacksOnceThereIsRoom() throws Exception {
    right.start();
    left.replica(right, "async").start().awaitUpToDate();
    assertThat(write(left, 0)).isZero();
    fill();
    assertThat(write(left, NEW)).isEqualTo(ENOSPC);
    assertThat(read(left, 0)).isEqualTo(filled(0));
    assertThat(write(left, 0)).as("what has its room").isZero();
    assertThat(left.status().path("metadataErrors").asInt()).isZero();
    Files.delete(small.resolve("ballast"));
    assertThat(write(left, NEW)).isZero();
    left.awaitUpToDate();
    left.stop();
    assertThat(Files.mismatch(left.file(), right.file())).isEqualTo(-1);
  }

  @Test
  void aPrimaryGoesOnThroughAReplicaThatHasEverything() throws Exception {
    startThatMayReturn();
    assertThat(write(left, 0)).isZero();
    fill();
    assertThat(write(left, NEW)).isZero();
    assertThat(left.status().path("disk").asText()).isEqualTo("Diskless");
    assertThat(left.status().path("role").asText()).isEqualTo("primary");
    assertWarns(left, "DISKLESS", "promote one of them");
    assertThat(read(left, 0)).isEqualTo(filled(0));
    assertThat(read(left, NEW)).isEqualTo(filled(NEW));
    assertThat(write(left, 0)).isZero();
    try (NbdClient client = new NbdClient(left.socket(), VolumeProcess.VOLUME)) {
      assertThat(client.zero(NEW, PIECE)).isZero();
      assertThat(client.flush()).isZero();
      assertThat(client.read(NEW, PIECE)).isEqualTo(new byte[PIECE]);
      assertThat(client.read(0, 20 << 20)).startsWith(filled(0));
    }
    assertThat(left.ask("verify").path("error").asText()).contains("disk failed");
    assertThat(left.ask("resize", "sizeBytes", 128 << 20).path("error").asText())
        .contains("disk failed");

    assertThat(left.ask("demote").path("error").asText()).isEmpty();
    assertThat(right.ask("promote").path("error").asText()).isEmpty();
    assertThat(read(right, 0)).isEqualTo(filled(0));
    assertThat(read(right, NEW)).isZero();
  }

  @Test
  @Tag("long")
  void serviceEndsWithTheReplicaThatStoodInAndItIsTheOneToPromote() throws Exception {
    startThatMayReturn();
    assertThat(write(left, 0)).isZero();
    fill();
    assertThat(write(left, NEW)).isZero();
    right.kill();
    Await.until("service ends", () -> left.status().path("role").asText().equals("secondary"));
    assertThat(left.status().path("disk").asText()).isEqualTo("Inconsistent");
    right.start();
    assertThat(right.ask("promote").path("error").asText()).isEmpty();
    assertThat(read(right, NEW)).isEqualTo(filled(NEW));
  }
}
