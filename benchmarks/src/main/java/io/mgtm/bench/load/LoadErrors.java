package io.mgtm.bench.load;

import java.util.ArrayList;
import java.util.List;

/** Counts requests that failed; the first are kept. Any thread. */
final class LoadErrors {
  private static final int KEPT_MAX = 20;

  private final List<String> kept = new ArrayList<>();
  private long count;

  synchronized void add(String what) {
    count++;
    if (kept.size() < KEPT_MAX) {
      kept.add(what);
    }
  }

  synchronized long count() {
    return count;
  }

  synchronized List<String> first() {
    return List.copyOf(kept);
  }
}
