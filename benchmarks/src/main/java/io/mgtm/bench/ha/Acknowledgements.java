package io.mgtm.bench.ha;

import io.mgtm.local.Wait;
import java.io.IOException;
import java.util.BitSet;
import java.util.concurrent.TimeUnit;

/**
 * The numbered rows that a client commits one after the other: which were acknowledged, and how
 * long it waited for that. Any thread.
 */
public final class Acknowledgements {
  private static final double NANOS_OF_MS = TimeUnit.MILLISECONDS.toNanos(1);

  private final BitSet acknowledged = new BitSet();
  private int next;
  private long count;
  private long failed;
  private long lastNanos = System.nanoTime();
  private long longestNanos;
  private int lastNumber;
  private int beforeLongest;

  /** The number of the next row. */
  public synchronized int take() {
    return next++;
  }

  /** A row was acknowledged. */
  public synchronized void done(int number) {
    long now = System.nanoTime();
    acknowledged.set(number);
    count++;
    if (now - lastNanos > longestNanos) {
      longestNanos = now - lastNanos;
      beforeLongest = lastNumber;
    }
    lastNanos = now;
    lastNumber = number;
  }

  /** One was not, or nothing could be sent. */
  public synchronized void missed() {
    failed++;
  }

  /** Forgets the longest wait so far. */
  public synchronized void mark() {
    lastNanos = System.nanoTime();
    longestNanos = 0;
  }

  /** The longest time without an acknowledged row since the mark, also one that goes on. */
  public synchronized double longestMs() {
    return Math.max(longestNanos, System.nanoTime() - lastNanos) / NANOS_OF_MS;
  }

  /** How many rows so far. */
  public synchronized long count() {
    return count;
  }

  /** How many were missed so far. */
  public synchronized long failed() {
    return failed;
  }

  /** Waits for so many more rows. */
  public void awaitMore(int more, int secondsMax) throws IOException, InterruptedException {
    long from = count();
    Wait.until(more + " more rows are committed", secondsMax, () -> count() >= from + more);
  }

  /** The numbers of all rows. */
  public synchronized BitSet all() {
    return (BitSet) acknowledged.clone();
  }

  /** Forgets rows. */
  synchronized void forget(BitSet rows) {
    acknowledged.andNot(rows);
  }

  /** The number of the row before the longest wait. */
  synchronized int beforeLongest() {
    return beforeLongest;
  }
}
