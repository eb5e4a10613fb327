package io.mgtm.bench;

import io.mgtm.bench.check.GivenOut;
import io.mgtm.bench.load.MixedLoad;
import io.mgtm.local.LocalInstallation;
import io.mgtm.local.LocalSettings;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code mgtm demo}: leaders die under load, and nobody notices. */
@Command(
    name = "demo",
    customSynopsis = "mgtm demo [OPTION...]",
    description = {
      "Starts a group and a proxy, drives load through the proxy, and kills leaders meanwhile.",
      "Exit status 1 when a request failed or the checker found something."
    },
    sortOptions = false,
    mixinStandardHelpOptions = true)
final class DemoCommand implements Callable<Integer> {
  private static final int LEADER_MS = 60_000;
  private static final int BETWEEN_MS = 2_000;
  private static final int REQUEST_MS = 30_000;

  @Spec private CommandSpec spec;

  @Option(
      names = "--nodes",
      paramLabel = "N",
      defaultValue = "3",
      description = "How many GTMs. Default: ${DEFAULT-VALUE}.")
  private int nodes;

  @Option(
      names = "--kills",
      paramLabel = "N",
      defaultValue = "2",
      description = "Leaders to kill with SIGKILL. Default: ${DEFAULT-VALUE}.")
  private int kills;

  @Option(
      names = "--connections",
      paramLabel = "N",
      defaultValue = "16",
      description = "How many clients begin, take snapshots and commit. Default: ${DEFAULT-VALUE}.")
  private int connections;

  @Option(
      names = "--mode",
      paramLabel = "MODE",
      defaultValue = "fifo",
      description = "How the group replicates. Default: ${DEFAULT-VALUE}.")
  private String mode;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description = "Where data and logs stay. Default: a new folder among the temporary ones.")
  private Path data;

  @Override
  public Integer call() throws IOException, InterruptedException {
    Path folder = data == null ? Files.createTempDirectory("mgtm-demo") : data;
    PrintWriter out = spec.commandLine().getOut();
    say(out, "Starting %d GTM nodes and a proxy; data and logs in %s", nodes, folder);
    try (LocalInstallation group =
        LocalInstallation.start(LocalSettings.free(folder, nodes, mode))) {
      int leader = group.awaitLeader(LEADER_MS);
      say(out, "%s leads", group.settings().name(leader));
      return demonstrate(out, group);
    }
  }

  private int demonstrate(PrintWriter out, LocalInstallation group)
      throws IOException, InterruptedException {
    try (MixedLoad load =
        MixedLoad.start(
            group.proxyAddress().resolve(), connections, new GivenOut(), REQUEST_MS, 0)) {
      say(
          out,
          "%d connections begin, take snapshots and commit; %d draw from sequences",
          connections,
          MixedLoad.valueConnections(connections));
      TimeUnit.MILLISECONDS.sleep(BETWEEN_MS);
      say(out, "undisturbed, the longest request took %d ms", load.takeLongestMs());
      long pauseMs = 0;
      for (int i = 0; i < kills; i++) {
        pauseMs = Math.max(pauseMs, kill(out, group, load));
      }
      return report(out, load.finish(), pauseMs);
    }
  }

  /** Kills the leader, lets it come back; the longest pause in ms. */
  private static long kill(PrintWriter out, LocalInstallation group, MixedLoad load)
      throws IOException, InterruptedException {
    int victim = group.awaitLeader(LEADER_MS);
    group.node(victim).kill();
    TimeUnit.MILLISECONDS.sleep(BETWEEN_MS);
    int next = group.awaitLeader(LEADER_MS);
    long pauseMs = load.takeLongestMs();
    say(
        out,
        "killed %s with kill -9: %s leads, the longest request took %d ms, %d have failed",
        group.settings().name(victim),
        group.settings().name(next),
        pauseMs,
        load.failed());
    group.restartNode(victim);
    TimeUnit.MILLISECONDS.sleep(BETWEEN_MS);
    return pauseMs;
  }

  private static int report(PrintWriter out, MixedLoad.Result result, long pauseMs) {
    say(out, "");
    say(out, "operations                              %,d", result.operations());
    say(out, "errors that a client saw                %d", result.errors());
    say(out, "gxids or values twice, wrong snapshots  %d", result.findings());
    say(out, "longest pause                           %d ms", pauseMs);
    result.firstErrors().forEach(out::println);
    result.firstFindings().forEach(out::println);
    out.flush();
    return result.clean() ? 0 : 1;
  }

  private static void say(PrintWriter out, String format, Object... values) {
    out.printf(Locale.ROOT, format + "%n", values);
    out.flush();
  }
}
