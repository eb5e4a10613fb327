package io.mgtm.bench.volume;

import com.fasterxml.jackson.databind.JsonNode;
import io.mgtm.bench.report.Spread;
import io.mgtm.group.net.FreePorts;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

/**
 * How long a replica takes to catch up over the loopback: with everything, and with a hundredth.
 * Both sides hold a whole volume before, as they do when a path comes back.
 */
final class ResyncBench {
  static final long CHUNK_BYTES = 64 * 1024;
  private static final long WAIT_NS_MAX = TimeUnit.MINUTES.toNanos(3);

  /** One catching up. */
  record Run(long bytes, double seconds) {
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
    out.println(
        "| resync, median of " + rounds + " | bytes sent | seconds | MB/s | lowest | highest |");
    out.println("|---|--:|--:|--:|--:|--:|");
    measure((what, runs) -> print(out, what, runs));
    out.println();
    out.flush();
  }

  private static void print(PrintWriter out, String what, List<Run> runs) {
    Spread perSecond = Spread.of(runs, Run::megabytesPerSecond);
    out.printf(
        Locale.ROOT,
        "| %s | %,.0f | %.2f | %,.0f | %,.0f | %,.0f |%n",
        what,
        Spread.of(runs, Run::bytes).median(),
        Spread.of(runs, Run::seconds).median(),
        perSecond.median(),
        perSecond.lowest(),
        perSecond.highest());
    out.flush();
  }

  /** Measures what is told by name. */
  void measure(BiConsumer<String, List<Run>> each) throws IOException, InterruptedException {
    String port = "127.0.0.1:" + FreePorts.takeOne();
    try (Servant target = programs.volume("far", far, "--receive", port);
        Servant source = programs.volume("near", near, "--replica", port, "--mode", "sync")) {
      source.await("is up to date", WAIT_NS_MAX, () -> programs.isUpToDate(near));
      fio.fill(programs.socket("near"));
      each.accept("everything changed", runs(source, fio::fill));
      each.accept(
          "one chunk in 100 changed",
          runs(source, socket -> fio.sprinkle(socket, 100 * CHUNK_BYTES)));
      target.checkAlive();
    }
  }

  /** Lets the replica catch up with what changed while the link was suspended. */
  Run sprinkled(Servant source, long stride) throws IOException, InterruptedException {
    return changed(source, socket -> fio.sprinkle(socket, stride));
  }

  private List<Run> runs(Servant source, Change change) throws IOException, InterruptedException {
    List<Run> runs = new ArrayList<>();
    for (int round = 0; round < rounds; round++) {
      runs.add(changed(source, change));
    }
    return runs;
  }

  private Run changed(Servant source, Change change) throws IOException, InterruptedException {
    programs.ask(near, "{\"command\":\"pause\"}");
    change.make(programs.socket("near"));
    long begun = System.nanoTime();
    programs.ask(near, "{\"command\":\"resume\"}");
    source.await("has caught up", WAIT_NS_MAX, () -> programs.isUpToDate(near));
    return caughtUp(begun);
  }

  /** The catching up that began then and has just ended. */
  Run caughtUp(long begunNanos) throws IOException {
    double took = (System.nanoTime() - begunNanos) / 1e9;
    JsonNode resync = programs.status(near).path("links").path(0).path("resync");
    return new Run(resync.path("chunksSent").asLong() * CHUNK_BYTES, took);
  }
}
