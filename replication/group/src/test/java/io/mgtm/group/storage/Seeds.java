package io.mgtm.group.storage;

import java.util.function.LongConsumer;

/** Runs a seeded test for many seeds ({@code -Dseeds=} of them), or for that of {@code -Dseed=}. */
public final class Seeds {
  private Seeds() {}

  /** Whether many seeds run, and not one that is replayed. */
  public static boolean isMany() {
    return Long.getLong("seed") == null;
  }

  /** One seed for a test that runs once. */
  public static long one() {
    return Long.getLong("seed", System.nanoTime());
  }

  /** Runs seeds that differ from build to build; a failing one is named. */
  public static void forEach(int count, LongConsumer test) {
    Long only = Long.getLong("seed");
    long first = only != null ? only : System.nanoTime();
    int seeds = only != null ? 1 : Integer.getInteger("seeds", count);
    for (long seed = first; seed < first + seeds; seed++) {
      try {
        test.accept(seed);
      } catch (RuntimeException | Error e) {
        throw new AssertionError("seed " + seed + " fails, replay it by -Dseed=" + seed, e);
      }
    }
  }
}
