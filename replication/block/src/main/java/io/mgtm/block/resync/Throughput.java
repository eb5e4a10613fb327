package io.mgtm.block.resync;

/**
 * How much a link carries of a resync, and how long it takes for a byte when it is not in a queue.
 *
 * <p>The rate is the greatest of the last second: what is under way bounds what gets through, so
 * that a bound by the mean of a bad moment would keep the moment for ever. The delay is the least
 * since the connection, for a later one may be the queue's. Time is given. Not thread-safe.
 */
final class Throughput {
  private static final long MEASURED_MS = 100;
  private static final int RATES = 10;

  private final long[] bytesPerSecond = new long[RATES];
  private int next;
  private long beganBytes;
  private long endedBytes;
  private long measuredFromMs;
  private long measuredFromBytes;
  private long leastDelayMs = Long.MAX_VALUE;

  /** The byte whose way is measured now, and since when. */
  private long timedByte;

  private long timedFromMs;

  /** So many bytes are sent. */
  void began(long bytes, long nowMs) {
    if (endedBytes >= timedByte) {
      timedByte = beganBytes + bytes;
      timedFromMs = nowMs;
    }
    beganBytes += bytes;
  }

  /** So many bytes have arrived. */
  void ended(long bytes, long nowMs) {
    boolean wasUnderWay = endedBytes < timedByte;
    endedBytes += bytes;
    if (wasUnderWay && endedBytes >= timedByte) {
      leastDelayMs = Math.min(leastDelayMs, nowMs - timedFromMs);
    }
  }

  /** Time passes; whether there is a new measurement. */
  boolean tick(long nowMs) {
    long elapsedMs = nowMs - measuredFromMs;
    if (elapsedMs < MEASURED_MS) {
      return false;
    }
    bytesPerSecond[next] = (endedBytes - measuredFromBytes) * 1_000 / elapsedMs;
    next = (next + 1) % RATES;
    measuredFromMs = nowMs;
    measuredFromBytes = endedBytes;
    return true;
  }

  /** What it carries in so much time. */
  long bytesIn(long ms) {
    long greatest = 0;
    for (long rate : bytesPerSecond) {
      greatest = Math.max(greatest, rate);
    }
    return greatest * ms / 1_000;
  }

  /** 0 while it is not known. */
  long leastDelayMs() {
    return leastDelayMs == Long.MAX_VALUE ? 0 : leastDelayMs;
  }

  /** Nothing is under way any more, and it may be another line. */
  void reset() {
    beganBytes = endedBytes;
    timedByte = endedBytes;
    leastDelayMs = Long.MAX_VALUE;
  }
}
