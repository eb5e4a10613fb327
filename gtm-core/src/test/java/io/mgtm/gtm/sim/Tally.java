package io.mgtm.gtm.sim;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** How often each thing has happened. */
final class Tally {
  private final Map<Happening, Integer> counts = new EnumMap<>(Happening.class);

  void note(Happening what) {
    counts.merge(what, 1, Integer::sum);
  }

  void add(Tally other) {
    other.counts.forEach((what, count) -> counts.merge(what, count, Integer::sum));
  }

  int count(Happening what) {
    return counts.getOrDefault(what, 0);
  }

  /** What has never happened, though so many schedules of a scenario show it. */
  List<Happening> missing(Scenario in, long schedules) {
    return Arrays.stream(Happening.values())
        .filter(what -> what.isExpected(in, schedules) && count(what) == 0)
        .toList();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Tally tally && counts.equals(tally.counts);
  }

  @Override
  public int hashCode() {
    return counts.hashCode();
  }

  @Override
  public String toString() {
    return counts.toString();
  }
}
