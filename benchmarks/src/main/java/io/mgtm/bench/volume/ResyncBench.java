package io.mgtm.bench.volume;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * How long a replica takes to catch up over the loopback: with everything, and with a hundredth.
 * Both sides hold a whole volume before, as they do when a path comes back.
 */
final class ResyncBench {
  private static final long CHUNK_BYTES = 64 * 1024;
  private static final long WAIT_NS_MAX = TimeUnit.MINUTES.toNanos(3);

  /** One catching up. */
  private record Run(long bytes, double seconds) {
    double megabytesPerSecond() {
      return bytes / seconds / 1e6;
    }
  }

  /** What changes bytes of the source while the link is suspended. */
  @FunctionalInterface
  private interface Change {
    void make(Path socket) throws IOException, InterruptedException;
  }

  private final Programs programs;
  private final Fio fio;
  private final Path near;
  private final Path far;
  private final int rounds;

  ResyncBench(Programs programs, Fio fio, Path memory, int rounds) {
    this.programs = programs;
    this.fio = fio;
    this.near = memory.resolve("near");
    this.far = memory.resolve("far");
    this.rounds = rounds;
  }

  /** Prints the table. */
  void run(PrintWriter out) throws IOException, InterruptedException {
    String port = "127.0.0.1:" + ReplicatedBench.freePort();
    out.println(
        "| resync, median of " + rounds + " | bytes sent | seconds | MB/s | lowest | highest |");
    out.println("|---|--:|--:|--:|--:|--:|");
    try (Servant target = programs.volume("far", far, "--receive", port);
        Servant source = programs.volume("near", near, "--replica", port, "--mode", "sync")) {
      source.await("is up to date", WAIT_NS_MAX, () -> programs.isUpToDate(near));
      fio.fill(programs.socket("near"));
      row(out, "everything changed", source, fio::fill);
      row(
          out,
          "one chunk in 100 changed",
          source,
          socket -> fio.sprinkle(socket, 100 * CHUNK_BYTES));
      target.checkAlive();
    }
    out.println();
    out.flush();
  }

  private void row(PrintWriter out, String what, Servant source, Change change)
      throws IOException, InterruptedException {
    List<Run> runs = new ArrayList<>();
    for (int round = 0; round < rounds; round++) {
      programs.ask(near, "{\"command\":\"pause\"}");
      change.make(programs.socket("near"));
      runs.add(catchUp(source));
    }
    out.printf(
        Locale.ROOT,
        "| %s | %,.0f | %.2f | %,.0f | %,.0f | %,.0f |%n",
        what,
        Medians.of(runs, Run::bytes),
        Medians.of(runs, Run::seconds),
        Medians.of(runs, Run::megabytesPerSecond),
        runs.stream().mapToDouble(Run::megabytesPerSecond).min().orElseThrow(),
        runs.stream().mapToDouble(Run::megabytesPerSecond).max().orElseThrow());
    out.flush();
  }

  private Run catchUp(Servant source) throws IOException {
    long begun = System.nanoTime();
    programs.ask(near, "{\"command\":\"resume\"}");
    source.await("has caught up", WAIT_NS_MAX, () -> programs.isUpToDate(near));
    double took = (System.nanoTime() - begun) / 1e9;
    JsonNode resync = programs.status(near).path("links").path(0).path("resync");
    return new Run(resync.path("chunksSent").asLong() * CHUNK_BYTES, took);
  }
}
