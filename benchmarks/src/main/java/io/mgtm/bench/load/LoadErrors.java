package io.mgtm.bench.load;

import java.util.ArrayList;
import java.util.List;

/** Counts requests or transactions that failed; the first are kept. Any thread. */
public final class LoadErrors {
  private static final int KEPT_MAX = 20;

  private final List<String> kept = new ArrayList<>();
  private long count;

  /** One has failed, so. */
  public synchronized void add(String what) {
    count++;
    if (kept.size() < KEPT_MAX) {
      kept.add(what);
    }
  }

  /** How many failed. */
  public synchronized long count() {
    return count;
  }

  /** What was said of the first twenty. */
  public synchronized List<String> first() {
    return List.copyOf(kept);
  }
}
