package io.mgtm.bench;

import io.mgtm.bench.floor.FloorChain;
import io.mgtm.bench.load.LoadResult;
import io.mgtm.bench.load.LoadSettings;
import io.mgtm.bench.load.Mix;
import io.mgtm.bench.report.Spread;
import io.mgtm.common.HostPort;
import io.mgtm.local.LocalInstallation;
import io.mgtm.local.LocalSettings;
import io.mgtm.local.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Load on groups of this machine and, in turn, on a reference. One thread. */
final class ModesBench {
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

  /**
   * What to measure.
   *
   * @param reference null for none
   * @param direct whether the first node is driven, and not the proxy
   * @param seconds of each run
   * @param warmup seconds of load on a new group before anything counts
   * @param floor whether a {@link FloorChain} is measured, too
   * @param mix what the load does
   * @param nodeOptions more options of every node
   */
  record Settings(
      HostPort reference,
      boolean direct,
      List<Integer> connections,
      List<Integer> opens,
      int rounds,
      double seconds,
      double warmup,
      boolean floor,
      Mix mix,
      List<String> nodeOptions) {
    Settings {
      if (rounds < 1) {
        throw new IllegalArgumentException("--rounds must be above 0");
      }
    }
  }

  /**
   * Rounds of one load.
   *
   * @param reference empty without one
   * @param cpu seconds of nodes and proxy for 100,000 transactions
   * @param floor empty without one
   */
  record Row(
      Group group,
      int connections,
      int open,
      List<LoadResult> reference,
      List<LoadResult> ours,
      Spread cpu,
      List<LoadResult> floor) {
    static Spread perSecond(List<LoadResult> of) {
      return Spread.of(of, LoadResult::operationsPerSecond);
    }
  }

  private final Settings settings;
  private final CheckedRuns runs;

  ModesBench(Settings settings, CheckedRuns runs) {
    this.settings = settings;
    this.runs = runs;
  }

  /** Starts a group, measures each load, and ends it. */
  void measure(Group group, Consumer<Row> each) throws IOException, InterruptedException {
    Path folder = Files.createTempDirectory("mgtm-modes");
    try (LocalInstallation installation =
            LocalInstallation.start(
                LocalSettings.free(folder, group.nodes(), group.mode())
                    .withNodeOptions(settings.nodeOptions()));
        FloorChain chain =
            settings.floor() ? FloorChain.start(folder, group.mode(), group.nodes()) : null) {
      installation.awaitLeader(LEADER_MS);
      int most = settings.connections().stream().max(Comparator.naturalOrder()).orElseThrow();
      run(target(installation), most, 0, settings.warmup());
      if (chain != null) {
        run(chain.entrance(), most, 0, settings.warmup());
      }
      for (int open : settings.opens()) {
        for (int count : settings.connections()) {
          each.accept(row(group, installation, chain, count, open));
        }
      }
    } finally {
      Trees.delete(folder);
    }
  }

  private HostPort target(LocalInstallation installation) {
    return settings.direct()
        ? installation.settings().clients().get(0)
        : installation.proxyAddress();
  }

  private Row row(
      Group group, LocalInstallation installation, FloorChain chain, int count, int open)
      throws IOException, InterruptedException {
    List<LoadResult> theirs = new ArrayList<>();
    List<LoadResult> ours = new ArrayList<>();
    List<LoadResult> floors = new ArrayList<>();
    double[] cpu = new double[settings.rounds()];
    for (int round = 0; round < settings.rounds(); round++) {
      if (settings.reference() != null) {
        theirs.add(run(settings.reference(), count, open, settings.seconds()));
      }
      double before = cpuSeconds(installation);
      LoadResult result = run(target(installation), count, open, settings.seconds());
      double transactions = (double) result.operations() / settings.mix().operations();
      cpu[round] = (cpuSeconds(installation) - before) / transactions * 100_000;
      ours.add(result);
      if (chain != null) {
        floors.add(run(chain.entrance(), count, open, settings.seconds()));
      }
    }
    return new Row(group, count, open, theirs, ours, Spread.of(cpu), floors);
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
        LoadSettings.of(target.resolve(), count, settings.mix(), (int) (forSeconds * 1_000))
            .withOpen(open));
  }
}
