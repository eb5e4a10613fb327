package io.mgtm.block.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.mgtm.common.Signals;
import io.mgtm.testing.Await;
import io.mgtm.testing.OwnAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Agents in processes of their own, replicating over loopback. */
class ReplicationIT {
  private static final int SIZE = 32 << 20;
  private static final int CHUNK = 65_536;

  /** Long, so that a busy machine does not look like a lost path. */
  private static final int PATH_TIMEOUT_MS = 20_000;

  @TempDir Path folder;
  private VolumeProcess left;
  private VolumeProcess right;

  @BeforeEach
  void prepare() throws Exception {
    prepare(PATH_TIMEOUT_MS);
  }

  private void prepare(int pathTimeoutMs) throws Exception {
    left = volume("left", "32M", pathTimeoutMs).listening();
    right = volume("right", "32M", pathTimeoutMs).listening().receiving();
  }

  private VolumeProcess volume(String name, String size, int pathTimeoutMs) throws Exception {
    return new VolumeProcess(folder, name, OwnAddress.port())
        .with("--size", size, "--peer-wait-ms", "60000")
        .with("--path-timeout-ms", Integer.toString(pathTimeoutMs));
  }

  @AfterEach
  void close() {
    left.close();
    right.close();
  }

  private void startPair(String mode, String... options) throws Exception {
    right.start();
    left.replica(right, mode).with(options).start();
    left.awaitUpToDate();
  }

  private static void write(VolumeProcess volume, long offset, int fill, int length)
      throws Exception {
    try (NbdClient client = new NbdClient(volume.socket(), VolumeProcess.VOLUME)) {
      byte[] data = new byte[length];
      Arrays.fill(data, (byte) fill);
      assertThat(client.write(offset, data, false)).isZero();
      assertThat(client.flush()).isZero();
    }
  }

  private static byte read(VolumeProcess volume, long offset) throws Exception {
    try (NbdClient client = new NbdClient(volume.socket(), VolumeProcess.VOLUME)) {
      return client.read(offset, 1)[0];
    }
  }

  private void assertSame() throws Exception {
    assertThat(Files.mismatch(left.file(), right.file()))
        .as("first byte that differs")
        .isEqualTo(-1);
  }

  @Test
  @Tag("long")
  void aPrimaryThatStoppedInOrderHasNothingToSendAgain() throws Exception {
    startPair("sync");
    write(left, 3 * CHUNK, 4, 3 * CHUNK);
    assertThat(left.link(0).path("bitsSet").asInt()).isPositive();
    left.stop();
    left.start();
    left.awaitUpToDate();
    assertThat(left.link(0).path("bitsSet").asInt()).isZero();
    assertThat(left.link(0).path("resync").path("chunksSent").asInt()).isZero();
    assertSame();
  }

  @Tag("long")
  @Test
  void aPrimaryThatStopsWaitsForASlowReplica() throws Exception {
    startPair("sync");
    write(left, 3 * CHUNK, 4, 3 * CHUNK);
    String pid = Long.toString(right.pid());
    Tools.run(folder, "kill", "-STOP", pid).succeeded();
    Process later = new ProcessBuilder("bash", "-c", "sleep 5; kill -CONT " + pid).start();
    left.stop();
    assertThat(later.waitFor()).isZero();
    left.start();
    left.awaitUpToDate();
    assertThat(left.link(0).path("resync").path("chunksSent").asInt()).isZero();
    assertSame();
  }

  @Test
  @Tag("long")
  void aKilledPrimarySendsAgainWhatItHadSetAheadAndNoMore() throws Exception {
    startPair("sync", "--bits-ahead", "256K");
    write(left, 5 * CHUNK, 4, 4096);
    left.kill();
    left.start();
    left.awaitUpToDate();
    assertThat(left.link(0).path("resync").path("chunksSent").asInt()).isEqualTo(4);
    assertSame();
  }

  @Test
  void aSyncReplicaHasEveryAnsweredWrite() throws Exception {
    writeAndCompare("zstd");
  }

  @Test
  @Tag("long")
  void aSyncReplicaHasEveryAnsweredWriteThatGoesAsItIs() throws Exception {
    writeAndCompare("none");
  }

