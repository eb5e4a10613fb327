package io.mgtm.bench.check;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Transactions that were begun one after the other before the load and stay open beside it. A
 * snapshot lists them in one piece, which one comparison of memory verifies; only when it does not
 * are they looked for one by one. One thread.
 */
final class HeldTransactions {
  private static final int GXID_BYTES = Integer.BYTES;

  private final int[] sorted;
  private final ByteBuffer expected;
  private final int first;
  private final int oldest;
  private final int newest;

  /** Holds {@code gxids}, in the order of their begins; at least one. */
  HeldTransactions(int[] gxids) {
    first = gxids[0];
    sorted = gxids.clone();
    Arrays.sort(sorted);
    expected = ByteBuffer.allocateDirect(gxids.length * GXID_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    int minimum = gxids[0];
    int maximum = gxids[0];
    for (int gxid : gxids) {
      expected.putInt(gxid);
      minimum = gxid - minimum < 0 ? gxid : minimum;
      maximum = gxid - maximum > 0 ? gxid : maximum;
    }
    expected.clear();
    oldest = minimum;
    newest = maximum;
  }

  int count() {
    return sorted.length;
  }

  /** The oldest of them. */
  int oldest() {
    return oldest;
  }

  /** The newest of them. */
  int newest() {
    return newest;
  }

  /**
   * Where a list of gxids has all of them in one piece.
   *
   * @param list its position and limit are changed
   * @return the index in the list, or -1
   */
  int indexIn(ByteBuffer list, int from, int count) {
    for (int i = 0; i <= count - sorted.length; i++) {
      if (list.getInt(from + i * GXID_BYTES) == first) {
        int start = from + i * GXID_BYTES;
        list.limit(start + expected.limit()).position(start);
        return list.mismatch(expected) < 0 ? i : -1;
      }
    }
    return -1;
  }

  /** One of them that a list lacks. */
  Integer missingFrom(ByteBuffer list, int from, int count) {
    int[] listed = new int[count];
    for (int i = 0; i < count; i++) {
      listed[i] = list.getInt(from + i * GXID_BYTES);
    }
    Arrays.sort(listed);
    for (int gxid : sorted) {
      if (Arrays.binarySearch(listed, gxid) < 0) {
        return gxid;
      }
    }
    return null;
  }
}
