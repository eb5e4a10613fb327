package io.mgtm.bench.volume;

import io.mgtm.bench.volume.FigureTable.Column;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/**
 * An unreplicated volume by each of its ways to the disk, in turns. Each has a file of its own:
 * dirty pages that one left in the page cache would have to be written before another could pass it
 * by.
 */
final class IoBench {
  private static final List<String> WAYS = List.of("cache", "uring", "direct");
  private static final List<Column> COLUMNS =
      List.of(
          Column.perSecond("cache", "cache"),
          Column.perSecond("uring", "uring"),
          Column.perSecond("direct", "direct"),
          Column.p50("cache"),
          Column.p50("uring"),
          Column.p50("direct"),
          Column.p99("direct"));

  private final Programs programs;
  private final Turns turns;
  private final Path folder;

  IoBench(Programs programs, Fio fio, Path folder, List<Integer> depths, int rounds) {
    this.programs = programs;
    this.turns = new Turns(programs, fio, depths, rounds);
    this.folder = folder;
  }

  private Servant start(String way) throws IOException, InterruptedException {
    return programs.volume(way, folder.resolve(way), "--io", way);
  }

  private Servant startClean(String way) throws IOException, InterruptedException {
    forgetOthers(way);
    return start(way);
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

  /** Fills the files, then prints the table. */
  void run(PrintWriter out) throws IOException, InterruptedException {
    for (String way : WAYS) {
      turns.fill(way, this::start);
    }
    FigureTable table = new FigureTable(out, COLUMNS);
    table.begin("4 KiB at random, --io");
    turns.measure(table, WAYS, Set.copyOf(WAYS), this::startClean);
    table.end();
  }
}
