package io.mgtm.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.mgtm.bench.load.LoadResult;
import io.mgtm.bench.load.LoadRun;
import io.mgtm.bench.load.LoadSettings;
import io.mgtm.common.HostPort;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code mgtm bench gtm}: one run. */
@Command(
    name = "gtm",
    description = {
      "Drives a GTM or proxy as a coordinator's backends do, and checks what it answers.",
      "Exit status 1 when a request failed or the checker found something."
    },
    sortOptions = false,
    mixinStandardHelpOptions = true)
final class GtmCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(
      names = "--at",
      required = true,
      paramLabel = "HOST:PORT",
      description = "The GTM or proxy.")
  private HostPort at;

  @Option(
      names = "--connections",
      paramLabel = "N",
      defaultValue = "8",
      description = "How many clients there are. Default: ${DEFAULT-VALUE}.")
  private int connections;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      defaultValue = "5",
      description = "Load that is counted. Default: ${DEFAULT-VALUE}.")
  private double seconds;

  @Option(
      names = "--warmup",
      paramLabel = "S",
      defaultValue = "1",
      description = "Load before it. Default: ${DEFAULT-VALUE}.")
  private double warmup;

  @Mixin private MixOption mix;

  @Option(
      names = "--open",
      paramLabel = "N",
      defaultValue = "0",
      description = "Transactions held open beside the load. Default: ${DEFAULT-VALUE}.")
  private int open;

  @Option(
      names = "--sequences",
      paramLabel = "N",
      defaultValue = "16",
      description = "Sequences to draw from, created and dropped. Default: ${DEFAULT-VALUE}.")
  private int sequences;

  @Option(
      names = "--threads",
      paramLabel = "N",
      defaultValue = "1",
      description = "Threads of this tool. Default: ${DEFAULT-VALUE}.")
  private int threads;

  @Option(
      names = "--timeout",
      paramLabel = "MS",
      defaultValue = "10000",
      description = "A request that takes longer has failed. Default: ${DEFAULT-VALUE}.")
  private int timeoutMs;

  @Option(names = "--json", description = "Prints the result as JSON.")
  private boolean json;

  @Override
  public Integer call() throws IOException, InterruptedException {
    LoadResult result =
        LoadRun.run(
            new LoadSettings(
                List.of(at.resolve()),
                connections,
                threads,
                mix.value(),
                (int) (warmup * 1_000),
                (int) (seconds * 1_000),
                open,
                sequences,
                timeoutMs,
                false,
                0));
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(new ObjectMapper().writerWithDefaultPrettyPrinter().writeValueAsString(result));
    } else {
      print(out, result);
    }
    out.flush();
    return result.clean() ? 0 : 1;
  }

  private static void print(PrintWriter out, LoadResult r) {
    out.printf(
        Locale.ROOT,
        "%s, %d connections, mix %s%s, %.1f s: %,.0f operations/s%n",
        r.target(),
        r.connections(),
        r.mix().name().toLowerCase(Locale.ROOT),
        r.open() == 0 ? "" : ", " + r.open() + " transactions open",
        r.seconds(),
        r.operationsPerSecond());
    out.printf(
        "%-12s %10s %10s %10s %10s %10s %10s%n",
        "latency µs", "mean", "p50", "p90", "p99", "p99.9", "max");
    print(out, "all", r.latency());
    r.latencyByOperation()
        .forEach((o, latency) -> print(out, o.name().toLowerCase(Locale.ROOT), latency));
    out.printf("%d requests failed, the checker found %d faults%n", r.errors(), r.findings());
    r.firstErrors().forEach(out::println);
    r.firstFindings().forEach(out::println);
  }

  private static void print(PrintWriter out, String name, LoadResult.Latency l) {
    out.printf(
        Locale.ROOT,
        "%-12s %10.1f %10.1f %10.1f %10.1f %10.1f %10.1f%n",
        name,
        l.meanMicros(),
        l.p50Micros(),
        l.p90Micros(),
        l.p99Micros(),
        l.p999Micros(),
        l.maxMicros());
  }
}
