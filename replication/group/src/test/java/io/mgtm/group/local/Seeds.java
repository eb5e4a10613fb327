package io.mgtm.group.local;

import java.util.function.LongConsumer;

/** Runs a seeded test for many seeds, or for the one of {@code -Dseed=}. */
public final class Seeds {
  private Seeds() {}

  /** Runs seeds that differ from build to build; a failing one is named. */
  public static void forEach(int count, LongConsumer test) {
    Long only = Long.getLong("seed");
    long first = only != null ? only : System.nanoTime();
    for (long seed = first; seed < first + (only != null ? 1 : count); seed++) {
      try {
        test.accept(seed);
      } catch (RuntimeException | Error e) {
        throw new AssertionError("seed " + seed + " fails, replay it by -Dseed=" + seed, e);
      }
    }
  }
}
