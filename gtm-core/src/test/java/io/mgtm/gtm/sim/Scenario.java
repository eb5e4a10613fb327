package io.mgtm.gtm.sim;

import io.mgtm.group.GroupMode;

/**
 * What is simulated.
 *
 * @param harsh whether a majority may lose power at once, so that what was not forced may be lost
 */
record Scenario(GroupMode mode, int size, boolean harsh, Fault fault) {

  /** That of a seed. */
  static Scenario of(GroupMode mode, long seed, Fault fault) {
    boolean harsh = fault == Fault.POWER_CUT_NOT_NOTICED || seed % 4 == 3;
    return switch (mode) {
      case FIFO -> new Scenario(mode, sizeOf(seed), harsh, fault);
      case CAUSAL, TOTAL -> new Scenario(mode, 3, harsh, fault);
      case LAZY -> new Scenario(mode, 2 + (int) (seed % 2), false, fault);
    };
  }

  private static int sizeOf(long seed) {
    return seed % 5 == 4 ? 5 : seed % 7 == 6 ? 2 : seed % 23 == 22 ? 7 : 3;
  }

  boolean isLazy() {
    return mode == GroupMode.LAZY;
  }
}
