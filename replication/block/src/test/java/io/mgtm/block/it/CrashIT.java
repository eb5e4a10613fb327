package io.mgtm.block.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.mgtm.block.intent.BitmapFile;
import io.mgtm.block.intent.IntentBitmap;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random writes with FLUSH and FUA under synchronous replication while either side, or both, are
 * killed by SIGKILL at random moments. After every kill: each side holds what it must, and the
 * bitmap covers every difference. More rounds by {@code -Dmgtm.crashRounds=500}.
 */
class CrashIT {
  private static final int BLOCK = 4096;
  private static final int BLOCKS = 8192;
  private static final int CHUNK = 65_536;

  @TempDir Path folder;
  private VolumeProcess left;
  private VolumeProcess right;
  private final AtomicLongArray acked = new AtomicLongArray(BLOCKS);
  private final AtomicLongArray issued = new AtomicLongArray(BLOCKS);
  private volatile boolean writing;
  private volatile AssertionError writerFailure;
  private long version;

  @AfterEach
  void close() {
    writing = false;
    left.close();
    right.close();
  }

  @Test
  void killedSidesLoseNothingThatWasAnsweredAndTheBitmapCoversEveryDifference() throws Exception {
    int rounds = Integer.getInteger("mgtm.crashRounds", 8);
    Random random = new Random(Long.getLong("mgtm.crashSeed", 7));
    left =
        new VolumeProcess(folder, "left", Ports.free())
            .listening()
            .with("--size", "32M", "--peer-wait-ms", "20000");
    right = new VolumeProcess(folder, "right", Ports.free()).receiving().with("--size", "32M");
    left.replica(right, "sync");
    int differing = 0;
    for (int round = 0; round < rounds; round++) {
      right.start();
      left.start();
      left.awaitUpToDate(120);
      differing += round(random, random.nextInt(4), round);
    }
    System.out.println(
        rounds + " rounds, " + differing + " chunks differed after a kill and were covered");
  }

  private int round(Random random, int kind, int round) throws Exception {
    Thread writer = startWriter(random.nextLong());
    LockSupport.parkNanos(1_000_000L * (50 + random.nextInt(400)));
    long[] ackedAtBoth;
    if (kind == 0) {
      // The source dies; the target lives and takes in what was sent.
      left.kill();
      join(writer);
      ackedAtBoth = snapshot();
      Tools.await("the target has drained", 20, () -> right.status().path("upstream").isNull());
      right.kill();
    } else if (kind == 1) {
      ackedAtBoth = snapshot();
      right.kill();
      // The source goes on alone for a while.
      LockSupport.parkNanos(1_000_000L * random.nextInt(300));
      left.kill();
      join(writer);
    } else {
      ackedAtBoth = snapshot();
      (kind == 2 ? left : right).kill();
      (kind == 2 ? right : left).kill();
      join(writer);
    }
    check(left.file(), snapshot(), "left, round " + round);
    check(right.file(), ackedAtBoth, "right, round " + round);
    return checkCoverage(round);
  }

  private Thread startWriter(long seed) {
    writing = true;
    Thread thread = new Thread(() -> write(new Random(seed)), "writer");
    thread.start();
    return thread;
  }

  private void join(Thread writer) throws InterruptedException {
    writing = false;
    writer.join(60_000);
    assertThat(writer.isAlive()).as("the writer still runs").isFalse();
    if (writerFailure != null) {
      throw writerFailure;
    }
  }

  private void write(Random random) {
    try (NbdClient client = new NbdClient(left.socket(), "left")) {
      while (writing) {
        if (random.nextInt(20) == 0) {
          succeed(client.flush());
          continue;
        }
        int count = 1 + random.nextInt(random.nextInt(10) == 0 ? 40 : 3);
        int first = random.nextInt(BLOCKS - count);
        long mine = ++version;
        ByteBuffer data = ByteBuffer.allocate(count * BLOCK);
        for (int block = first; block < first + count; block++) {
          issued.set(block, mine);
          for (int i = 0; i < BLOCK; i += 16) {
            data.putLong(block).putLong(mine);
          }
        }
        succeed(client.write((long) first * BLOCK, data.array(), random.nextInt(10) == 0));
        for (int block = first; block < first + count; block++) {
          acked.set(block, mine);
        }
      }
    } catch (IOException e) {
      // The source was killed: that is what this test is about.
      writing = false;
    } catch (AssertionError e) {
      writerFailure = e;
    }
  }

  private static void succeed(int error) {
    assertThat(error).as("the volume's answer").isZero();
  }

  private long[] snapshot() {
    long[] copy = new long[BLOCKS];
    for (int block = 0; block < BLOCKS; block++) {
      copy[block] = acked.get(block);
    }
    return copy;
  }

  /** Each block is whole, and not older than what was answered. */
  private void check(Path file, long[] atLeast, String where) throws IOException {
    ByteBuffer disk = ByteBuffer.wrap(Files.readAllBytes(file));
    for (int block = 0; block < BLOCKS; block++) {
      long found = disk.getLong(block * BLOCK + 8);
      for (int i = 0; i < BLOCK; i += 16) {
        assertThat(disk.getLong(block * BLOCK + i + 8))
            .as("%s: block %d is whole", where, block)
            .isEqualTo(found);
      }
      assertThat(found)
          .as("%s: version of block %d", where, block)
          .isBetween(atLeast[block], issued.get(block));
      // What is there now is what later rounds begin with.
    }
  }

  private int checkCoverage(int round) throws IOException {
    JsonNode state =
        new com.fasterxml.jackson.databind.ObjectMapper()
            .readTree(Path.of(left.file() + ".meta", "volume.json").toFile());
    String peer = state.path("slots").fieldNames().next();
    IntentBitmap bitmap = new IntentBitmap(BLOCKS * BLOCK / CHUNK);
    BitmapFile.open(Path.of(left.file() + ".meta", "bitmap-" + peer), CHUNK, bitmap).close();
    byte[] ours = Files.readAllBytes(left.file());
    byte[] theirs = Files.readAllBytes(right.file());
    int differing = 0;
    for (int chunk = 0; chunk < bitmap.size(); chunk++) {
      int from = chunk * CHUNK;
      if (!java.util.Arrays.equals(ours, from, from + CHUNK, theirs, from, from + CHUNK)) {
        differing++;
        assertThat(bitmap.isDurable(chunk))
            .as("round %d: the bit of chunk %d, which differs", round, chunk)
            .isTrue();
      }
    }
    return differing;
  }
}
