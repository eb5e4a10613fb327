package io.mgtm.bench.tpcc;

import java.io.PrintWriter;

/** Shows how far a load is: a bar on a terminal, else a line for each tenth. Any thread. */
final class Progress {
  private static final int WIDTH = 40;

  private final PrintWriter out;
  private final boolean terminal;
  private final long total;
  private long done;
  private long shown = -1;

  Progress(PrintWriter out, boolean terminal, long total) {
    this.out = out;
    this.terminal = terminal;
    this.total = total;
  }

  synchronized void add(long rows) {
    done += rows;
    long percent = done * 100 / total;
    long step = terminal ? percent : percent / 10 * 10;
    if (step <= shown) {
      return;
    }
    shown = step;
    if (terminal) {
      int filled = (int) (WIDTH * percent / 100);
      out.printf("\r[%s%s] %3d %%", "#".repeat(filled), " ".repeat(WIDTH - filled), percent);
      if (done == total) {
        out.println();
      }
    } else {
      out.println("loaded " + step + " %");
    }
    out.flush();
  }
}
