package io.mgtm.bench.scenario;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;

/** A line for each scenario that was run, in a file that {@code ./mgtm scenarios} prints. */
final class ScenarioTable {
  private static final Path FILE = Path.of("target", "scenarios.txt");
  private static final String FORMAT = "%-24s %14s %12s %16s %9s  %s%n";

  private ScenarioTable() {}

  /** Begins a table. */
  static void begin() throws IOException {
    Files.writeString(
        FILE,
        FORMAT.formatted(
            "scenario", "longest wait", "requests", "failed requests", "findings", "ended"));
  }

  /**
   * Adds a line.
   *
   * @param passed whether nothing was seen that must not be
   */
  static void add(
      String name, long longestMs, long requests, long failed, long findings, boolean passed)
      throws IOException {
    Files.writeString(
        FILE,
        String.format(
            Locale.ROOT,
            FORMAT,
            name,
            longestMs + " ms",
            "%,d".formatted(requests),
            failed,
            findings,
            passed ? "passed" : "FAILED"),
        StandardOpenOption.APPEND);
  }

  /** Adds other text. */
  static void say(String text) throws IOException {
    Files.writeString(FILE, text, StandardOpenOption.APPEND);
  }
}
