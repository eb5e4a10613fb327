package io.mgtm.block.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.testing.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A disk that answers every write and flush with an error while clients write, and is well again
 * later: the primary's, its metadata's, the replica's. What was answered stays, reads go on, and
 * once the disk is well both copies become equal.
 */
@Tag("long")
class BrokenDiskIT {
  private static final int PIECE = 65_536;
  private static final String SIZE = "8M";

  @TempDir Path folder;
  private ServedDisk disk;
  private CopyPair pair;

  @BeforeEach
  void prepare() throws Exception {
    new Mounts(folder).need();
    disk = new ServedDisk(folder, "broken");
  }

  @AfterEach
  void close() throws Exception {
    if (pair != null) {
      pair.close();
    }
    if (disk != null) {
      disk.close();
    }
  }

  private VolumeProcess copy(String name) throws IOException {
    return CopyPair.copy(folder, name, SIZE, "--peer-wait-ms", "1000");
  }

  private static byte[] filled(int fill) {
    byte[] data = new byte[PIECE];
    Arrays.fill(data, (byte) fill);
    return data;
  }

  private static int write(VolumeProcess volume, int piece, int fill) throws IOException {
    return CopyPair.write(volume, (long) piece * PIECE, fill, PIECE);
  }

  /** A primary that ends its service may cut its clients off before it answers. */
  private static boolean refuses(VolumeProcess volume, int piece, int fill) {
    try {
      return write(volume, piece, fill) != 0;
    } catch (IOException e) {
      return true;
    }
  }

  private static byte[] read(VolumeProcess volume, int piece) throws IOException {
    try (NbdClient client = new NbdClient(volume.socket(), VolumeProcess.VOLUME)) {
      return client.read((long) piece * PIECE, PIECE);
    }
  }

  private static String role(VolumeProcess volume) throws IOException {
    return volume.status().path("role").asText();
  }

  private static String diskState(VolumeProcess volume) throws IOException {
    return volume.status().path("disk").asText();
  }

  private void failWrites() {
    disk.server().failWrites();
  }

  /**
   * The disk is replaced by one that has what it had on stable storage, and its agent restarted.
   */
  private void replace(VolumeProcess copy) throws Exception {
    copy.beginKill();
    disk.fail();
    copy.kill();
    disk.lose(new Random(1));
    disk.on();
    copy.start();
  }

  @Test
  void aPrimaryWhoseDataAndMetadataFailTogetherTakesNoMoreWritesAndTheReplicaHasEverything()
      throws Exception {
    pair = new CopyPair(copy("a").storedIn(disk.mounted()), copy("b"), "sync").start();
    assertThat(write(pair.a, 3, 7)).isZero();
    failWrites();
    assertThat(refuses(pair.a, 5, 8)).as("a write with FUA").isTrue();
    assertThat(refuses(pair.a, 5, 8)).as("the next one").isTrue();
    Await.until("the disk has failed", () -> diskState(pair.a).equals("Failed"));
    Await.until(
        "status says that both fail",
        () -> {
          String warning = pair.a.status().path("warning").asText();
          return warning.contains("METADATA NOT WRITTEN") && warning.contains("THE DISK FAILS");
        });
    assertThat(pair.a.status().path("serving").asBoolean()).isFalse();
    pair.a.beginKill();
    disk.fail();
    pair.a.kill();
    pair.promote(pair.b, true);
    assertThat(read(pair.b, 3)).isEqualTo(filled(7));
    assertThat(write(pair.b, 6, 9)).isZero();
    disk.lose(new Random(1));
    disk.on();
    pair.recover(pair.b);
    pair.assertEqual(pair.b);
    assertThat(role(pair.a)).isEqualTo("secondary");
  }

  @Test
  void aPrimaryWhoseDataFailGoesOnThroughItsReplica() throws Exception {
    VolumeProcess a = copy("a").storedIn(disk.mounted()).metaIn(folder);
    pair = new CopyPair(a, copy("b"), "sync").start();
    assertThat(write(a, 3, 7)).isZero();
    failWrites();
    assertThat(write(a, 5, 8)).as("the replica has it").isZero();
    assertThat(diskState(a)).isEqualTo("Diskless");
    assertThat(read(a, 3)).isEqualTo(filled(7));
    assertThat(read(a, 5)).isEqualTo(filled(8));
    assertThat(a.ask("demote").path("error").asText()).isEmpty();
    pair.promote(pair.b, false);
    assertThat(write(pair.b, 6, 9)).isZero();
    replace(a);
    pair.recover(pair.b);
    pair.assertEqual(pair.b);
    assertThat(read(pair.b, 5)).isEqualTo(filled(8));
  }

  @Test
  void aPrimaryWhoseMetadataFailAnswersWhatNeedsThemWithAnErrorAndReads() throws Exception {
    VolumeProcess a = copy("a").metaIn(disk.mounted());
    a.with("--bits-ahead", "64K", "--bits-kept", "0");
    pair = new CopyPair(a, copy("b"), "sync").start();
    assertThat(write(a, 3, 7)).isZero();
    failWrites();
    assertThat(write(a, 90, 8)).as("its bit cannot be noted").isNotZero();
    assertThat(read(a, 3)).isEqualTo(filled(7));
    assertThat(role(a)).isEqualTo("primary");
    assertThat(a.status().path("warning").asText()).containsIgnoringCase("metadata");
    replace(a);
    pair.recover(a);
    assertThat(write(a, 90, 9)).isZero();
    pair.assertEqual(a);
  }

  /** That it is secondary now is not on its disk, where nothing can be written. */
  @Test
  void aPrimaryThatHearsOfANewerOneServesNothingThoughItCannotNoteThat() throws Exception {
    pair = new CopyPair(copy("a").metaIn(disk.mounted()), copy("b"), "sync").start();
    assertThat(write(pair.a, 3, 7)).isZero();
    failWrites();
    pair.promote(pair.b, true);
    Await.until(
        "a hears of it", () -> Files.readString(pair.a.log()).contains("is primary and newer"));
    assertThat(pair.a.status().path("serving").asBoolean()).isFalse();
    assertThat(pair.a.status().path("notServingBecause").asText()).contains("newer");
    assertThatThrownBy(() -> read(pair.a, 3)).isInstanceOf(IOException.class);
    assertThat(write(pair.b, 3, 8)).isZero();
    replace(pair.a);
    pair.recover(pair.b);
    pair.assertEqual(pair.b);
  }

  @Test
  void aReplicaWhoseDiskFailsIsLeftBehindAndFilledAgain() throws Exception {
    pair = new CopyPair(copy("a"), copy("b").storedIn(disk.mounted()), "sync").start();
    assertThat(write(pair.a, 3, 7)).isZero();
    failWrites();
    assertThat(write(pair.a, 5, 8)).as("the primary has it").isZero();
    Await.until("the replica is left behind", () -> !pair.a.isUpToDate());
    assertThat(write(pair.a, 6, 9)).isZero();
    assertThat(read(pair.a, 5)).isEqualTo(filled(8));
    replace(pair.b);
    pair.recover(pair.a);
    pair.assertEqual(pair.a);
    assertThat(read(pair.a, 3)).isEqualTo(filled(7));
  }
}
