package io.mgtm.bench.volume;

import io.mgtm.bench.volume.FigureTable.Column;
import io.mgtm.group.net.FreePorts;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;

/**
 * A volume with a synchronous replica over the loopback's TCP, against qemu's quorum driver over
 * two storage daemons; the bytes of both lie in memory.
 */
final class ReplicatedBench {
  private static final List<Column> COLUMNS =
      List.of(
          Column.perSecond("volume, sync", "volume"),
          Column.perSecond("qemu quorum", "quorum"),
          Column.ratio("ratio", "volume", "quorum"),
          Column.p50("volume"),
          Column.p50("quorum"),
          Column.p99("volume"),
          Column.p99("quorum"));

  private static final int WARM_UPS = 2;
  private static final int WARM_UP_DEPTH = 32;

  private final Programs programs;
  private final Fio fio;
  private final Path near;
  private final Path far;
  private final List<Integer> depths;
  private final int rounds;

  ReplicatedBench(Programs programs, Fio fio, Path memory, List<Integer> depths, int rounds) {
    this.programs = programs;
    this.fio = fio;
    this.near = memory.resolve("near");
    this.far = memory.resolve("far");
    this.depths = List.copyOf(depths);
    this.rounds = rounds;
  }

  /** Prints the table. */
  void run(PrintWriter out) throws IOException, InterruptedException {
    FigureTable table = new FigureTable(out, COLUMNS);
    table.begin("replicated, 4 KiB at random");
    measure(table);
    table.end();
  }

  /** Measures writes. */
  void measure(Turns.Rows rows) throws IOException, InterruptedException {
    for (int depth : depths) {
      Rounds figures = new Rounds();
      for (int round = 0; round < rounds; round++) {
        figures.add("volume", volumes(depth));
        figures.add("quorum", quorum(depth));
      }
      rows.row("randwrite", depth, figures);
    }
  }

  private Fio.Figures volumes(int depth) throws IOException, InterruptedException {
    String port = "127.0.0.1:" + FreePorts.takeOne();
    try (Servant target = programs.volume("far", far, "--receive", port);
        Servant source = programs.volume("near", near, "--replica", port, "--mode", "sync")) {
      source.await("is up to date", () -> programs.isUpToDate(near));
      // Both compilers want some 100,000 requests, which come sooner side by side.
      for (int i = 0; i < WARM_UPS; i++) {
        fio.warmUp(programs.socket("near"), "randwrite", WARM_UP_DEPTH);
      }
      for (int i = 0; i < WARM_UPS; i++) {
        fio.warmUp(programs.socket("near"), "randwrite", depth);
      }
      Fio.Figures figures = fio.random(programs.socket("near"), "randwrite", depth);
      if (!programs.isUpToDate(near)) {
        throw new IOException("the replica was lost under load");
      }
      target.checkAlive();
      return figures;
    }
  }

  private Fio.Figures quorum(int depth) throws IOException, InterruptedException {
    int port = FreePorts.takeOne();
    Path nearCopy = Files.copy(near, Path.of(near + ".qemu"), StandardCopyOption.REPLACE_EXISTING);
    Path farCopy = Files.copy(far, Path.of(far + ".qemu"), StandardCopyOption.REPLACE_EXISTING);
    try (Servant target = programs.storageDaemonAt("qemu-far", farCopy, port);
        Servant source = programs.quorum("qemu-near", nearCopy, port)) {
      Fio.Figures figures = fio.random(programs.socket("qemu-near"), "randwrite", depth);
      target.checkAlive();
      source.checkAlive();
      return figures;
    }
  }
}
