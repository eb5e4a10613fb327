package io.mgtm.bench.check;

import java.util.ArrayList;
import java.util.List;

/** Collects findings: all are counted, the first are kept. Any thread. */
public final class Findings {
  private static final int KEPT_MAX = 100;

  private final List<Finding> kept = new ArrayList<>();
  private long count;

  synchronized void add(Finding.Kind kind, String text) {
    count++;
    if (kept.size() < KEPT_MAX) {
      kept.add(new Finding(kind, text));
    }
  }

  /** How many there were. */
  public synchronized long count() {
    return count;
  }

  /** The first of them. */
  public synchronized List<Finding> first() {
    return List.copyOf(kept);
  }
}
