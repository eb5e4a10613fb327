package io.mgtm.query.server;

/**
 * When the requests that a server has not answered were sent, the first in front. It allocates only
 * to hold more than ever before. One thread.
 */
final class SentTimes {
  private static final int FIRST = 8;

  private long[] nanos = new long[FIRST];
  private int head;
  private int size;

  void add(long sentNanos) {
    if (size == nanos.length) {
      long[] more = new long[2 * size];
      for (int i = 0; i < size; i++) {
        more[i] = nanos[(head + i) % size];
      }
      nanos = more;
      head = 0;
    }
    nanos[(head + size++) % nanos.length] = sentNanos;
  }

  /** The first, which is answered; there must be one. */
  long remove() {
    long first = nanos[head];
    head = (head + 1) % nanos.length;
    size--;
    return first;
  }
}
