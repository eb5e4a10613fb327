package io.mgtm.block.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.testing.Await;
import io.mgtm.testing.OwnAddress;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A flush fails, the system drops what it could not write, and the process is killed before it has
 * written down that it failed. The disk is a loop device whose image finds no room; that the device
 * is closed takes the page cache away. And what is read between a failed flush and that.
 */
class LostFlushIT {
  private static final int PIECE = 65_536;
  private static final long NEW = 400L * PIECE;
  private static final byte FILL = 7;

  @TempDir Path folder;
  private final List<String[]> undo = new ArrayList<>();
  private Path small;
  private VolumeProcess left;
  private VolumeProcess right;

  @BeforeEach
  void prepare() throws Exception {
    new Mounts(folder).need();
    small = Files.createDirectories(folder.resolve("small"));
    Tools.run(folder, "mount", "-t", "tmpfs", "-o", "size=16M", "none", small.toString())
        .succeeded();
    undo.add(new String[] {"umount", "-l", small.toString()});
    left = new VolumeProcess(folder, "left", OwnAddress.port()).listening().receiving();
    right = new VolumeProcess(folder, "right", OwnAddress.port()).listening().receiving();
  }

  @AfterEach
  void close() throws Exception {
    left.close();
    right.close();
    for (int i = undo.size() - 1; i >= 0; i--) {
      Tools.run(folder, undo.get(i));
    }
  }

  /** {@code volume} lies on a device that may run out of room, the other one in a file. */
  private void start(VolumeProcess volume, VolumeProcess other) throws Exception {
    failing(volume);
    other.with("--size", "64M");
    right.replica(left, "sync").start();
    left.replica(right, "sync").start();
    assertThat(left.ask("promote").path("error").asText()).isEmpty();
    left.awaitUpToDate();
  }

  private void failing(VolumeProcess volume) throws Exception {
    Path image = small.resolve("image");
    Tools.run(folder, "truncate", "-s", "64M", image.toString()).succeeded();
    String loop =
        Tools.run(folder, "losetup", "-f", "--show", image.toString()).succeeded().output().strip();
    undo.add(new String[] {"losetup", "-d", loop});
    Files.createSymbolicLink(volume.file(), Path.of(loop));
  }

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

  private static Path spare(VolumeProcess volume) {
    return Path.of(volume.file() + ".meta", "volume.json.new");
  }

  /**
   * A write that both copies answer and the disk of {@code volume} does not take; then its process
   * is killed, which could write nothing down any more.
   */
  private void loseAFlush(VolumeProcess volume) throws Exception {
    fill();
    Files.deleteIfExists(spare(volume));
    Files.createDirectory(spare(volume));
    byte[] data = new byte[PIECE];
    Arrays.fill(data, FILL);
    try (NbdClient client = new NbdClient(left.socket(), VolumeProcess.VOLUME)) {
      assertThat(client.write(NEW, data, false)).isZero();
      Thread flusher =
          new Thread(
              () -> {
                try {
                  client.flush();
                } catch (IOException e) {
                  // Its volume is killed.
                }
              });
      flusher.start();
      Await.until(
          "the failed flush cannot be written down",
          () ->
              volume.status().path("storeErrors").asInt() > 0
                  && volume.status().path("metadataErrors").asInt() > 0);
      volume.kill();
      if (volume != left) {
        left.kill();
      }
      flusher.join();
    }
    Files.delete(spare(volume));
    Files.delete(small.resolve("ballast"));
  }

  private static byte read(VolumeProcess volume) throws IOException {
    try (NbdClient client = new NbdClient(volume.socket(), VolumeProcess.VOLUME)) {
      return client.read(NEW, PIECE)[PIECE - 1];
    }
  }

  @Test
  @Tag("long")
  void aFlushThatFailsWhileTheVolumeGrowsIsAFailedFlush() throws Exception {
    failing(left);
    left.with("--size", "32M").start();
    assertThat(left.ask("promote", "force", true).path("error").asText()).isEmpty();
    try (NbdClient client = new NbdClient(left.socket(), VolumeProcess.VOLUME)) {
      assertThat(client.write(NEW, new byte[PIECE], false)).isZero();
      fill();
      assertThat(left.ask("resize", "sizeBytes", 48 << 20).path("error").asText()).isNotEmpty();
      assertThat(client.flush()).as("what was written before it grew is gone").isNotZero();
      assertThat(client.flush()).as("and it is told once").isZero();
    }
    assertThat(left.status().path("sizeBytes").asLong()).isEqualTo(32 << 20);
  }

  @Test
  @Tag("long")
  void afterAFailedFlushReadsShowWhatTheDiskHas() throws Exception {
    failing(left);
    left.with("--size", "64M").start();
    assertThat(left.ask("promote", "force", true).path("error").asText()).isEmpty();
    fill();
    try (NbdClient client = new NbdClient(left.socket(), VolumeProcess.VOLUME)) {
      byte[] data = new byte[PIECE];
      Arrays.fill(data, FILL);
      assertThat(client.write(NEW, data, false)).isZero();
      assertThat(client.flush()).isNotZero();
      assertThat(client.read(NEW, PIECE)).isEqualTo(new byte[PIECE]);
    }
  }

  @Test
  @Tag("long")
  void aReplicaThatFailedToFlushIsComparedByWhatItsDiskHas() throws Exception {
    left.with("--resync", "compare");
    start(right, left);
    fill();
    byte[] data = new byte[PIECE];
    Arrays.fill(data, FILL);
    try (NbdClient client = new NbdClient(left.socket(), VolumeProcess.VOLUME)) {
      assertThat(client.write(NEW, data, false)).isZero();
      assertThat(client.flush()).isZero();
    }
    Await.until("it failed", () -> right.status().path("storeErrors").asInt() > 0);
    Files.delete(small.resolve("ballast"));
    assertEqualCopies();
  }

  private void assertEqualCopies() throws Exception {
    left.awaitUpToDate();
    left.stop();
    right.stop();
    Tools.run(folder, "cmp", left.file().toString(), right.file().toString()).succeeded();
  }

  @Test
  void aPrimaryFetchesWhatItMayHaveLostBeforeItServes() throws Exception {
    start(left, right);
    loseAFlush(left);
    Tools.run(folder, "cmp", "-n", "65536", "-i", NEW + ":0", left.file().toString(), "/dev/zero")
        .succeeded();
    left.start();
    Await.until("it serves", () -> left.status().path("serving").asBoolean());
    assertThat(read(left)).isEqualTo(FILL);
    assertThat(Files.readString(left.log())).contains("may have failed").contains("fetched");
    assertEqualCopies();
  }

  @Test
  @Tag("long")
  void aSecondaryThatMayHaveLostSomethingIsNotPromoted() throws Exception {
    start(right, left);
    loseAFlush(right);
    right.start();
    assertThat(right.status().path("disk").asText()).isEqualTo("Inconsistent");
    assertThat(right.ask("promote").path("error").asText()).contains("inconsistent");
    left.start();
    left.awaitUpToDate();
    assertThat(right.status().path("disk").asText()).isEqualTo("UpToDate");
    assertThat(read(left)).isEqualTo(FILL);
    assertEqualCopies();
  }
}
