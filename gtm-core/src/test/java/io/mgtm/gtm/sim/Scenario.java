package io.mgtm.gtm.sim;

import io.mgtm.group.GroupMode;

/**
 * What is simulated.
 *
 * @param harsh whether a majority may lose power at once, so that what was not forced may be lost
 */
record Scenario(GroupMode mode, int size, boolean harsh, Fault fault) {

  /** That of a seed. */
  static Scenario of(long seed, Fault fault) {
    boolean harsh = fault == Fault.POWER_CUT_NOT_NOTICED || seed % 4 == 3;
    int size = seed % 5 == 4 ? 5 : seed % 7 == 6 ? 2 : seed % 23 == 22 ? 7 : 3;
    return new Scenario(GroupMode.FIFO, size, harsh, fault);
  }

  boolean isLazy() {
    return mode == GroupMode.LAZY;
  }
}
