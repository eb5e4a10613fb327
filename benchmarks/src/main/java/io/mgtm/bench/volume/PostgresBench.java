package io.mgtm.bench.volume;

import io.mgtm.bench.report.Spread;
import io.mgtm.group.net.FreePorts;
import io.mgtm.local.Trees;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * pgbench on a PostgreSQL whose volume has no replica, and on one whose volume has a synchronous
 * replica over the loopback with its bytes in memory. Both run side by side, and are driven in
 * turns.
 */
final class PostgresBench {
  /** A new replica is sent the whole volume, zeros as headers. */
  private static final long CATCH_UP_NS_MAX = TimeUnit.MINUTES.toNanos(5);

  private static final int WARM_UP_SECONDS = 20;

  /** Where the primary's bytes lie. */
  enum Place {
    DISK,
    MEMORY
  }

  /**
   * What is driven.
   *
   * @param clients pgbench's clients, a row for each
   * @param places where the primary's bytes lie
   * @param seconds how long each run takes
   * @param scale pgbench's scale
   */
  record Load(List<Integer> clients, List<Place> places, int seconds, int scale) {}

  private final Programs programs;
  private final Path folder;
  private final Path memory;
  private final int rounds;
  private final Load load;

  PostgresBench(Programs programs, Path folder, Path memory, int rounds, Load load) {
    this.programs = programs;
    this.folder = folder;
    this.memory = memory;
    this.rounds = rounds;
    this.load = load;
  }

  /** Prints the table. */
  void run(PrintWriter out) throws IOException, InterruptedException {
    String why = Database.missing();
    if (why != null) {
      out.println("pgbench SKIPPED: " + why);
      return;
    }
    out.println(
        "| pgbench, TPC-B, the primary's bytes | clients | alone tps | replicated sync tps | ratio"
            + " | lowest | highest | alone ms | replicated ms |");
    out.println("|---|--:|--:|--:|--:|--:|--:|--:|--:|");
    for (Place place : load.places()) {
      boolean disk = place == Place.DISK;
      rows(out, disk ? folder : memory, disk ? "on disk" : "in memory");
    }
    out.println();
    out.flush();
  }

  private void rows(PrintWriter out, Path place, String what)
      throws IOException, InterruptedException {
    // PostgreSQL runs as a user of its own.
    Files.setPosixFilePermissions(place, PosixFilePermissions.fromString("rwxr-xr-x"));
    Path own = Files.createDirectory(place.resolve("pg"));
    String port = "127.0.0.1:" + FreePorts.takeOne();
    Path near = own.resolve("near");
    try (Servant single = programs.volume("alone", own.resolve("alone"));
        Servant target =
            programs.volume("far", memory.resolve(own.getFileName() + "-far"), "--receive", port);
        Servant source = programs.volume("near", near, "--replica", port, "--mode", "sync")) {
      source.await("is up to date", CATCH_UP_NS_MAX, () -> programs.isUpToDate(near));
      try (Database alone = database(own, "alone");
          Database replicated = database(own, "near")) {
        // Compilers and caches of both come to rest.
        alone.warmUp(64, WARM_UP_SECONDS);
        replicated.warmUp(64, WARM_UP_SECONDS);
        for (int clients : load.clients()) {
          row(out, what, clients, alone, replicated);
        }
      }
      if (!programs.isUpToDate(near)) {
        throw new IOException("the replica was lost under load");
      }
      single.checkAlive();
      target.checkAlive();
    } finally {
      Trees.delete(own);
      Trees.delete(memory.resolve("pg-far"));
      Trees.delete(memory.resolve("pg-far.meta"));
    }
  }

  private Database database(Path own, String server) throws IOException, InterruptedException {
    Path where = Files.createDirectory(own.resolve(server + ".mounts"));
    return Database.create(where, programs.socket(server), load.scale());
  }

  private void row(PrintWriter out, String what, int clients, Database alone, Database replicated)
      throws IOException, InterruptedException {
    List<Database.Figures> without = new ArrayList<>();
    List<Database.Figures> with = new ArrayList<>();
    List<Double> ratios = new ArrayList<>();
    for (int round = 0; round < rounds; round++) {
      // Who begins changes, so that what drifts harms both alike.
      if (round % 2 == 0) {
        without.add(alone.measure(clients, load.seconds()));
        with.add(replicated.measure(clients, load.seconds()));
      } else {
        with.add(replicated.measure(clients, load.seconds()));
        without.add(alone.measure(clients, load.seconds()));
      }
      ratios.add(with.get(round).perSecond() / without.get(round).perSecond());
    }
    out.printf(
        Locale.ROOT,
        "| %s | %d | %,.0f | %,.0f | **%.2f** | %.2f | %.2f | %.1f | %.1f |%n",
        what,
        clients,
        Spread.of(without, Database.Figures::perSecond).median(),
        Spread.of(with, Database.Figures::perSecond).median(),
        Spread.of(ratios, ratio -> ratio).median(),
        ratios.stream().mapToDouble(ratio -> ratio).min().orElseThrow(),
        ratios.stream().mapToDouble(ratio -> ratio).max().orElseThrow(),
        Spread.of(without, Database.Figures::averageMs).median(),
        Spread.of(with, Database.Figures::averageMs).median());
    out.flush();
  }
}
