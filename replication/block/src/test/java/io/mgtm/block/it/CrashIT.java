package io.mgtm.block.it;

import static io.mgtm.block.it.CrashWriters.BLOCK;
import static io.mgtm.block.it.CrashWriters.BLOCKS;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.mgtm.block.intent.BitmapFile;
import io.mgtm.block.intent.IntentBitmap;
import io.mgtm.testing.Await;
import io.mgtm.testing.OwnAddress;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random writes with FLUSH and FUA under synchronous replication while either side, or both, are
 * killed by SIGKILL at random moments. After every kill: each side holds what was answered, and the
 * bitmap covers every difference. More rounds by {@code -Dmgtm.crashRounds=500}, others by {@code
 * -Dseed}, by another way to the disk with {@code -Dmgtm.crashIo=direct}.
 */
@Tag("long")
@Timeout(value = 90, unit = TimeUnit.MINUTES)
class CrashIT {
  private static final int CHUNK = 65_536;

  /** Bits are cleared while a round runs, not only after it. */
  private static final String[] QUICK = {"--mark-interval-ms", "30", "--bit-cooling-ms", "40"};

  private static final int KINDS = 5;

  @TempDir Path folder;
  private final CrashWriters writers = new CrashWriters();
  private VolumeProcess left;
  private VolumeProcess right;

  @AfterEach
  void close() {
    left.close();
    right.close();
  }

  /** Bits by groups of which some are kept, as by default. */
  @Test
  void killedSidesLoseNothingThatWasAnsweredAndTheBitmapCoversEveryDifference() throws Exception {
    killSides("4M", "512K");
  }

  /** Bits that are as few as can be. */
  @Test
  void norDoTheyWithBitsForWhatIsUnderWayAlone() throws Exception {
    killSides("0", "0");
  }

  private void killSides(String kept, String ahead) throws Exception {
    String[] bits = {"--bits-kept", kept, "--bits-ahead", ahead};
    int rounds = Integer.getInteger("mgtm.crashRounds", 5);
    long seed = Long.getLong("seed", 7);
    String[] io = {"--io", System.getProperty("mgtm.crashIo", "cache")};
    Random random = new Random(seed);
    left =
        new VolumeProcess(folder, "left", OwnAddress.port())
            .listening()
            .with("--size", "32M", "--peer-wait-ms", "20000")
            .with(QUICK)
            .with(bits)
            .with(io);
    right =
        new VolumeProcess(folder, "right", OwnAddress.port())
            .receiving()
            .with("--size", "32M")
            .with(QUICK)
            .with(bits)
            .with(io);
    left.replica(right, "sync");
    int differing = 0;
    int kills = 0;
    for (int round = 0; round < rounds; round++) {
      startWhatIsDown();
      int kind = random.nextInt(KINDS);
      differing += round(random, kind, "seed " + seed + ", round " + round + ", kind " + kind);
      kills += (left.isAlive() ? 0 : 1) + (right.isAlive() ? 0 : 1);
    }
    System.out.printf(
        "crash rounds: %d from seed %d with --io %s and %s of bits kept, %d kills, %d requests"
            + " answered, %d chunks differed after a kill and were covered%n",
        rounds, seed, io[1], kept, kills, writers.requests(), differing);
    assertThat(writers.requests()).as("requests answered").isGreaterThan(rounds);
  }

  private void startWhatIsDown() throws Exception {
    for (VolumeProcess volume : new VolumeProcess[] {right, left}) {
      if (!volume.isAlive()) {
        volume.launch();
      }
    }
    right.awaitAnswer();
    left.awaitAnswer();
    left.awaitUpToDate();
  }

  private int round(Random random, int kind, String what) throws Exception {
    writers.start(left.socket(), VolumeProcess.VOLUME, random.nextLong());
    writers.awaitAnswered(25 + random.nextInt(200));
    long[] answeredAtBoth;
    switch (kind) {
      case 0 -> {
        // The source dies; the target lives and takes in what was sent.
        left.kill();
        writers.stop();
        answeredAtBoth = writers.answered();
        Await.until("the target has drained", () -> right.status().path("upstream").isNull());
        right.kill();
      }
      case 1 -> {
        answeredAtBoth = writers.answered();
        right.kill();
        // The source goes on alone for a while.
        writers.awaitAnswered(random.nextInt(150));
        left.kill();
        writers.stop();
      }
      case 2 -> {
        answeredAtBoth = writers.answered();
        right.kill();
        // The source goes on alone, and lives.
        writers.awaitAnswered(random.nextInt(150));
        writers.stop();
      }
      default -> {
        answeredAtBoth = writers.answered();
        (kind == 3 ? left : right).kill();
        (kind == 3 ? right : left).kill();
        writers.stop();
      }
    }
    byte[] ours = Files.readAllBytes(left.file());
    byte[] theirs = Files.readAllBytes(right.file());
    check(ours, writers.answered(), what + ": left");
    check(theirs, answeredAtBoth, what + ": right");
    return checkCoverage(ours, theirs, what);
  }

  /** Each block is whole, and not older than what was answered. */
  private void check(byte[] disk, long[] atLeast, String where) {
    ByteBuffer bytes = ByteBuffer.wrap(disk);
    for (int block = 0; block < BLOCKS; block++) {
      long found = bytes.getLong(block * BLOCK + 8);
      for (int i = 0; i < BLOCK; i += 16) {
        if (bytes.getLong(block * BLOCK + i + 8) != found
            || (found != 0 && bytes.getLong(block * BLOCK + i) != block)) {
          throw new AssertionError(where + ": block " + block + " is not whole at byte " + i);
        }
      }
      if (found < atLeast[block] || found > writers.issued(block)) {
        throw new AssertionError(
            where
                + ": block "
                + block
                + " has version "
                + found
                + ", answered was "
                + atLeast[block]
                + ", issued "
                + writers.issued(block));
      }
    }
  }

  private int checkCoverage(byte[] ours, byte[] theirs, String what) throws IOException {
    Path meta = Path.of(left.file() + ".meta");
    JsonNode state = new ObjectMapper().readTree(meta.resolve("volume.json").toFile());
    String peer = state.path("slots").fieldNames().next();
    // A living agent goes on writing to its own.
    Path copy = folder.resolve("bitmap");
    Files.copy(meta.resolve("bitmap-" + peer), copy, StandardCopyOption.REPLACE_EXISTING);
    IntentBitmap bitmap = new IntentBitmap(BLOCKS * BLOCK / CHUNK);
    BitmapFile.open(copy, CHUNK, bitmap).close();
    int differing = 0;
    for (int chunk = 0; chunk < bitmap.size(); chunk++) {
      int from = chunk * CHUNK;
      if (!Arrays.equals(ours, from, from + CHUNK, theirs, from, from + CHUNK)) {
        differing++;
        if (!bitmap.isDurable(chunk)) {
          throw new AssertionError(
              what + ": the bit of chunk " + chunk + ", which differs, is clear");
        }
      }
    }
    return differing;
  }
}
