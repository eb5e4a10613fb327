package io.mgtm.bench.volume;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** An unreplicated volume, nbdkit's file plugin and qemu-storage-daemon over one file, in turns. */
final class AloneBench {
  private static final List<String> SERVERS = List.of("volume", "nbdkit", "qemu");

  private final Programs programs;
  private final Fio fio;
  private final Path file;
  private final int rounds;

  AloneBench(Programs programs, Fio fio, Path folder, int rounds) {
    this.programs = programs;
    this.fio = fio;
    this.file = folder.resolve("disk");
    this.rounds = rounds;
  }

  private Servant start(String server) throws IOException {
    return switch (server) {
      case "volume" -> programs.volume(server, file);
      case "nbdkit" -> programs.nbdkit(server, file);
      default -> programs.storageDaemon(server, file);
    };
  }

  /** Fills the file, then prints the table. */
  void run(PrintWriter out) throws IOException, InterruptedException {
    try (Servant volume = start("volume")) {
      fio.fill(programs.socket("volume"));
      volume.checkAlive();
    }
    out.println(
        "| 4 KiB at random | depth | volume /s | nbdkit /s | qemu-storage-daemon /s"
            + " | to nbdkit | to qemu | volume p50 µs | nbdkit p50 µs | volume p99 µs | nbdkit p99 µs |");
    out.println("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
    for (String how : List.of("randread", "randwrite")) {
      for (int depth : new int[] {1, 32}) {
        row(out, how, depth);
      }
    }
    out.println();
    out.flush();
  }

  private void row(PrintWriter out, String how, int depth)
      throws IOException, InterruptedException {
    List<List<Fio.Figures>> all = new ArrayList<>();
    for (int i = 0; i < SERVERS.size(); i++) {
      all.add(new ArrayList<>());
    }
    for (int round = 0; round < rounds; round++) {
      int index = 0;
      for (String server : SERVERS) {
        try (Servant running = start(server)) {
          if (server.equals("volume")) {
            // Its compiler needs a moment under load, which a server has once in its life.
            fio.warmUp(programs.socket(server), how, depth);
          }
          all.get(index++).add(fio.random(programs.socket(server), how, depth));
          running.checkAlive();
        }
      }
    }
    double ours = Medians.of(all.get(0), Fio.Figures::perSecond);
    double nbdkit = Medians.of(all.get(1), Fio.Figures::perSecond);
    double qemu = Medians.of(all.get(2), Fio.Figures::perSecond);
    out.printf(
        Locale.ROOT,
        "| %s | %d | %,.0f | %,.0f | %,.0f | **%.2f** | **%.2f** | %.0f | %.0f | %.0f | %.0f |%n",
        how,
        depth,
        ours,
        nbdkit,
        qemu,
        ours / nbdkit,
        ours / qemu,
        Medians.of(all.get(0), Fio.Figures::p50Us),
        Medians.of(all.get(1), Fio.Figures::p50Us),
        Medians.of(all.get(0), Fio.Figures::p99Us),
        Medians.of(all.get(1), Fio.Figures::p99Us));
    out.flush();
  }
}
