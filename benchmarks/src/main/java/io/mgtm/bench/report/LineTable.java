package io.mgtm.bench.report;

import java.io.PrintWriter;
import java.util.Locale;

/** A Markdown table of what was measured without a line and over it. One thread. */
public final class LineTable {
  private static final double WHOLE_FROM = 100;

  private final PrintWriter out;

  /** One that is printed there, row by row. */
  public LineTable(PrintWriter out) {
    this.out = out;
  }

  /**
   * Prints the head.
   *
   * @param line what the line is like
   */
  public void begin(String line) {
    out.println("| " + line + " | | without the line | over it | ratio |");
    out.println("|---|---|--:|--:|--:|");
    out.flush();
  }

  /**
   * Prints a row.
   *
   * @param unit of both figures
   */
  public void row(String what, String unit, double without, double over) {
    String ratio = without == 0 ? "" : String.format(Locale.ROOT, " **%.2f**", over / without);
    out.printf("| %s | %s | %s | %s |%s |%n", what, unit, figure(without), figure(over), ratio);
    out.flush();
  }

  private static String figure(double of) {
    return String.format(Locale.ROOT, of < WHOLE_FROM ? "%.1f" : "%,.0f", of);
  }
}
