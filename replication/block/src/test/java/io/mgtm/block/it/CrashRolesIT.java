package io.mgtm.block.it;

import static io.mgtm.block.it.CrashWriters.BLOCK;
import static io.mgtm.block.it.CrashWriters.BLOCKS;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two copies, either of which may be primary, through rounds of trouble while clients write: kills
 * of either or both, promotions, orderly changes of role, growth, lost and spoiled bitmaps. Each
 * round ends with both copies up to date: what was answered is there, and the files are equal byte
 * by byte. Other rounds by {@code -Dseed=N}, more than 200 by {@code -Dmgtm.crashRounds=N}.
 */
class CrashRolesIT {
  private static final int MIB = 1 << 20;
  private static final int SIZE = 32 * MIB;
  private static final int GROWTHS_MAX = 24;
  private static final int FEW_ROUNDS = 2;
  private static final int LONG_ROUNDS = 200;

  /** Marks, and bits that are cleared, while a round runs. */
  private static final String[] QUICK = {
    "--mark-interval-ms",
    "30",
    "--bit-cooling-ms",
    "40",
    "--bits-kept",
    "1M",
    "--bits-ahead",
    "256K"
  };

  private enum Trouble {
    PRIMARY_DIES,
    PRIMARY_DIES_AND_THE_OTHER_IS_PROMOTED,
    SECONDARY_DIES,
    SECONDARY_DIES_THEN_PRIMARY,
    BOTH_DIE,
    ROLES_CHANGE,
    GROWS_AND_PRIMARY_DIES,
    GROWS_AND_SECONDARY_DIES
  }

  @TempDir Path folder;
  private final CrashWriters writers = new CrashWriters();
  private final Map<Trouble, Integer> done = new EnumMap<>(Trouble.class);

  /** What was written behind the first end, by offset. */
  private final Map<Long, Integer> tails = new TreeMap<>();

  private Random random;
  private CopyPair pair;
  private VolumeProcess primary;
  private long size = SIZE;
  private int kills;
  private int spoiled;

  @Test
  @Timeout(value = 10, unit = TimeUnit.MINUTES)
  void copiesStayEqualThroughAFewRounds() throws Exception {
    run(FEW_ROUNDS);
  }

  @Test
  @Tag("long")
  @Timeout(value = 90, unit = TimeUnit.MINUTES)
  void copiesStayEqualThroughManyRounds() throws Exception {
    run(Math.max(LONG_ROUNDS, Integer.getInteger("mgtm.crashRounds", 0)));
  }

  private void run(int rounds) throws Exception {
    long seed = Long.getLong("seed", 17);
    random = new Random(seed);
    try (CopyPair both = new CopyPair(folder, "32M", QUICK).start()) {
      pair = both;
      primary = both.a;
      for (int round = 0; round < rounds; round++) {
        // Neighbours in a run of few rounds are unlike each other.
        Trouble trouble = Trouble.values()[(int) ((seed + round * 3L) % Trouble.values().length)];
        try {
          round(trouble);
        } catch (Exception | AssertionError e) {
          throw new AssertionError(
              "seed " + seed + ", round " + round + ", " + trouble + ":\n" + logs(), e);
        }
        done.merge(trouble, 1, Integer::sum);
      }
      pair.assertEqual(primary);
      System.out.printf(
          "crash rounds with roles: %d from seed %d, %s, %d kills, %d bitmaps spoiled, %d requests"
              + " answered, %d MiB at the end%n",
          rounds, seed, done, kills, spoiled, writers.requests(), size / MIB);
    }
  }

  private String logs() throws Exception {
    return "a:\n" + pair.a.tail() + "\nb:\n" + pair.b.tail();
  }

  private void round(Trouble trouble) throws Exception {
    VolumeProcess other = pair.other(primary);
    writers.start(primary.socket(), VolumeProcess.VOLUME, random.nextLong());
    writers.awaitAnswered(15 + random.nextInt(125));
    switch (trouble) {
      case PRIMARY_DIES -> kill(primary);
      case PRIMARY_DIES_AND_THE_OTHER_IS_PROMOTED -> {
        kill(primary);
        writers.stop();
        takeOver(other);
      }
      case SECONDARY_DIES -> {
        kill(other);
        writers.awaitAnswered(random.nextInt(75));
      }
      case SECONDARY_DIES_THEN_PRIMARY -> {
        kill(other);
        writers.awaitAnswered(random.nextInt(75));
        kill(primary);
      }
      case BOTH_DIE -> {
        boolean first = random.nextBoolean();
        kill(first ? primary : other);
        kill(first ? other : primary);
      }
      case ROLES_CHANGE -> {
        writers.stop();
        assertThat(primary.ask("demote").path("error").asText()).isEmpty();
        pair.promote(other, false);
        primary = other;
      }
      case GROWS_AND_PRIMARY_DIES -> {
        grow();
        kill(primary);
        if (random.nextBoolean()) {
          writers.stop();
          takeOver(other);
        }
      }
      default -> {
        grow();
        kill(other);
      }
    }
    writers.stop();
    spoilWhatIsDown();
    pair.recover(primary);
    compare();
  }

  private void kill(VolumeProcess copy) {
    copy.kill();
    kills++;
  }

  /** The other one died; this one has all that it answered, and goes on. */
  private void takeOver(VolumeProcess copy) throws Exception {
    pair.promote(copy, true);
    primary = copy;
    writers.start(copy.socket(), VolumeProcess.VOLUME, random.nextLong());
    writers.awaitAnswered(random.nextInt(100));
    if (random.nextInt(3) == 0) {
      kill(copy);
    }
  }

  /** The volume grows under its clients; what is behind the old end is written, and answered. */
  private void grow() throws Exception {
    if (tails.size() < GROWTHS_MAX) {
      size += (1 + random.nextInt(4)) * (long) MIB;
      assertThat(primary.ask("resize", "sizeBytes", size).path("error").asText()).isEmpty();
    }
    if (random.nextInt(3) > 0) {
      int fill = 1 + random.nextInt(100);
      long offset = size - BLOCK;
      assertThat(CopyPair.write(primary, offset, fill, BLOCK)).isZero();
      tails.put(offset, fill);
    }
  }

  private void spoilWhatIsDown() throws Exception {
    for (VolumeProcess copy : List.of(pair.a, pair.b)) {
      if (!copy.isAlive() && random.nextInt(3) == 0) {
        CopyPair.Spoiling[] ways = CopyPair.Spoiling.values();
        ways[random.nextInt(ways.length)].apply(copy);
        spoiled++;
      }
    }
  }

  private void compare() throws Exception {
    assertThat(Files.mismatch(pair.a.file(), pair.b.file())).as("first difference").isEqualTo(-1);
    byte[] bytes = Files.readAllBytes(primary.file());
    assertThat(bytes.length).isGreaterThanOrEqualTo((int) size);
    List<String> bad = new ArrayList<>();
    ByteBuffer disk = ByteBuffer.wrap(bytes);
    long[] answered = writers.answered();
    for (int block = 0; block < BLOCKS; block++) {
      long found = disk.getLong(block * BLOCK + 8);
      if (found < answered[block] || found > writers.issued(block)) {
        bad.add("block " + block + " has version " + found + ", answered was " + answered[block]);
      }
    }
    tails.forEach(
        (offset, fill) -> {
          if (bytes[offset.intValue()] != fill) {
            bad.add("at " + offset + " is " + bytes[offset.intValue()] + ", written was " + fill);
          }
        });
    assertThat(bad).isEmpty();
  }
}
