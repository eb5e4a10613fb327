package io.mgtm.block.volume;

import java.util.Arrays;

/**
 * Which sequence numbers are done, out of order, and up to where all are. Allocates only when it
 * grows.
 */
final class DoneWindow {
  private boolean[] ahead = new boolean[64];
  private long contiguous;

  void reset() {
    Arrays.fill(ahead, false);
    contiguous = 0;
  }

  /** All up to here are done. */
  long contiguous() {
    return contiguous;
  }

  void add(long seq) {
    if (seq <= contiguous) {
      throw new IllegalStateException("frame " + seq + " is done twice");
    }
    while (seq - contiguous > ahead.length) {
      grow();
    }
    ahead[(int) (seq & (ahead.length - 1))] = true;
    while (ahead[(int) ((contiguous + 1) & (ahead.length - 1))]) {
      contiguous++;
      ahead[(int) (contiguous & (ahead.length - 1))] = false;
    }
  }

  private void grow() {
    boolean[] larger = new boolean[2 * ahead.length];
    for (long seq = contiguous + 1; seq <= contiguous + ahead.length; seq++) {
      larger[(int) (seq & (larger.length - 1))] = ahead[(int) (seq & (ahead.length - 1))];
    }
    ahead = larger;
  }
}
