package io.mgtm.bench.volume;

import io.mgtm.bench.volume.FigureTable.Column;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/** An unreplicated volume, nbdkit's file plugin and qemu-storage-daemon over one file, in turns. */
final class BaselineBench {
  static final List<String> SERVERS = List.of("volume", "nbdkit", "qemu");
  private static final List<Column> COLUMNS =
      List.of(
          Column.perSecond("volume", "volume"),
          Column.perSecond("nbdkit", "nbdkit"),
          Column.perSecond("qemu-storage-daemon", "qemu"),
          Column.ratio("to nbdkit", "volume", "nbdkit"),
          Column.ratio("to qemu", "volume", "qemu"),
          Column.p50("volume"),
          Column.p50("nbdkit"),
          Column.p99("volume"),
          Column.p99("nbdkit"));

  private final Programs programs;
  private final Turns turns;
  private final Path file;

  BaselineBench(Programs programs, Fio fio, Path folder, List<Integer> depths, int rounds) {
    this.programs = programs;
    this.turns = new Turns(programs, fio, depths, rounds);
    this.file = folder.resolve("disk");
  }

  private Servant start(String server) throws IOException, InterruptedException {
    return switch (server) {
      case "volume" -> programs.volume(server, file);
      case "nbdkit" -> programs.nbdkit(server, file);
      default -> programs.storageDaemon(server, file);
    };
  }

  /** Prints the table. */
  void run(PrintWriter out) throws IOException, InterruptedException {
    FigureTable table = new FigureTable(out, COLUMNS);
    table.begin("4 KiB at random");
    measure(table);
    table.end();
  }

  /** Fills the file, then measures. */
  void measure(Turns.Rows rows) throws IOException, InterruptedException {
    turns.fill("volume", this::start);
    turns.measure(rows, SERVERS, Set.of("volume"), this::start);
  }
}
