package io.mgtm.gtm.state;

import io.mgtm.gtm.command.Gxids;
import java.util.Arrays;

/**
 * The gxids of the running transactions that snapshots list, ascending, low 32 bits, in one array:
 * a snapshot is a copy of its first part. They lie less than half the 32-bit space apart, so that
 * differences order them.
 */
final class RunningGxids {
  private int[] array = new int[64];
  private int head;
  private int count;

  int count() {
    return count;
  }

  int first() {
    return array[head];
  }

  /** Adds the newest gxid. */
  void add(int gxid) {
    if (count > 0 && gxid - array[head + count - 1] <= 0) {
      throw new IllegalStateException(
          "running gxids out of order: "
              + Integer.toUnsignedString(gxid)
              + " after "
              + Integer.toUnsignedString(array[head + count - 1]));
    }
    if (head + count == array.length) {
      makeRoom();
    }
    array[head + count] = gxid;
    count++;
  }

  private void makeRoom() {
    int[] target = count > array.length / 2 ? new int[array.length * 2] : array;
    System.arraycopy(array, head, target, 0, count);
    array = target;
    head = 0;
  }

  /** Removes a gxid that is there; the shorter side moves. */
  void remove(int gxid) {
    int at = indexOf(gxid);
    int before = at - head;
    int after = head + count - 1 - at;
    if (before < after) {
      System.arraycopy(array, head, array, head + 1, before);
      head++;
    } else {
      System.arraycopy(array, at + 1, array, at, after);
    }
    count--;
    if (count == 0) {
      head = 0;
    }
  }

  private int indexOf(int gxid) {
    int at = head + countBefore(gxid);
    if (at == head + count || array[at] != gxid) {
      throw new IllegalStateException("gxid " + Integer.toUnsignedString(gxid) + " is not running");
    }
    return at;
  }

  /** How many lie before {@code gxid}. */
  int countBefore(int gxid) {
    if (count == 0) {
      return 0;
    }
    int first = array[head];
    int distance = gxid - first;
    if (distance <= 0) {
      return 0;
    }
    int low = 0;
    int high = count;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (array[head + middle] - first < distance) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** The first {@code n}, not copied. */
  Gxids view(int n) {
    return new Gxids(array, head, n);
  }

  @Override
  public String toString() {
    return Arrays.toString(Arrays.copyOfRange(array, head, head + count));
  }
}
