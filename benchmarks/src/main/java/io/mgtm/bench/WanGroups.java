package io.mgtm.bench;

import io.mgtm.bench.ModesBench.Group;
import io.mgtm.bench.check.GivenOut;
import io.mgtm.bench.failover.FailoverRun;
import io.mgtm.bench.failover.FaultKind;
import io.mgtm.bench.failover.GroupOperator;
import io.mgtm.bench.failover.Pauses;
import io.mgtm.bench.failover.ProcessNetwork;
import io.mgtm.bench.failover.SlowLine;
import io.mgtm.bench.load.LoadResult;
import io.mgtm.bench.load.LoadSettings;
import io.mgtm.bench.load.Mix;
import io.mgtm.bench.load.MixedLoad;
import io.mgtm.bench.report.LineTable;
import io.mgtm.local.LocalInstallation;
import io.mgtm.local.Trees;
import io.mgtm.local.Wait;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * Groups of which some members are behind a line, beside the same without it. Clients, the proxy
 * and the first member, which leads until it is killed, are before the line. All loads come before
 * the first kill: a member that was started again compiles its code anew, which would be taken for
 * what the line costs. One thread.
 */
final class WanGroups {
  private static final int LEADER_MS = 180_000;
  private static final int TRANSFER_SECONDS = 60;
  private static final int REST_MS = 500;

  /**
   * What to measure.
   *
   * @param line in netem's words
   * @param connections how many clients, in turn; a leader is killed under the most
   * @param seconds of each run
   * @param warmup seconds of load on a new group before anything counts
   * @param mix what the load does
   * @param jvm options of each Java process
   * @param nodeOptions more options of every node
   */
  record Settings(
      String line,
      List<Integer> connections,
      double seconds,
      double warmup,
      Mix mix,
      List<String> jvm,
      List<String> nodeOptions) {
    int most() {
      return connections.stream().max(Comparator.naturalOrder()).orElseThrow();
    }
  }

  private final Settings settings;
  private final CheckedRuns runs;
  private final Consumer<String> progress;

  /**
   * One that has not begun.
   *
   * @param progress told what begins
   */
  WanGroups(Settings settings, CheckedRuns runs, Consumer<String> progress) {
    this.settings = settings;
    this.runs = runs;
    this.progress = progress;
  }

  /** Starts a group, and measures it with ever more members behind the line. */
  void measure(Group group, LineTable table) throws IOException, InterruptedException {
    List<String> nodes = IntStream.rangeClosed(1, group.nodes()).mapToObj(i -> "g" + i).toList();
    List<String> names = new ArrayList<>(nodes);
    names.add("proxy");
    progress.accept("a group of %d starts, mode %s".formatted(group.nodes(), group.mode()));
    Path folder = Files.createTempDirectory("mgtm-wan");
    try (ProcessNetwork network = ProcessNetwork.make(names);
        LocalInstallation installation =
            LocalInstallation.start(
                network
                    .installation(folder, nodes, group.mode(), settings.jvm())
                    .withNodeOptions(settings.nodeOptions()),
                network::place)) {
      SlowLine line = SlowLine.in(network);
      GivenOut givenOut = new GivenOut();
      installation.awaitLeader(LEADER_MS);
      line.slow(settings.line());
      load(installation, settings.most(), settings.warmup(), givenOut);
      List<List<LoadResult>> loads = new ArrayList<>();
      for (int far = 0; far < group.nodes(); far++) {
        line.put(lastOf(nodes, far));
        progress.accept("load, %d behind the line".formatted(far));
        letFirstLead(installation);
        loads.add(loads(installation, givenOut));
        if (far > 0) {
          printLoads(table, title(group, far), loads.get(0), loads.get(far));
        }
      }
      double without = 0;
      for (int far = 0; far < group.nodes(); far++) {
        line.put(lastOf(nodes, far));
        progress.accept("the leader is killed, %d behind the line".formatted(far));
        letFirstLead(installation);
        double longestMs = killLeader(installation, givenOut);
        if (far == 0) {
          without = longestMs;
        } else {
          table.row(title(group, far) + ", leader killed: longest wait", "ms", without, longestMs);
        }
      }
    } finally {
      Trees.delete(folder);
    }
  }

  private static List<String> lastOf(List<String> nodes, int count) {
    return nodes.subList(nodes.size() - count, nodes.size());
  }

  private static String title(Group group, int far) {
    return "%s of %d, %d far".formatted(group.mode(), group.nodes(), far);
  }

  private List<LoadResult> loads(LocalInstallation group, GivenOut givenOut)
      throws IOException, InterruptedException {
    List<LoadResult> loads = new ArrayList<>();
    for (int count : settings.connections()) {
      loads.add(load(group, count, settings.seconds(), givenOut));
    }
    return loads;
  }

  private LoadResult load(LocalInstallation group, int count, double seconds, GivenOut givenOut)
      throws IOException, InterruptedException {
    return runs.run(
        LoadSettings.of(
            group.proxyAddress().resolve(), count, settings.mix(), (int) (seconds * 1_000)),
        givenOut);
  }

  private double killLeader(LocalInstallation group, GivenOut givenOut)
      throws IOException, InterruptedException {
    Pauses during = new Pauses();
    try (FailoverRun run = FailoverRun.start(group, null, settings.most(), REST_MS, givenOut)) {
      run.round(FaultKind.KILL, new Pauses(), during);
      MixedLoad.Result result = run.finish();
      if (!result.clean()) {
        runs.find(
            "a leader was killed: %d requests failed, %d findings"
                .formatted(result.errors(), result.findings()));
        result.firstErrors().forEach(runs::find);
        result.firstFindings().forEach(finding -> runs.find(finding.toString()));
      }
    }
    return during.lastMs();
  }

  private static void letFirstLead(LocalInstallation group)
      throws IOException, InterruptedException {
    GroupOperator operator = new GroupOperator(group);
    String first = group.settings().name(0);
    Wait.until(
        first + ", which is asked to, leads",
        TRANSFER_SECONDS,
        () -> {
          int leader = group.awaitLeader(LEADER_MS);
          if (leader != 0) {
            ask(operator, leader, first);
          }
          return leader == 0;
        });
  }

  /** It may not lead any more, or the first lag behind yet: then it is asked again. */
  private static void ask(GroupOperator operator, int leader, String to) {
    try {
      var unused = operator.transfer(leader, to);
    } catch (IOException e) {
      return;
    }
  }

  private void printLoads(
      LineTable table, String title, List<LoadResult> without, List<LoadResult> over) {
    for (int i = 0; i < settings.connections().size(); i++) {
      String what = "%s, %d clients: ".formatted(title, settings.connections().get(i));
      LoadResult one = without.get(i);
      LoadResult two = over.get(i);
      table.row(what + "requests", "/s", one.operationsPerSecond(), two.operationsPerSecond());
      table.row(
          what + "median",
          "ms",
          millis(one.latency().p50Micros()),
          millis(two.latency().p50Micros()));
      table.row(
          what + "99 %",
          "ms",
          millis(one.latency().p99Micros()),
          millis(two.latency().p99Micros()));
    }
  }

  private static double millis(double micros) {
    return micros / 1_000;
  }
}
