package io.mgtm.bench.volume;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * How long a replica takes to catch up over the loopback: with everything, and with a hundredth.
 */
final class ResyncBench {
  private static final long CHUNK_BYTES = 64 * 1024;
  private static final long WAIT_NS_MAX = TimeUnit.MINUTES.toNanos(3);

  private final Programs programs;
  private final Fio fio;
  private final Path near;
  private final Path far;

  ResyncBench(Programs programs, Fio fio, Path memory) {
    this.programs = programs;
    this.fio = fio;
    this.near = memory.resolve("near");
    this.far = memory.resolve("far");
  }

  /** Prints the table. */
  void run(PrintWriter out) throws IOException, InterruptedException {
    String port = "127.0.0.1:" + ReplicatedBench.freePort();
    out.println("| resync | bytes sent | seconds | MB/s |");
    out.println("|---|--:|--:|--:|");
    try (Servant target = programs.volume("far", far, "--receive", port);
        Servant source = programs.volume("near", near, "--replica", port, "--mode", "sync")) {
      source.await("is up to date", WAIT_NS_MAX, () -> programs.isUpToDate(near));
      programs.ask(near, "{\"command\":\"pause\"}");
      fio.fill(programs.socket("near"));
      row(out, "everything changed", source);
      programs.ask(near, "{\"command\":\"pause\"}");
      fio.sprinkle(programs.socket("near"), 100 * CHUNK_BYTES);
      row(out, "one chunk in 100 changed", source);
      target.checkAlive();
    }
    out.println();
    out.flush();
  }

  private void row(PrintWriter out, String what, Servant source) throws IOException {
    long begun = System.nanoTime();
    programs.ask(near, "{\"command\":\"resume\"}");
    source.await("has caught up", WAIT_NS_MAX, () -> programs.isUpToDate(near));
    double took = (System.nanoTime() - begun) / 1e9;
    JsonNode resync = programs.status(near).path("links").path(0).path("resync");
    long bytes = resync.path("chunksSent").asLong() * CHUNK_BYTES;
    out.printf(Locale.ROOT, "| %s | %,d | %.2f | %,.0f |%n", what, bytes, took, bytes / took / 1e6);
    out.flush();
  }
}
