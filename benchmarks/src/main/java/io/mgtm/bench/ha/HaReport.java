package io.mgtm.bench.ha;

import io.mgtm.bench.ha.HaRounds.Round;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What the command found, as it is printed in JSON too.
 *
 * @param load1 what waited for a processor on this machine, on the average of a minute, before it
 *     began
 * @param notes what could not be done as it should be, a sentence each
 */
public record HaReport(double load1, List<Row> rows, List<String> notes) {

  /** The head of the table. */
  static final String HEAD =
      "| fault | expected | bound | rounds | median | longest | failed transactions"
          + " | lost commits | nodes in service at once |\n"
          + "|---|---|--:|--:|--:|--:|--:|--:|--:|";

  /**
   * A fault's figures.
   *
   * @param median ms of the longest wait for a commit, or MB/s of a resync
   * @param worst the longest of the waits, or the slowest of the resyncs
   * @param failed transactions that failed, of all rounds
   * @param lost acknowledged rows that are not there; between sites the last ones may be lost
   * @param together on how many nodes the database ran at once, at most
   * @param skipped why there are no figures; empty when there are
   * @param broken whether a promise was broken
   */
  public record Row(
      HaFault fault,
      String expected,
      String bound,
      int rounds,
      double median,
      double worst,
      long failed,
      long lost,
      int together,
      String skipped,
      boolean broken) {

    static Row skipped(HaFault fault, String why) {
      return new Row(fault, fault.expected(), fault.boundText(), 0, 0, 0, 0, 0, 0, why, false);
    }

    static Row of(HaFault fault, List<Round> rounds) {
      List<Double> sorted = rounds.stream().map(Round::measured).sorted().toList();
      int half = sorted.size() / 2;
      double median =
          sorted.size() % 2 == 1 ? sorted.get(half) : (sorted.get(half - 1) + sorted.get(half)) / 2;
      boolean rate = fault.bound() == HaFault.Bound.RATE;
      return new Row(
          fault,
          fault.expected(),
          fault.boundText(),
          rounds.size(),
          median,
          sorted.get(rate ? 0 : sorted.size() - 1),
          rounds.stream().mapToLong(Round::failed).sum(),
          rounds.stream().mapToLong(Round::lost).sum(),
          rounds.stream().mapToInt(Round::together).max().orElse(0),
          "",
          rounds.stream().anyMatch(round -> isBroken(fault, round)));
    }

    private static boolean isBroken(HaFault fault, Round round) {
      boolean mayLose = fault.place() == HaFault.Place.SITES && round.suffix();
      return round.together() > 1 || (round.lost() > 0 && !mayLose);
    }

    /** A row of Markdown. */
    String text() {
      String head = "| %s | %s | %s |".formatted(fault.what(), expected, bound);
      if (!skipped.isEmpty()) {
        return head + " SKIPPED: " + skipped + " | | | | | |";
      }
      return String.format(
          Locale.ROOT,
          "%s %d | %s | %s | %d | %d | %d |",
          head,
          rounds,
          amount(fault, median),
          amount(fault, worst),
          failed,
          lost,
          together);
    }
  }

  private static String amount(HaFault fault, double figure) {
    return fault.bound() == HaFault.Bound.RATE
        ? String.format(Locale.ROOT, "%.0f MB/s", figure)
        : figure < 1_000
            ? String.format(Locale.ROOT, "%.0f ms", figure)
            : String.format(Locale.ROOT, "%.1f s", figure / 1e3);
  }

  /** What a round came to, for who waits. */
  static String line(HaFault fault, Round round) {
    return "%s; %d transactions failed, %d commits lost, in service on %d at once; %s"
        .formatted(
            amount(fault, round.measured()),
            round.failed(),
            round.lost(),
            round.together(),
            round.from().equals(round.to())
                ? "on " + round.to()
                : "from " + round.from() + " to " + round.to());
  }

  /** The same with one row more. */
  HaReport with(Row row) {
    List<Row> all = new ArrayList<>(rows);
    all.add(row);
    return new HaReport(load1, List.copyOf(all), notes);
  }

  /** The same with more notes. */
  HaReport with(List<String> more) {
    List<String> all = new ArrayList<>(notes);
    all.addAll(more);
    return new HaReport(load1, rows, List.copyOf(all));
  }

  /** Whether all promises were kept; bounds of time are for people to look at. */
  boolean clean() {
    return rows.stream().noneMatch(Row::broken);
  }
}
