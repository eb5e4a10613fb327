package io.mgtm.gtm.command;

import java.util.Arrays;

/**
 * A run of gxids, low 32 bits each, in an array that belongs to the state: valid until the next
 * command is applied. Whoever needs them longer copies them.
 */
public final class Gxids {
  private final int[] array;
  private final int offset;
  private final int count;

  /** Makes a view of {@code count} elements from {@code offset}; the array is not copied. */
  public Gxids(int[] array, int offset, int count) {
    this.array = array;
    this.offset = offset;
    this.count = count;
  }

  /** The array behind, of which {@link #count()} elements from {@link #offset()} are meant. */
  public int[] array() {
    return array;
  }

  public int offset() {
    return offset;
  }

  public int count() {
    return count;
  }

  public int get(int i) {
    return array[offset + i];
  }

  public int[] copy() {
    return Arrays.copyOfRange(array, offset, offset + count);
  }

  @Override
  public String toString() {
    return Arrays.toString(copy());
  }
}
