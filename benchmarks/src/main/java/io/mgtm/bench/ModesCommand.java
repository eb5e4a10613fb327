package io.mgtm.bench;

import io.mgtm.bench.floor.FloorChain;
import io.mgtm.bench.load.LoadResult;
import io.mgtm.bench.load.LoadSettings;
import io.mgtm.bench.load.Mix;
import io.mgtm.common.HostPort;
import io.mgtm.local.LocalInstallation;
import io.mgtm.local.LocalSettings;
import io.mgtm.local.Trees;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code mgtm bench modes}: what each way to replicate costs. */
@Command(
    name = "modes",
    description = {
      "Starts groups of this machine one after the other, each with a proxy, runs load through the"
          + " proxy and, in turn, on a reference, and prints a row of Markdown for each.",
      "Exit status 1 when a request failed or the checker found something."
    },
    sortOptions = false,
    mixinStandardHelpOptions = true)
final class ModesCommand implements Callable<Integer> {
  private static final int LEADER_MS = 60_000;
  private static final double NANOS = 1e9;

  /** A way to replicate, and among how many. */
  record Group(String mode, int nodes) {
    static Group parse(String text) {
      String[] parts = text.split(":", -1);
      if (parts.length != 2) {
        throw new IllegalArgumentException(
            "\"" + text + "\" is no group: expected MODE:NODES, for example fifo:3");
      }
      return new Group(parts[0], Integer.parseInt(parts[1]));
    }
  }

  @Spec private CommandSpec spec;

  @Option(
      names = "--reference",
      paramLabel = "HOST:PORT",
      description = "What to compare with, for example the original's proxy. Default: nothing.")
  private HostPort reference;

  @Option(
      names = "--groups",
      split = ",",
      paramLabel = "MODE:NODES",
      defaultValue = "fifo:3",
      description = "Default: ${DEFAULT-VALUE}.")
  private List<String> groups;

  @Option(
      names = "--connections",
      split = ",",
      paramLabel = "N",
      defaultValue = "8,64",
      description = "How many clients, one run for each. Default: ${DEFAULT-VALUE}.")
  private List<Integer> connections;