  private void writeAndCompare(String compression) throws Exception {
    startPair("sync", "--compress", compression);
    Random random = new Random(1);
    try (NbdClient client = new NbdClient(left.socket(), VolumeProcess.VOLUME)) {
      for (int i = 0; i < 200; i++) {
        byte[] data = new byte[1 + random.nextInt(200_000)];
        if (i % 2 == 0) {
          random.nextBytes(data);
        }
        assertThat(client.write(random.nextInt(SIZE - data.length), data, i % 10 == 0)).isZero();
      }
      assertThat(client.zero(1 << 20, 3 << 20)).isZero();
    }
    assertSame();
  }

  @Test
  @Tag("long")
  void aLostReplicaDoesNotStopClientsAndOnlyWhatChangedIsSentLater() throws Exception {
    startPair("sync");
    right.kill();
    for (int chunk : new int[] {3, 100, 101, 400}) {
      write(left, (long) chunk * CHUNK + 17, 9, 4096);
    }
    Await.until("the link is down", () -> left.linkState(0).equals("down"));
    assertThat(left.link(0).path("chunksOutOfSync").asInt()).isEqualTo(4);
    assertThat(left.status().path("generations").size())
        .as("goes on alone in a new generation")
        .isEqualTo(2);
    right.start();
    left.awaitUpToDate();
    assertThat(left.link(0).path("resync").path("chunksSent").asInt()).isEqualTo(4);
    assertSame();
    assertThat(right.status().path("generations")).isEqualTo(left.status().path("generations"));
  }

  @Test
  @Tag("long")
  void aStuckReplicaIsSuspendedAfterTheTimeout() throws Exception {
    prepare(4_000);
    startPair("sync");
    assertThat(left.isUpToDate()).isTrue();
    assertThat(left.link(0).path("lastLoss").asText()).isEmpty();
    Signals.send(right.pid(), "STOP");
    write(left, 5 * CHUNK, 3, 100);
    assertThat(left.link(0).path("lastLoss").asText()).contains("nothing was heard");
    Signals.send(right.pid(), "CONT");
    left.awaitUpToDate();
    assertSame();
  }

  @Test
  void theSecondaryTakesOverAndTheOldPrimaryFollows() throws Exception {
    right.replica(left, "sync");
    left.receiving();
    // A side with --receive begins as secondary: the first is promoted by hand.
    right.start();
    left.replica(right, "sync").start();
    assertThat(left.ask("promote").path("ok").asBoolean()).isTrue();
    left.awaitUpToDate();
    write(left, 0, 1, 4096);
    assertThat(right.ask("promote").path("error").asText()).contains("is primary and connected");
    left.kill();
    Await.until("the loss is noticed", () -> right.status().path("upstream").isNull());
    assertThat(right.ask("promote").path("error").asText()).contains("nobody can vouch");
    assertThat(right.ask("promote", "force", true).path("note").asText()).contains("by force");
    assertThat(read(right, 0)).isEqualTo((byte) 1);
    write(right, 8192, 2, 4096);
    left.start();
    Await.until("left follows", () -> left.status().path("role").asText().equals("secondary"));
    right.awaitUpToDate();
    assertSame();
    assertThat(Files.readAllBytes(left.file())[8192]).isEqualTo((byte) 2);
  }

  @Test
  @Tag("long")
  void twoPrimariesAreRefusedUntilTheOperatorNamesTheSurvivor() throws Exception {
    startPair("sync");
    write(left, 0, 1, 4096);
    left.ask("pause");
    Await.until("the loss is noticed", () -> right.status().path("upstream").isNull());
    assertThat(right.ask("promote", "force", true).path("ok").asBoolean()).isTrue();
    write(left, 4096, 5, 4096);
    write(right, 4096, 6, 4096);
    write(right, 10 * CHUNK, 7, 4096);
    left.ask("resume");
    Await.until("the link is refused", () -> left.linkState(0).equals("refused"));
    String reason = left.link(0).path("reason").asText();
    assertThat(reason).contains("split brain");
    assertThat(left.status().path("warning").asText()).startsWith("SPLIT BRAIN with");
    for (VolumeProcess side : new VolumeProcess[] {left, right}) {
      assertThat(reason).contains(side.status().path("generations").get(0).asText());
    }
    assertThat(read(left, 4096)).as("service goes on").isEqualTo((byte) 5);
    assertThat(right.ask("demote", "discard", true).path("ok").asBoolean()).isTrue();
    left.awaitUpToDate();
    assertSame();
    assertThat(read(left, 4096)).isEqualTo((byte) 5);
    assertThat(read(left, 10 * CHUNK)).as("the other side's change is given up").isZero();
    assertThat(left.ask("demote", "discard", true).path("error").asText())
        .as("the survivor is not given up too")
        .contains("without --discard hands over");
    write(left, 4096, 8, 4096);
  }

