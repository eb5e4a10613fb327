package io.mgtm.bench.volume;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * An unreplicated volume by each of its ways to the disk, in turns. Each has a file of its own:
 * dirty pages that one left in the page cache would have to be written before another could pass it
 * by.
 */
final class IoBench {
  private static final List<String> WAYS = List.of("cache", "uring", "direct");

  private final Programs programs;
  private final Fio fio;
  private final Path folder;
  private final int rounds;

  IoBench(Programs programs, Fio fio, Path folder, int rounds) {
    this.programs = programs;
    this.fio = fio;
    this.folder = folder;
    this.rounds = rounds;
  }

  private Servant start(String way) throws IOException {
    return programs.volume(way, folder.resolve(way), "--io", way);
  }

  /** Fills the files, then prints the table. */
  void run(PrintWriter out) throws IOException, InterruptedException {
    for (String way : WAYS) {
      try (Servant volume = start(way)) {
        fio.fill(programs.socket(way));
        volume.checkAlive();
      }
    }
    out.println(
        "| 4 KiB at random, --io | depth | cache /s | uring /s | direct /s"
            + " | cache p50 µs | uring p50 µs | direct p50 µs | direct p99 µs |");
    out.println("|---|--:|--:|--:|--:|--:|--:|--:|--:|");
    for (String how : List.of("randread", "randwrite")) {
      for (int depth : new int[] {1, 32}) {
        row(out, how, depth);
      }
    }
    out.println();
    out.flush();
  }

  /** Nothing of the others is left to be written, nor in the page cache. */
  private void forgetOthers(String way) throws IOException, InterruptedException {
    Exec.run(60, List.of("sync"));
    for (String other : WAYS) {
      if (!other.equals(way)) {
        String file = "if=" + folder.resolve(other);
        Exec.run(60, List.of("dd", file, "iflag=nocache", "count=0", "status=none"));
      }
    }
  }

  private void row(PrintWriter out, String how, int depth)
      throws IOException, InterruptedException {
    Map<String, List<Fio.Figures>> all = new LinkedHashMap<>();
    for (int round = 0; round < rounds; round++) {
      List<String> turn = new ArrayList<>(WAYS);
      // Who begins changes, so that what drifts harms all alike.
      Collections.rotate(turn, round);
      for (String way : turn) {
        forgetOthers(way);
        try (Servant volume = start(way)) {
          // Its compiler needs a moment under load.
          fio.warmUp(programs.socket(way), how, depth);
          all.computeIfAbsent(way, key -> new ArrayList<>())
              .add(fio.random(programs.socket(way), how, depth));
          volume.checkAlive();
        }
      }
    }
    out.printf(
        Locale.ROOT,
        "| %s | %d | %,.0f | %,.0f | %,.0f | %.0f | %.0f | %.0f | %.0f |%n",
        how,
        depth,
        Medians.of(all.get("cache"), Fio.Figures::perSecond),
        Medians.of(all.get("uring"), Fio.Figures::perSecond),
        Medians.of(all.get("direct"), Fio.Figures::perSecond),
        Medians.of(all.get("cache"), Fio.Figures::p50Us),
        Medians.of(all.get("uring"), Fio.Figures::p50Us),
        Medians.of(all.get("direct"), Fio.Figures::p50Us),
        Medians.of(all.get("direct"), Fio.Figures::p99Us));
    out.flush();
  }
}
