package io.mgtm.bench.failover;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** What clients waited in the rounds of one kind of fault. */
public final class Pauses {
  /** Upper ends of the histogram's rows, in ms; a last row has all above. */
  private static final int[] BOUNDS_MS = {
    1, 2, 5, 10, 20, 50, 100, 150, 200, 300, 500, 750, 1_000, 2_000, 5_000
  };

  private static final double NANOS_PER_MS = TimeUnit.MILLISECONDS.toNanos(1);

  private final List<Double> roundsMs = new ArrayList<>();
  private final List<Double> clientsMs = new ArrayList<>();

  /**
   * The figures of all rounds; the wait of a round is the longest that any client had in it.
   *
   * @param waitsMs of the rounds, in their order
   * @param histogram without the empty rows at both ends
   */
  public record Figures(
      FaultKind kind,
      int rounds,
      double medianMs,
      double p90Ms,
      double p99Ms,
      double longestMs,
      List<Double> waitsMs,
      List<Row> histogram) {}

  /**
   * A row of the histogram.
   *
   * @param aboveMs the waits in it were longer
   * @param toMs and not longer than this; 0 in the last row, which has no end
   * @param rounds whose longest wait is in it
   * @param clients of all rounds, each with its longest wait in that round
   */
  public record Row(int aboveMs, int toMs, int rounds, int clients) {}

  /** Notes the longest wait of each client in one round. */
  public void add(long... nanos) {
    double longest = 0;
    for (long each : nanos) {
      double ms = each / NANOS_PER_MS;
      clientsMs.add(ms);
      longest = Math.max(longest, ms);
    }
    roundsMs.add(longest);
  }

  /** Of the last round, in ms. */
  public double lastMs() {
    return roundsMs.get(roundsMs.size() - 1);
  }

  /** What was noted so far; at least one round. */
  public Figures figures(FaultKind kind) {
    return new Figures(
        kind,
        roundsMs.size(),
        percentile(roundsMs, 50),
        percentile(roundsMs, 90),
        percentile(roundsMs, 99),
        percentile(roundsMs, 100),
        roundsMs.stream().map(Pauses::tenths).toList(),
        histogram());
  }

  /** The smallest value that so many percent of them do not exceed. */
  static double percentile(List<Double> of, int percent) {
    List<Double> sorted = of.stream().sorted().toList();
    int rank = (int) Math.ceil(percent / 100.0 * sorted.size());
    return tenths(sorted.get(Math.max(1, rank) - 1));
  }

  private static double tenths(double ms) {
    return Math.round(ms * 10) / 10.0;
  }

  private List<Row> histogram() {
    int[] rounds = counts(roundsMs);
    int[] clients = counts(clientsMs);
    List<Row> rows = new ArrayList<>();
    for (int i = 0; i <= BOUNDS_MS.length; i++) {
      int above = i == 0 ? 0 : BOUNDS_MS[i - 1];
      int to = i == BOUNDS_MS.length ? 0 : BOUNDS_MS[i];
      rows.add(new Row(above, to, rounds[i], clients[i]));
    }
    trim(rows);
    Collections.reverse(rows);
    trim(rows);
    Collections.reverse(rows);
    return List.copyOf(rows);
  }

  /** Takes empty rows from the end. */
  private static void trim(List<Row> rows) {
    while (!rows.isEmpty() && rows.get(rows.size() - 1).clients() == 0) {
      rows.remove(rows.size() - 1);
    }
  }

  private static int[] counts(List<Double> of) {
    int[] counts = new int[BOUNDS_MS.length + 1];
    for (double ms : of) {
      int at = Arrays.binarySearch(BOUNDS_MS, (int) Math.ceil(ms));
      counts[at < 0 ? -at - 1 : at]++;
    }
    return counts;
  }
}