  @Tag("long")
  @Test
  void aReplicaOfAnotherSizeIsRefusedAndTheClientsGoOn() throws Exception {
    VolumeProcess small = volume("small", "16M", PATH_TIMEOUT_MS).receiving().start();
    try (small) {
      left.replica(small, "sync").start();
      Await.until("the link is refused", () -> left.linkState(0).equals("refused"));
      assertThat(left.link(0).path("reason").asText()).contains("16M").contains("32M");
      write(left, 0, 4, 100);
    }
  }

  @Tag("long")
  @Test
  void aThirdSiteFollowsTheSecond() throws Exception {
    VolumeProcess third = volume("third", "32M", PATH_TIMEOUT_MS).receiving().start();
    try (third) {
      right.replica(third, "async");
      startPair("sync");
      right.awaitUpToDate();
      write(left, 7 * CHUNK, 8, 100_000);
      Await.until("the third has it", () -> Files.mismatch(left.file(), third.file()) == -1);
      third.kill();
      write(left, 9 * CHUNK, 9, 1000);
      third.start();
      right.awaitUpToDate();
      Await.until("the third has it again", () -> Files.mismatch(left.file(), third.file()) == -1);
    }
  }

  @Tag("long")
  @Test
  void severalReplicasAreFedAtOnce() throws Exception {
    VolumeProcess third = volume("third", "32M", PATH_TIMEOUT_MS).receiving().start();
    try (third) {
      left.with("--replica", OwnAddress.HOST + ":" + third.receivePort);
      startPair("semi");
      write(left, 3 * CHUNK, 5, 300_000);
      Await.until("the third has it", () -> Files.mismatch(left.file(), third.file()) == -1);
      Await.until("the second has it", () -> Files.mismatch(left.file(), right.file()) == -1);
    }
  }

  @Test
  @Tag("long")
  void verifyFindsWhatWasChangedBehindTheVolumesBackAndRepairsIt() throws Exception {
    startPair("sync");
    write(left, 0, 1, 5 << 20);
    try (var file = new java.io.RandomAccessFile(right.file().toFile(), "rw")) {
      file.seek(2 << 20);
      file.write(77);
    }
    assertThat(left.ask("verify", "repair", false).path("ok").asBoolean()).isTrue();
    Await.until("verify ends", () -> !left.link(0).path("verify").path("running").asBoolean());
    assertThat(left.link(0).path("verify").path("mismatches").asInt()).isEqualTo(1);
    left.ask("verify", "repair", true);
    Await.until("equal again", () -> Files.mismatch(left.file(), right.file()) == -1);
    left.awaitUpToDate();
  }

  @Test
  @Tag("long")
  void aResyncThatComparesSendsOnlyWhatDiffers() throws Exception {
    startPair("sync", "--resync", "compare");
    left.ask("pause");
    try (NbdClient client = new NbdClient(left.socket(), VolumeProcess.VOLUME)) {
      byte[] same = client.read(0, 10 * CHUNK);
      same[3 * CHUNK] = 1;
      assertThat(client.write(0, same, true)).isZero();
    }
    left.ask("resume");
    left.awaitUpToDate();
    JsonNode resync = left.link(0).path("resync");
    assertThat(resync.path("chunksSent").asInt()).isEqualTo(1);
    assertThat(resync.path("chunksEqual").asInt()).isEqualTo(9);
    assertThat(left.command("resync", "send", "--name", VolumeProcess.VOLUME).code()).isZero();
    Await.until(
        "all is sent without a comparison",
        () -> left.link(0).path("resync").path("chunksSent").asInt() == SIZE / CHUNK);
    left.awaitUpToDate();
    assertSame();
  }

