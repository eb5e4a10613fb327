package io.mgtm.gtm.gateway;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;

/**
 * Bytes in the order of their coming, named by their position from the first that ever came. It
 * grows as it must, whoever adds sees to the bound, and shrinks when it is empty.
 */
final class ByteRing {
  private static final int KEPT_BYTES = 64 * 1024;

  private byte[] bytes = new byte[KEPT_BYTES];
  private long head;
  private long tail;

  /** The position behind the last byte. */
  long end() {
    return tail;
  }

  /** How many are held. */
  int size() {
    return (int) (tail - head);
  }

  /** Adds what remains in {@code from}. */
  void add(ByteBuffer from) {
    int length = from.remaining();
    if (size() + length > bytes.length) {
      grow(size() + length);
    }
    int at = index(tail);
    int first = Math.min(length, bytes.length - at);
    from.get(bytes, at, first);
    from.get(bytes, 0, length - first);
    tail += length;
  }

  private void grow(int needed) {
    byte[] larger = new byte[Integer.highestOneBit(needed - 1) << 1];
    for (long at = head; at < tail; ) {
      int run = (int) Math.min(tail - at, Math.min(runFrom(at, bytes), runFrom(at, larger)));
      System.arraycopy(bytes, index(at), larger, (int) (at & (larger.length - 1)), run);
      at += run;
    }
    bytes = larger;
  }

  private static int runFrom(long position, byte[] ring) {
    return ring.length - (int) (position & (ring.length - 1));
  }

  private int index(long position) {
    return (int) (position & (bytes.length - 1));
  }

  /** Copies the bytes from one position to another, both held. */
  void copy(long from, long to, ByteBuf out) {
    for (long at = from; at < to; ) {
      int run = (int) Math.min(to - at, runFrom(at, bytes));
      out.writeBytes(bytes, index(at), run);
      at += run;
    }
  }

  /** Forgets what is before a position. */
  void dropTo(long position) {
    head = position;
    if (head == tail && bytes.length > KEPT_BYTES) {
      bytes = new byte[KEPT_BYTES];
    }
  }
}
