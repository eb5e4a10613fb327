package io.mgtm.bench.volume;

import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A volume with a synchronous replica over the loopback's TCP, against qemu's quorum driver over
 * two storage daemons; the bytes of both lie in memory.
 */
final class ReplicatedBench {
  private final Programs programs;
  private final Fio fio;
  private final Path near;
  private final Path far;
  private final int rounds;

  ReplicatedBench(Programs programs, Fio fio, Path memory, int rounds) {
    this.programs = programs;
    this.fio = fio;
    this.near = memory.resolve("near");
    this.far = memory.resolve("far");
    this.rounds = rounds;
  }

  static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  /** Prints the table. */
  void run(PrintWriter out) throws IOException, InterruptedException {
    out.println(
        "| replicated, 4 KiB at random | depth | volume, sync /s | qemu quorum /s | ratio"
            + " | volume p50 µs | quorum p50 µs | volume p99 µs | quorum p99 µs |");
    out.println("|---|--:|--:|--:|--:|--:|--:|--:|--:|");
    for (int depth : new int[] {1, 32}) {
      List<Fio.Figures> ours = new ArrayList<>();
      List<Fio.Figures> theirs = new ArrayList<>();
      for (int round = 0; round < rounds; round++) {
        ours.add(volumes(depth));
        theirs.add(quorum(depth));
      }
      double here = Medians.of(ours, Fio.Figures::perSecond);
      double there = Medians.of(theirs, Fio.Figures::perSecond);
      out.printf(
          Locale.ROOT,
          "| randwrite | %d | %,.0f | %,.0f | **%.2f** | %.0f | %.0f | %.0f | %.0f |%n",
          depth,
          here,
          there,
          here / there,
          Medians.of(ours, Fio.Figures::p50Us),
          Medians.of(theirs, Fio.Figures::p50Us),
          Medians.of(ours, Fio.Figures::p99Us),
          Medians.of(theirs, Fio.Figures::p99Us));
      out.flush();
    }
    out.println();
    out.flush();
  }

  private Fio.Figures volumes(int depth) throws IOException, InterruptedException {
    String port = "127.0.0.1:" + freePort();
    try (Servant target = programs.volume("far", far, "--receive", port);
        Servant source = programs.volume("near", near, "--replica", port, "--mode", "sync")) {
      source.await("is up to date", () -> programs.isUpToDate(near));
      // Both compilers need a moment under load.
      fio.warmUp(programs.socket("near"), "randwrite", depth);
      Fio.Figures figures = fio.random(programs.socket("near"), "randwrite", depth);
      if (!programs.isUpToDate(near)) {
        throw new IOException("the replica was lost under load");
      }
      target.checkAlive();
      return figures;
    }
  }

  private Fio.Figures quorum(int depth) throws IOException, InterruptedException {
    int port = freePort();
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