  @Option(
      names = "--open",
      split = ",",
      paramLabel = "N",
      defaultValue = "0",
      description = "Transactions held open beside the load. Default: ${DEFAULT-VALUE}.")
  private List<Integer> opens;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "3",
      description = "How often each is measured, in turns. Default: ${DEFAULT-VALUE}.")
  private int rounds;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      defaultValue = "3",
      description = "How long each time. Default: ${DEFAULT-VALUE}.")
  private double seconds;

  @Option(
      names = "--warmup",
      paramLabel = "S",
      defaultValue = "15",
      description = "Load on a new group before anything counts. Default: ${DEFAULT-VALUE}.")
  private double warmup;

  @Option(
      names = "--floor",
      description = {
        "Also measures, in turn, a chain of a proxy, a leader and a follower that do nothing but pass"
            + " the same requests and answers on."
      })
  private boolean floor;

  private CheckedRuns runs;

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (rounds < 1) {
      throw new IllegalArgumentException("--rounds must be above 0");
    }
    runs = new CheckedRuns(spec.commandLine().getErr());
    PrintWriter out = spec.commandLine().getOut();
    out.println(
        "| mode | nodes | connections | open | reference op/s | mgtm op/s | ratio | lowest |"
            + " highest | p50 µs | p99 µs | CPU s per 100,000 transactions |"
            + (floor ? " floor op/s | mgtm to floor | floor to reference |" : ""));
    out.println(
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|" + (floor ? "--:|--:|--:|" : ""));
    for (String group : groups) {
      measure(out, Group.parse(group));
    }
    return runs.exitStatus();
  }

  private void measure(PrintWriter out, Group group) throws IOException, InterruptedException {
    Path folder = Files.createTempDirectory("mgtm-modes");
    try (LocalInstallation installation =
            LocalInstallation.start(LocalSettings.free(folder, group.nodes(), group.mode()));
        FloorChain chain = floor ? FloorChain.start(folder, group.mode(), group.nodes()) : null) {
      installation.awaitLeader(LEADER_MS);
      int most = connections.stream().max(Comparator.naturalOrder()).orElseThrow();
      run(installation.proxyAddress(), most, 0, warmup);
      if (chain != null) {
        run(chain.entrance(), most, 0, warmup);
      }
      for (int open : opens) {
        for (int count : connections) {
          row(out, group, installation, chain, count, open);
        }
      }
    } finally {
      Trees.delete(folder);
    }
  }

  private void row(
      PrintWriter out,
      Group group,
      LocalInstallation installation,
      FloorChain chain,
      int count,
      int open)
      throws IOException, InterruptedException {
    double[] theirs = new double[rounds];
    double[] ratios = new double[rounds];
    double[] cpu = new double[rounds];
    double[] floors = new double[rounds];
    List<LoadResult> ours = new ArrayList<>();
    for (int round = 0; round < rounds; round++) {
      if (reference != null) {
        theirs[round] = run(reference, count, open, seconds).operationsPerSecond();
      }
      double before = cpuSeconds(installation);
      LoadResult result = run(installation.proxyAddress(), count, open, seconds);
      double transactions = result.operations() / 3.0;
      cpu[round] = (cpuSeconds(installation) - before) / transactions * 100_000;
      ratios[round] = reference == null ? 0 : result.operationsPerSecond() / theirs[round];
      ours.add(result);
      if (chain != null) {
        floors[round] = run(chain.entrance(), count, open, seconds).operationsPerSecond();
      }
    }
    out.printf(
        Locale.ROOT,
        "| %s | %d | %d | %d | %,.0f | %,.0f | **%.2f** | %.2f | %.2f | %.0f | %.0f | %.2f |",
        group.mode(),
        group.nodes(),
        count,
        open,
        CheckedRuns.median(theirs),
        CheckedRuns.median(ours, LoadResult::operationsPerSecond),
        CheckedRuns.median(ratios),
        Arrays.stream(ratios).min().orElseThrow(),
        Arrays.stream(ratios).max().orElseThrow(),
        CheckedRuns.median(ours, r -> r.latency().p50Micros()),
        CheckedRuns.median(ours, r -> r.latency().p99Micros()),
        CheckedRuns.median(cpu));
    if (chain != null) {
      out.printf(
          Locale.ROOT,
          " %,.0f | **%.2f** | %.2f |",
          CheckedRuns.median(floors),
          CheckedRuns.median(
              ratio(ours.stream().mapToDouble(LoadResult::operationsPerSecond).toArray(), floors)),
          reference == null ? 0 : CheckedRuns.median(ratio(floors, theirs)));
    }
    out.println();
    out.flush();
  }

  private static double[] ratio(double[] of, double[] to) {
    return IntStream.range(0, of.length).mapToDouble(i -> of[i] / to[i]).toArray();
  }

  /** What the nodes and the proxy have used so far. */
  private static double cpuSeconds(LocalInstallation installation) {
    Stream.Builder<Long> pids = Stream.builder();
    for (int i = 0; i < installation.settings().nodes(); i++) {
      pids.add(installation.node(i).pid());
    }
    pids.add(installation.proxy().pid());
    return pids.build()
        .map(pid -> ProcessHandle.of(pid).orElseThrow())
        .mapToDouble(process -> process.info().totalCpuDuration().orElseThrow().toNanos() / NANOS)
        .sum();
  }

  /** Without warm-up, so that the processor time is that of the operations counted. */
  private LoadResult run(HostPort target, int count, int open, double forSeconds)
      throws IOException, InterruptedException {
    return runs.run(
        LoadSettings.of(target.resolve(), count, Mix.TXN, (int) (forSeconds * 1_000))
            .withOpen(open));
  }
}
