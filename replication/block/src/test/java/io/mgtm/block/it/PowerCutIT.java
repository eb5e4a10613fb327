package io.mgtm.block.it;

import static io.mgtm.block.it.CrashWriters.BLOCK;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two copies whose disks lose their power while clients write: data, metadata and their file
 * systems come back with what was flushed, and with any part of the rest. Each round ends with both
 * copies up to date: what was answered is there as far as the mode promises it, verify finds
 * nothing, and the files are equal byte by byte. Other rounds by {@code -Dseed=N}, more by {@code
 * -Dmgtm.cutRounds=N}.
 */
class PowerCutIT {
  private static final int BLOCKS = 2048;
  private static final int SECTOR = 512;
  private static final int LONG_ROUNDS = 30;

  /** Bits that are set and cleared while a round runs. */
  private static final String[] QUICK = {
    "--mark-interval-ms",
    "200",
    "--bit-cooling-ms",
    "300",
    "--bits-kept",
    "256K",
    "--bits-ahead",
    "64K",
    "--peer-wait-ms",
    "1000"
  };

  private enum Cut {
    PRIMARY,
    BOTH,
    PRIMARY_AND_THE_OTHER_IS_PROMOTED,
    SECONDARY,
    BOTH_AND_THE_OTHER_IS_PROMOTED
  }

  @TempDir Path folder;
  private final CrashWriters writers = new CrashWriters(BLOCKS);
  private final Map<Cut, Integer> done = new EnumMap<>(Cut.class);
  private final List<String> story = new ArrayList<>();
  private CutDisk diskOfA;
  private CutDisk diskOfB;
  private CopyPair pair;
  private VolumeProcess primary;
  private Random random;

  @AfterEach
  void close() throws Exception {
    if (pair != null) {
      pair.close();
    }
    if (diskOfA != null) {
      diskOfA.close();
    }
    if (diskOfB != null) {
      diskOfB.close();
    }
  }

  @Test
  @Timeout(value = 10, unit = TimeUnit.MINUTES)
  void whatWasFlushedIsThereAfterAPowerCut() throws Exception {
    run("sync", Integer.getInteger("mgtm.cutRounds", 1));
  }

  @Test
  @Tag("long")
  @Timeout(value = 30, unit = TimeUnit.MINUTES)
  void manyPowerCutsOfASynchronousPair() throws Exception {
    run("sync", LONG_ROUNDS);
  }

  @Test
  @Tag("long")
  @Timeout(value = 30, unit = TimeUnit.MINUTES)
  void manyPowerCutsOfAPairInSemiMode() throws Exception {
    run("semi", LONG_ROUNDS);
  }

  private void run(String mode, int rounds) throws Exception {
    if (!LoggedDisk.isThere(folder)) {
      new Mounts(folder).need();
    }
    long seed = Long.getLong("seed", 21);
    random = new Random(seed);
    diskOfA = CutDisk.make(folder, "a");
    diskOfB = CutDisk.make(folder, "b");
    String size = Integer.toString(BLOCKS * BLOCK);
    VolumeProcess a = CopyPair.copy(folder, "a", size, QUICK).storedIn(diskOfA.mounted());
    VolumeProcess b = CopyPair.copy(folder, "b", size, QUICK).storedIn(diskOfB.mounted());
    pair = new CopyPair(a, b, mode).start();
    primary = a;
    for (int round = 0; round < rounds; round++) {
      Cut cut = Cut.values()[(int) Math.floorMod(seed + round, (long) Cut.values().length)];
      if (mode.equals("semi") && cut == Cut.BOTH_AND_THE_OTHER_IS_PROMOTED) {
        // The end of what was flushed may be lost then.
        cut = Cut.BOTH;
      }
      story.clear();
      try {
        round(cut, mode);
      } catch (Exception | AssertionError e) {
        throw new AssertionError(
            "seed %d, round %d, %s, %s:%na:%n%s%nb:%n%s"
                .formatted(seed, round, cut, story, a.tail(), b.tail()),
            e);
      }
      System.out.println("power cut, " + cut + ": " + String.join(", ", story));
      done.merge(cut, 1, Integer::sum);
    }
    System.out.printf(
        "power cuts, %s: %d rounds from seed %d, %s, %d requests answered%n",
        mode, rounds, seed, done, writers.requests());
  }

