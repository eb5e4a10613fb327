package io.mgtm.flash;

import java.util.Arrays;
import java.util.Objects;

/**
 * The pieces of memory of one vectored read or write, in order. A caller keeps one and fills it
 * anew for each operation: a queue copies what it needs. Not thread safe.
 */
public final class IoVector {

  /** The most pieces one operation can have. */
  public static final int SEGMENTS_MAX = 64;

  final AlignedBuffer[] buffers = new AlignedBuffer[SEGMENTS_MAX];
  final int[] starts = new int[SEGMENTS_MAX];
  final int[] lengths = new int[SEGMENTS_MAX];
  private int segments;
  private int lengthBytes;

  /**
   * Adds a piece.
   *
   * @param buffer the memory
   * @param start where the piece starts in the buffer, in bytes
   * @param length its length in bytes, at least 1
   * @return this
   * @throws IndexOutOfBoundsException when the piece is not inside the buffer
   * @throws IllegalArgumentException when it is empty or all together are too long
   * @throws IllegalStateException when there are {@link #SEGMENTS_MAX} pieces already
   */
  public IoVector add(AlignedBuffer buffer, int start, int length) {
    Objects.requireNonNull(buffer, "buffer");
    Objects.checkFromIndexSize(start, length, buffer.capacityBytes());
    if (length == 0) {
      throw new IllegalArgumentException("a piece of a vector must have at least 1 byte");
    }
    if (segments == SEGMENTS_MAX) {
      throw new IllegalStateException("a vector has at most " + SEGMENTS_MAX + " pieces");
    }
    if (lengthBytes > Integer.MAX_VALUE - length) {
      throw new IllegalArgumentException("a vector has at most " + Integer.MAX_VALUE + " bytes");
    }
    buffers[segments] = buffer;
    starts[segments] = start;
    lengths[segments] = length;
    segments++;
    lengthBytes += length;
    return this;
  }

  /** Forgets all pieces. */
  public IoVector clear() {
    Arrays.fill(buffers, 0, segments, null);
    segments = 0;
    lengthBytes = 0;
    return this;
  }

  /** How many pieces there are. */
  public int segments() {
    return segments;
  }

  /** The length of all pieces together in bytes. */
  public int lengthBytes() {
    return lengthBytes;
  }
}
