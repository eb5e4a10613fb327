package io.mgtm.block.nbd;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/** Counts what clients ask for. One event loop writes, others may read a little late. */
public final class NbdMeter {
  /** Upper bounds of the latency classes in microseconds; the last class has none. */
  private static final long[] BOUNDS_US = {
    50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 500_000, 1_000_000
  };

  /** What is counted apart. */
  public enum Kind {
    /** Reads. */
    READ(0),
    /** Writes. */
    WRITE(1),
    /** Zeroing and trims. */
    ZERO(2),
    /** Flushes. */
    FLUSH(3);

    private final int index;

    Kind(int index) {
      this.index = index;
    }
  }

  private final AtomicLongArray requests = new AtomicLongArray(Kind.values().length);
  private final AtomicLongArray bytes = new AtomicLongArray(Kind.values().length);
  private final AtomicLongArray nanos = new AtomicLongArray(Kind.values().length);
  private final AtomicLongArray classes =
      new AtomicLongArray(Kind.values().length * (BOUNDS_US.length + 1));
  private final AtomicLong errors = new AtomicLong();

  /** Counts one answered request. Only the owner's event loop calls it. */
  void count(Kind kind, long length, long elapsedNs, boolean failed) {
    int at = kind.index;
    requests.setOpaque(at, requests.getPlain(at) + 1);
    bytes.setOpaque(at, bytes.getPlain(at) + length);
    nanos.setOpaque(at, nanos.getPlain(at) + elapsedNs);
    int cell = at * (BOUNDS_US.length + 1) + classOf(elapsedNs / 1000);
    classes.setOpaque(cell, classes.getPlain(cell) + 1);
    if (failed) {
      errors.setOpaque(errors.getPlain() + 1);
    }
  }

  private static int classOf(long us) {
    int at = 0;
    while (at < BOUNDS_US.length && us > BOUNDS_US[at]) {
      at++;
    }
    return at;
  }

  /** How many were answered. */
  public long requests(Kind kind) {
    return requests.getOpaque(kind.index);
  }

  /** How many bytes they covered. */
  public long bytes(Kind kind) {
    return bytes.getOpaque(kind.index);
  }

  /** The sum of their latencies. */
  public long nanos(Kind kind) {
    return nanos.getOpaque(kind.index);
  }

  /** How many were answered with an error. */
  public long errors() {
    return errors.getOpaque();
  }

  /**
   * The latency in microseconds that {@code quantile} of all requests did not exceed, by class; -1
   * above the last bound.
   */
  public long latencyUs(Kind kind, double quantile) {
    long wanted = (long) Math.ceil(requests(kind) * quantile);
    long seen = 0;
    for (int i = 0; i < BOUNDS_US.length; i++) {
      seen += classes.getOpaque(kind.index * (BOUNDS_US.length + 1) + i);
      if (seen >= wanted) {
        return BOUNDS_US[i];
      }
    }
    return -1;
  }
}
