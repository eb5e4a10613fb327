package io.mgtm.bench.volume;

import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/** A Markdown table with a row for each load and depth, of medians. One thread. */
final class FigureTable implements Turns.Rows {

  /**
   * One figure of each row.
   *
   * @param format for {@link String#format}
   */
  record Column(String title, String format, ToDoubleFunction<Rounds> figure) {

    static Column perSecond(String title, String server) {
      return new Column(
          title + " /s", "%,.0f", rounds -> rounds.median(server, Fio.Figures::perSecond));
    }

    /** How many times as much the first does in a second as the second does. */
    static Column ratio(String title, String server, String other) {
      return new Column(
          title,
          "**%.2f**",
          rounds ->
              rounds.median(server, Fio.Figures::perSecond)
                  / rounds.median(other, Fio.Figures::perSecond));
    }

    static Column p50(String server) {
      return new Column(
          server + " p50 µs", "%.0f", rounds -> rounds.median(server, Fio.Figures::p50Us));
    }

    static Column p99(String server) {
      return new Column(
          server + " p99 µs", "%.0f", rounds -> rounds.median(server, Fio.Figures::p99Us));
    }
  }

  private final PrintWriter out;
  private final List<Column> columns;

  FigureTable(PrintWriter out, List<Column> columns) {
    this.out = out;
    this.columns = List.copyOf(columns);
  }

  /**
   * Prints the head.
   *
   * @param load what stands above the loads
   */
  void begin(String load) {
    out.println(
        "| "
            + load
            + " | depth |"
            + columns.stream()
                .map(column -> " " + column.title() + " |")
                .collect(Collectors.joining()));
    out.println("|---|--:|" + "--:|".repeat(columns.size()));
  }

  /** Prints a row. */
  @Override
  public void row(String load, int depth, Rounds rounds) {
    out.printf(Locale.ROOT, "| %s | %d |", load, depth);
    for (Column column : columns) {
      out.printf(Locale.ROOT, " " + column.format() + " |", column.figure().applyAsDouble(rounds));
    }
    out.println();
    out.flush();
  }

  /** An empty line ends it. */
  void end() {
    out.println();
    out.flush();
  }
}
