package io.mgtm.bench;

import io.mgtm.bench.load.LoadResult;
import io.mgtm.bench.load.LoadSettings;
import io.mgtm.bench.load.Mix;
import io.mgtm.bench.report.Spread;
import io.mgtm.common.HostPort;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code mgtm bench compare}: the same load on a reference and on another, in turn, so that what
 * disturbs the machine disturbs both. The figure is the ratio, the median over the rounds.
 */
@Command(
    name = "compare",
    description = {
      "Runs the same load on a reference and on another GTM in turn, and prints a row of"
          + " Markdown for each mix, number of connections and number of open transactions:",
      "medians over the rounds, and the median, lowest and highest ratio of a round.",
      "Exit status 1 when a request failed or the checker found something."
    },
    sortOptions = false,
    mixinStandardHelpOptions = true)
final class CompareCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(
      names = "--reference",
      required = true,
      paramLabel = "HOST:PORT",
      description = "The original GTM or its proxy.")
  private HostPort reference;

  @Option(
      names = "--at",
      required = true,
      paramLabel = "HOST:PORT",
      description = "What is compared with it.")
  private HostPort at;

  @Option(
      names = "--connections",
      split = ",",
      paramLabel = "N",
      defaultValue = "1,8,64",
      description = "Connections of the load, a row for each. Default: ${DEFAULT-VALUE}.")
  private List<Integer> connections;

  @Option(
      names = "--mix",
      split = ",",
      paramLabel = "MIX",
      defaultValue = "txn,begin,seq",
      description =
          "txn: begin, snapshot, commit; begin: begin, rollback; seq: the next value of a"
              + " sequence. Default: ${DEFAULT-VALUE}.")
  private List<Mix> mixes;

  @Option(
      names = "--open",
      split = ",",
      paramLabel = "N",
      defaultValue = "0",
      description = "Transactions held open beside mix txn. Default: ${DEFAULT-VALUE}.")
  private List<Integer> opens;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "5",
      description = "Of each row, in turns. Default: ${DEFAULT-VALUE}.")
  private int rounds;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      defaultValue = "3",
      description = "Of load in each run. Default: ${DEFAULT-VALUE}.")
  private double seconds;

  @Option(
      names = "--warmup",
      paramLabel = "S",
      defaultValue = "1",
      description = "Seconds of load before each run. Default: ${DEFAULT-VALUE}.")
  private double warmup;

  @Option(
      names = "--threads",
      paramLabel = "N",
      defaultValue = "1",
      description =
          "Threads of this tool, at most one for each connection. Default: ${DEFAULT-VALUE}.")
  private int threads;

  private CheckedRuns runs;

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (rounds < 1) {
      throw new IllegalArgumentException("--rounds must be above 0");
    }
    runs = new CheckedRuns(spec.commandLine().getErr());
    PrintWriter out = spec.commandLine().getOut();
    out.println(
        "| mix | connections | open | reference op/s | mgtm op/s | ratio | lowest | highest |"
            + " reference p50 µs | mgtm p50 µs | reference p99 µs | mgtm p99 µs |");
    out.println("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
    for (Mix mix : mixes) {
      for (int open : mix == Mix.TXN ? opens : List.of(0)) {
        for (int count : connections) {
          compare(out, mix, open, count);
        }
      }
    }
    out.flush();
    return runs.exitStatus();
  }

  private void compare(PrintWriter out, Mix mix, int open, int count)
      throws IOException, InterruptedException {
    List<LoadResult> ofReference = new ArrayList<>();
    List<LoadResult> ofOther = new ArrayList<>();
    for (int round = 0; round < rounds; round++) {
      ofReference.add(run(reference, mix, open, count));
      ofOther.add(run(at, mix, open, count));
    }
    Spread theirs = Spread.of(ofReference, LoadResult::operationsPerSecond);
    Spread ours = Spread.of(ofOther, LoadResult::operationsPerSecond);
    Spread ratio = ours.to(theirs);
    out.printf(
        Locale.ROOT,
        "| %s | %d | %d | %,.0f | %,.0f | **%.2f** | %.2f | %.2f | %.0f | %.0f | %.0f | %.0f |%n",
        mix.name().toLowerCase(Locale.ROOT),
        count,
        open,
        theirs.median(),
        ours.median(),
        ratio.median(),
        ratio.lowest(),
        ratio.highest(),
        Spread.of(ofReference, r -> r.latency().p50Micros()).median(),
        Spread.of(ofOther, r -> r.latency().p50Micros()).median(),
        Spread.of(ofReference, r -> r.latency().p99Micros()).median(),
        Spread.of(ofOther, r -> r.latency().p99Micros()).median());
    out.flush();
  }

  private LoadResult run(HostPort target, Mix mix, int open, int count)
      throws IOException, InterruptedException {
    return runs.run(
        LoadSettings.of(target.resolve(), count, mix, (int) (seconds * 1_000))
            .withWarmupMs((int) (warmup * 1_000))
            .withOpen(open)
            .withThreads(Math.min(threads, count)));
  }
}
