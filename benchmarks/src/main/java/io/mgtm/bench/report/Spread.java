package io.mgtm.bench.report;

import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * A figure of several rounds.
 *
 * @param median the middle of the rounds, or the mean of the two in the middle
 * @param lowest of all rounds
 * @param highest of all rounds
 * @param rounds what each round gave, in their order
 */
public record Spread(double median, double lowest, double highest, List<Double> rounds) {
  public Spread {
    rounds = List.copyOf(rounds);
  }

  /**
   * Of these rounds.
   *
   * @throws IllegalArgumentException when there is none
   */
  public static Spread of(double... rounds) {
    if (rounds.length == 0) {
      throw new IllegalArgumentException("there is no median of no rounds");
    }
    double[] sorted = rounds.clone();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    double median =
        sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    return new Spread(
        median, sorted[0], sorted[sorted.length - 1], Arrays.stream(rounds).boxed().toList());
  }

  /** Of one figure of each round's result. */
  public static <T> Spread of(List<T> results, ToDoubleFunction<T> figure) {
    return of(results.stream().mapToDouble(figure).toArray());
  }

  /**
   * How many times as much this is as the other, round by round, since rounds side by side share
   * what disturbs the machine.
   *
   * @throws IllegalArgumentException when there are not as many rounds of both
   */
  public Spread to(Spread other) {
    if (rounds.size() != other.rounds.size()) {
      throw new IllegalArgumentException(
          "%d rounds are not to be compared with %d".formatted(rounds.size(), other.rounds.size()));
    }
    double[] ratios = new double[rounds.size()];
    for (int round = 0; round < ratios.length; round++) {
      ratios[round] = rounds.get(round) / other.rounds.get(round);
    }
    return of(ratios);
  }
}