  private CutDisk diskOf(VolumeProcess copy) {
    return copy == pair.a ? diskOfA : diskOfB;
  }

  private void round(Cut cut, String mode) throws Exception {
    VolumeProcess other = pair.other(primary);
    long[] floor;
    write(primary);
    switch (cut) {
      case PRIMARY -> {
        floor = writers.flushed();
        cut(primary);
        writers.stop();
        compare(primary, floor);
      }
      case SECONDARY -> {
        cut(other);
        writers.awaitAnswered(random.nextInt(250));
        writers.stop();
        floor = writers.answered();
      }
      case PRIMARY_AND_THE_OTHER_IS_PROMOTED -> {
        cut(primary);
        writers.stop();
        promote(other);
        writers.stop();
        floor = writers.answered();
      }
      case BOTH -> {
        floor = writers.flushed();
        cut(primary, other);
        writers.stop();
        compare(primary, floor);
        if (mode.equals("sync")) {
          compare(other, floor);
        }
      }
      default -> {
        floor = writers.flushed();
        cut(other, primary);
        writers.stop();
        compare(primary, floor);
        // What clients were answered is now what this one has.
        settle(compare(other, floor));
        other.start();
        promote(other);
        writers.stop();
      }
    }
    pair.recover(primary);
    pair.assertEqual(primary);
    settle(compare(primary, floor));
  }

  private void write(VolumeProcess copy) throws Exception {
    writers.start(copy.socket(), VolumeProcess.VOLUME, random.nextLong());
    writers.awaitAnswered(20 + random.nextInt(250));
  }

  /** The disks of {@code copies} stop at once, for ever; their processes are not told. */
  private void cut(VolumeProcess... copies) throws Exception {
    for (VolumeProcess copy : copies) {
      diskOf(copy).freeze();
    }
    for (VolumeProcess copy : copies) {
      copy.beginKill();
    }
    // None is left frozen, whatever goes wrong below: its process could not be ended.
    for (VolumeProcess copy : copies) {
      diskOf(copy).fail();
    }
    for (VolumeProcess copy : copies) {
      copy.kill();
      story.add(copy.name + " " + diskOf(copy).lose(random));
      diskOf(copy).on();
    }
  }

  private void promote(VolumeProcess copy) throws Exception {
    pair.promote(copy, true);
    primary = copy;
    write(copy);
  }

  /**
   * Each sector of each block has a version that is not older than {@code floor} says. Answers the
   * oldest of each block.
   */
  private long[] compare(VolumeProcess copy, long[] floor) throws Exception {
    long[] found = new long[BLOCKS];
    ByteBuffer disk = ByteBuffer.wrap(Files.readAllBytes(copy.file()));
    List<String> bad = new ArrayList<>();
    for (int block = 0; block < BLOCKS; block++) {
      long oldest = Long.MAX_VALUE;
      for (int at = block * BLOCK; at < (block + 1) * BLOCK; at += SECTOR) {
        long version = disk.getLong(at + 8);
        oldest = Math.min(oldest, version);
        for (int i = at; i < at + SECTOR; i += 16) {
          long number = version == 0 ? 0 : block;
          if (disk.getLong(i) != number || disk.getLong(i + 8) != version) {
            bad.add("at " + i + " are bytes that nobody wrote");
          }
        }
        if (version < floor[block] || version > writers.issued(block)) {
          bad.add("block " + block + " has version " + version + ", safe was " + floor[block]);
        }
      }
      found[block] = oldest;
    }
    assertThat(bad).as("what is wrong at %s", copy.name).isEmpty();
    return found;
  }

  private void settle(long[] found) {
    for (int block = 0; block < BLOCKS; block++) {
      writers.found(block, found[block]);
    }
  }
}