  @Tag("long")
  @Test
  void aResyncKeepsToItsMaximumRateAndTellsTheRemainingTime() throws Exception {
    write(left.start(), 0, 3, 24 << 20);
    left.stop();
    right.start();
    long begun = System.nanoTime();
    left.replica(right, "sync").with("--resync-min", "2M", "--resync-max", "3M").start();
    Await.until(
        "it tells how far it is",
        () -> left.link(0).path("resync").path("remainingMs").asLong() > 500);
    Await.until(
        "the target says that it is inconsistent",
        () -> !right.status().path("consistent").asBoolean(true));
    assertThat(right.ask("promote").path("error").asText()).contains("inconsistent");
    left.awaitUpToDate();
    assertThat((System.nanoTime() - begun) / 1_000_000)
        .as("ms for 24 MiB at 3 MiB/s, the rest is a hole")
        .isGreaterThan(7_500);
    assertSame();
  }

  @Tag("long")
  @Test
  void aGrownVolumeGrowsItsReplica() throws Exception {
    startPair("sync");
    assertThat(left.ask("resize", "sizeBytes", 2L * SIZE).path("ok").asBoolean()).isTrue();
    try (NbdClient client = new NbdClient(left.socket(), VolumeProcess.VOLUME)) {
      assertThat(client.sizeBytes).isEqualTo(2L * SIZE);
      assertThat(client.write(2L * SIZE - 10, new byte[] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, true))
          .isZero();
    }
    Await.until(
        "the replica has grown", () -> right.status().path("sizeBytes").asLong() == 2L * SIZE);
    assertSame();
    left.kill();
    left.with().start();
    left.awaitUpToDate();
    assertThat(left.status().path("sizeBytes").asLong()).isEqualTo(2L * SIZE);
  }

  @Tag("long")
  @Test
  void aReplicaThatWasAwayDuringAResizeIsGrownByHandAndFollowsAgain() throws Exception {
    startPair("sync");
    right.stop();
    assertThat(left.ask("resize", "sizeBytes", 2L * SIZE).path("ok").asBoolean()).isTrue();
    write(left, SIZE, 9, 4096);
    right.start();
    Await.until(
        "the sizes do not fit",
        () -> left.link(0).path("reason").asText().contains("give both the same size"));
    assertThat(right.ask("resize", "sizeBytes", 2L * SIZE).path("ok").asBoolean()).isTrue();
    left.awaitUpToDate();
    assertSame();
  }

  @Tag("long")
  @Test
  void anEmptyReplicaOfTheFormerSizeTakesThatOfItsSource() throws Exception {
    startPair("sync");
    right.stop();
    assertThat(left.ask("resize", "sizeBytes", 2L * SIZE).path("ok").asBoolean()).isTrue();
    write(left, SIZE, 9, 4096);
    Files.delete(right.file());
    Trees.delete(Path.of(right.file() + ".meta"));
    right.start();
    left.awaitUpToDate();
    assertSame();
  }

  @Test
  @Tag("long")
  void aSecondaryServesReadsOnlyWhenAskedToAndNeverWrites() throws Exception {
    right.with("--serve-reads");
    startPair("sync");
    write(left, 0, 6, 4096);
    try (NbdClient client = new NbdClient(right.socket(), VolumeProcess.VOLUME)) {
      assertThat(client.read(10, 1)[0]).isEqualTo((byte) 6);
      assertThat(client.write(0, new byte[10], false)).isEqualTo(1);
      assertThat(client.zero(0, 512)).isEqualTo(1);
    }
  }

  @Test
  @Tag("long")
  void anAsyncLinkThatOverflowsFallsBackToTheBitmap() throws Exception {
    startPair("async", "--high-water", "1M", "--low-water", "512K", "--overflow-to-bitmap");
    Signals.send(right.pid(), "STOP");
    write(left, 0, 7, 8 << 20);
    write(left, 8 << 20, 8, 8 << 20);
    Signals.send(right.pid(), "CONT");
    left.awaitUpToDate();
    Await.until("equal", () -> Files.mismatch(left.file(), right.file()) == -1);
    assertThat(Files.readString(left.log())).contains("high water");
  }
}
