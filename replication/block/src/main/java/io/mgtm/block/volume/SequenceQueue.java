package io.mgtm.block.volume;

import java.util.Arrays;

/**
 * Sent frames in the order of their sequence numbers, each with what waits for it. Allocates only
 * when it grows.
 */
final class SequenceQueue {
  private long[] seqs = new long[64];
  private Change[] changes = new Change[64];
  private long[] bytes = new long[64];
  private int head;
  private int count;

  boolean isEmpty() {
    return count == 0;
  }

  /** Appends; {@code resyncBytes} frames carry no change. */
  void add(long seq, Change change, long frameBytes) {
    if (count == seqs.length) {
      grow();
    }
    int tail = (head + count) & (seqs.length - 1);
    seqs[tail] = seq;
    changes[tail] = change;
    bytes[tail] = frameBytes;
    count++;
  }

  private void grow() {
    int length = seqs.length;
    long[] newSeqs = Arrays.copyOf(seqs, 2 * length);
    Change[] newChanges = Arrays.copyOf(changes, 2 * length);
    long[] newBytes = Arrays.copyOf(bytes, 2 * length);
    for (int i = 0; i < count; i++) {
      int from = (head + i) & (length - 1);
      newSeqs[i] = seqs[from];
      newChanges[i] = changes[from];
      newBytes[i] = bytes[from];
    }
    Arrays.fill(newChanges, count, 2 * length, null);
    seqs = newSeqs;
    changes = newChanges;
    bytes = newBytes;
    head = 0;
  }

  long firstSeq() {
    return seqs[head];
  }

  Change firstChange() {
    return changes[head];
  }

  long firstBytes() {
    return bytes[head];
  }

  void removeFirst() {
    changes[head] = null;
    head = (head + 1) & (seqs.length - 1);
    count--;
  }
}
