package io.mgtm.block.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.testing.Await;
import io.mgtm.testing.OwnAddress;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What goes over the wire for zeros, counted on it, and where the bitmaps lie. */
class ThinIT {
  private static final int CHUNK = 65_536;
  private static final int PIECE = 8 << 20;
  private static final int HEADER_BYTES = 4_096;

  /** Pings and marks that go while a test looks. */
  private static final int CHATTER_BYTES_MAX = 4096;

  @TempDir Path folder;
  private VolumeProcess left;
  private VolumeProcess right;
  private StallingRelay relay;

  @BeforeEach
  void prepare() throws Exception {
    right =
        new VolumeProcess(folder, "right", OwnAddress.port())
            .listening()
            .receiving()
            .with("--size", "32M", "--path-timeout-ms", "20000")
            .start();
    relay = new StallingRelay(right.receivePort);
    left = new VolumeProcess(folder, "left", 0).listening().with("--size", "32M");
    left.with("--peer-wait-ms", "3000", "--path-timeout-ms", "20000");
  }

  @AfterEach
  void close() throws IOException {
    left.close();
    right.close();
    relay.close();
  }

  private VolumeProcess replicated() {
    return left.with("--replica", relay.address(), "--mode", "sync");
  }

  private static void writeRandom(VolumeProcess volume, long offset, int length) throws Exception {
    byte[] data = new byte[length];
    new Random(offset).nextBytes(data);
    try (NbdClient client = new NbdClient(volume.socket(), VolumeProcess.VOLUME)) {
      assertThat(client.write(offset, data, true)).isZero();
    }
  }

  private void assertSame() throws Exception {
    assertThat(Files.mismatch(left.file(), right.file())).as("byte that differs").isEqualTo(-1);
  }

  /** Bytes that the file system has set aside for a file. */
  private long allocated(Path file) throws Exception {
    String text = Tools.run(folder, "stat", "-c", "%b", file.toString()).succeeded().output();
    return 512 * Long.parseLong(text.strip());
  }

  @Test
  @Tag("long")
  void zeroedAndTrimmedRangesGoAsHeadersAlone() throws Exception {
    replicated().start().awaitUpToDate();
    writeRandom(left, 0, PIECE);
    writeRandom(left, PIECE, PIECE);
    long before = relay.forwardedBytes();
    assertThat(before).as("the counter counts").isGreaterThan(2 * PIECE);
    try (NbdClient client = new NbdClient(left.socket(), VolumeProcess.VOLUME)) {
      assertThat(client.zero(0, PIECE)).isZero();
      assertThat(client.trim(PIECE, PIECE)).isZero();
      assertThat(client.flush()).isZero();
    }
    assertThat(relay.forwardedBytes() - before).isLessThan(CHATTER_BYTES_MAX);
    assertSame();
    assertThat(allocated(right.file())).as("holes on the target").isLessThan(PIECE / 8);
  }

  @Test
  void aResyncSendsDataAndForZerosHeaders() throws Exception {
    left.start();
    writeRandom(left, 3 * CHUNK, CHUNK);
    writeRandom(left, 400 * CHUNK, CHUNK);
    try (NbdClient client = new NbdClient(left.socket(), VolumeProcess.VOLUME)) {
      assertThat(client.write(100 * CHUNK, new byte[PIECE], true)).as("zeros in full").isZero();
    }
    left.stop();
    replicated().start().awaitUpToDate();
    assertThat(left.link(0).path("resync").path("chunksSent").asInt()).isEqualTo(512);
    assertThat(relay.forwardedBytes())
        .isGreaterThan(2 * CHUNK)
        .isLessThan(2 * CHUNK + 140 * 36 + 2 * CHATTER_BYTES_MAX);
    assertSame();
    assertThat(allocated(right.file())).isLessThan(PIECE / 8);
  }

  @Test
  @Tag("long")
  void anEmptyVolumeNeedsNoSendingAndEmptiesACopyThatWasUsed() throws Exception {
    byte[] rubbish = new byte[PIECE];
    new Random(1).nextBytes(rubbish);
    try (FileChannel used = FileChannel.open(right.file(), StandardOpenOption.WRITE)) {
      for (long at = 0; at < used.size(); at += PIECE) {
        used.write(ByteBuffer.wrap(rubbish), at);
      }
    }
    replicated().start().awaitUpToDate();
    assertThat(left.link(0).path("resync").path("chunksSent").asInt()).isEqualTo(512);
    assertThat(relay.forwardedBytes()).isLessThan(2 * CHATTER_BYTES_MAX);
    assertSame();
    assertThat(allocated(right.file())).isLessThan(PIECE / 8);
  }

  private static List<Path> bitmapsIn(Path where) throws IOException {
    try (Stream<Path> all = Files.list(where)) {
      return all.filter(p -> p.getFileName().toString().startsWith("bitmap-")).toList();
    }
  }

  /** Behind the header, which names the opening of the volume that wrote it. */
  private static byte[] bitsIn(Path folder) throws IOException {
    byte[] file = Files.readAllBytes(bitmapsIn(folder).get(0));
    return Arrays.copyOfRange(file, HEADER_BYTES, file.length);
  }

  @Test
  @Tag("long")
  void bitmapsLieWhereTheyWereToldToAndOutliveRestartAndResync() throws Exception {
    Path flash = folder.resolve("flash");
    Path meta = Path.of(left.file() + ".meta");
    left.with("--bitmap-dir", flash.toString(), "--bits-ahead", "0");
    replicated().start().awaitUpToDate();
    right.kill();
    Await.until("the loss is noticed", () -> left.linkState(0).equals("down"));
    for (int chunk : new int[] {3, 100, 400}) {
      writeRandom(left, (long) chunk * CHUNK, 4096);
    }
    assertThat(bitmapsIn(flash)).hasSize(1);
    assertThat(bitmapsIn(meta)).isEmpty();
    byte[] noted = bitsIn(flash);
    left.kill();
    left.start();
    assertThat(left.link(0).path("state").asText()).isEqualTo("down");
    assertThat(bitsIn(flash)).isEqualTo(noted);
    long before = relay.forwardedBytes();
    right.start();
    left.awaitUpToDate();
    assertThat(left.link(0).path("resync").path("chunksSent").asInt()).isEqualTo(3);
    assertThat(relay.forwardedBytes() - before)
        .isLessThan(3 * (CHUNK + 36) + 2 * CHATTER_BYTES_MAX);
    assertSame();
    left.stop();
    assertThat(bitmapsIn(flash)).hasSize(1);
    assertThat(bitsIn(flash)).as("cleared").isNotEqualTo(noted);
    assertThat(bitmapsIn(meta)).isEmpty();
  }
}
