package io.mgtm.bench.query;

import io.mgtm.common.HostPort;
import io.mgtm.query.local.LocalProgram;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Runs of pgbench, with the time of each transaction. One thread. */
final class Pgbench {
  /** In a line of its log: client, number, microseconds (pgbench, "Per-Transaction Logging"). */
  private static final int MICROSECONDS = 2;

  private static final String TRIES_MAX = "1000";

  private final Servers servers;
  private final Path folder;

  Pgbench(Servers servers, Path folder) {
    this.servers = servers;
    this.folder = folder;
  }

  /** Which of pgbench's own scripts. */
  enum Script {
    /** Five statements that change three rows and add one. */
    TPCB("tpcb-like"),
    /** One of these, and nine of the others. */
    MIXED("tpcb-like@1,select-only@9"),
    /** One row by its key. */
    SELECT("select-only");

    /** Names of scripts, with their weights. */
    private final String builtin;

    Script(String builtin) {
      this.builtin = builtin;
    }
  }

  /**
   * What came of a run.
   *
   * @param perSecond transactions
   * @param p99Ms of the time that a transaction took, with all that it was repeated
   * @param longestMs of them
   * @param failed those that were given up
   */
  record Result(double perSecond, double p99Ms, double longestMs, long failed) {
    /** Of a run that failed. */
    static final Result NONE = new Result(Double.NaN, Double.NaN, Double.NaN, 0);
  }

  /**
   * Runs it for so many seconds, which begin before the clients log in.
   *
   * @throws IOException when it fails, with what it said
   */
  Result run(HostPort at, Script script, int clients, int seconds)
      throws IOException, InterruptedException {
    return run(at, script, clients, "-T", seconds);
  }

  /**
   * Runs it until each client has made so many transactions.
   *
   * @throws IOException when it fails, with what it said
   */
  Result runTransactions(HostPort at, Script script, int clients, int each)
      throws IOException, InterruptedException {
    return run(at, script, clients, "-t", each);
  }

  private Result run(HostPort at, Script script, int clients, String bound, int value)
      throws IOException, InterruptedException {
    Path prefix = folder.resolve("pgbench");
    List<String> arguments = new ArrayList<>();
    for (String one : script.builtin.split(",", -1)) {
      arguments.addAll(List.of("-b", one));
    }
    arguments.addAll(
        List.of(
            "-n",
            "-c",
            Integer.toString(clients),
            bound,
            Integer.toString(value),
            "--max-tries=" + TRIES_MAX,
            "-l",
            "--log-prefix=" + prefix));
    String said =
        LocalProgram.succeed(
            folder, Map.of(), servers.command("pgbench", at, arguments.toArray(String[]::new)));
    double[] ms = takeLog();
    return new Result(
        number(said, "tps = "),
        ms.length == 0 ? 0 : ms[(int) (ms.length * 0.99)],
        ms.length == 0 ? 0 : ms[ms.length - 1],
        (long) number(said, "number of failed transactions: "));
  }

  static double number(String said, String name) throws IOException {
    return said.lines()
        .filter(line -> line.startsWith(name))
        .map(line -> line.substring(name.length()).split("[ (]", 2)[0])
        .mapToDouble(Double::parseDouble)
        .findFirst()
        .orElseThrow(() -> new IOException("pgbench did not say \"" + name + "\": " + said));
  }

  /** Ascending; the log is gone then. Those that failed have no time. */
  private double[] takeLog() throws IOException {
    List<Path> files = new ArrayList<>();
    try (DirectoryStream<Path> found = Files.newDirectoryStream(folder, "pgbench.*")) {
      found.forEach(files::add);
    }
    double[] all = new double[0];
    for (Path file : files) {
      try (Stream<String> lines = Files.lines(file)) {
        double[] of = milliseconds(lines);
        int before = all.length;
        all = Arrays.copyOf(all, before + of.length);
        System.arraycopy(of, 0, all, before, of.length);
      }
      Files.delete(file);
    }
    Arrays.sort(all);
    return all;
  }

  static double[] milliseconds(Stream<String> lines) {
    return lines
        .map(line -> line.split(" ", -1)[MICROSECONDS])
        .filter(time -> Character.isDigit(time.charAt(0)))
        .mapToDouble(time -> Long.parseLong(time) / 1e3)
        .toArray();
  }
}
