package io.mgtm.block.volume;

import io.mgtm.block.volume.Change.Kind;
import java.util.Arrays;
import java.util.Random;

/**
 * The bytes of a node: what reads return, and what a power loss leaves. A "byte" is a block that
 * holds the id of the write that wrote it. Past the volume's end lies what was there before.
 */
final class ModelDisk {
  static final int BLOCKS_MAX = 40;

  final long[] cache = new long[BLOCKS_MAX];
  private final long[] stable = new long[BLOCKS_MAX];
  private final Random random;

  ModelDisk(Random random, int blocks, long rubbish) {
    this.random = random;
    Arrays.fill(cache, blocks, BLOCKS_MAX, rubbish);
    Arrays.fill(stable, blocks, BLOCKS_MAX, rubbish);
  }

  private static long value(Change change, int block) {
    return change.data() instanceof long[] ? ((long[]) change.data())[block] : (Long) change.data();
  }

  void write(Change change) {
    for (int i = 0; i < change.length(); i++) {
      cache[(int) change.offset() + i] = value(change, i);
    }
  }

  /** Part of a change was written. */
  void tear(Change change) {
    for (int i = 0; i < change.length(); i++) {
      if (change.changesBytes() && random.nextBoolean()) {
        cache[(int) change.offset() + i] = value(change, i);
      }
    }
  }

  long[] read(Change change) {
    return Arrays.copyOfRange(
        cache, (int) change.offset(), (int) (change.offset() + change.length()));
  }

  static boolean isZero(long[] bytes) {
    return Arrays.stream(bytes).allMatch(b -> b == 0);
  }

  /** How many blocks are zero, as a negative number, or are not. */
  long extentAt(int from, int length) {
    int end = from;
    while (end < from + length && cache[end] == 0 == (cache[from] == 0)) {
      end++;
    }
    return cache[from] == 0 ? from - end : end - from;
  }

  /** A chunk's bytes as they were flushed last, other bytes as they were read early. */
  long[] staleOf(Change change, long[] early) {
    return change.kind() == Kind.READ_CHUNK
        ? Arrays.copyOfRange(
            stable, (int) change.offset(), (int) (change.offset() + change.length()))
        : early;
  }

  long[] snapshot(int blocks) {
    return Arrays.copyOf(cache, blocks);
  }

  void flushed(long[] snapshot) {
    System.arraycopy(snapshot, 0, stable, 0, snapshot.length);
  }

  /** The kernel could not write pages, and drops some of them; the next flush knows nothing. */
  void flushFailed(long[] snapshot) {
    for (int block = 0; block < snapshot.length; block++) {
      if (random.nextBoolean()) {
        stable[block] = snapshot[block];
      } else if (cache[block] == snapshot[block]) {
        cache[block] = stable[block];
      }
    }
  }

  void losePower() {
    for (int block = 0; block < BLOCKS_MAX; block++) {
      if (random.nextBoolean()) {
        cache[block] = stable[block];
      } else {
        stable[block] = cache[block];
      }
    }
  }

  /** The range reads as zeros. */
  void zero(int from, int to) {
    Arrays.fill(cache, from, to, 0);
  }
}
