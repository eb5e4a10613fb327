package io.mgtm.bench.volume;

import java.util.List;
import java.util.function.ToDoubleFunction;

/** The middle of several rounds. */
final class Medians {
  private Medians() {}

  static <T> double of(List<T> results, ToDoubleFunction<T> figure) {
    double[] sorted = results.stream().mapToDouble(figure).sorted().toArray();
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }
}
