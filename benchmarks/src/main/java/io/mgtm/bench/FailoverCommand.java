package io.mgtm.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.mgtm.bench.failover.FailoverBench;
import io.mgtm.bench.failover.FailoverReport;
import io.mgtm.bench.failover.FaultKind;
import io.mgtm.bench.failover.Pauses;
import io.mgtm.local.LocalSettings;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code mgtm bench failover}: how long clients wait when a leader goes. */
@Command(
    name = "failover",
    description = {
      "Starts a group and a proxy on this machine, runs load through the proxy, and disturbs the"
          + " leader again and again. Prints a row of Markdown for each kind of fault: in how"
          + " many rounds, and percentiles of the longest that any client waited in a round.",
      "Exit status 1 when a request failed or the checker found something."
    },
    sortOptions = false,
    mixinStandardHelpOptions = true)
final class FailoverCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(
      names = "--mode",
      paramLabel = "MODE",
      defaultValue = "fifo",
      description = "How the group replicates. Default: ${DEFAULT-VALUE}.")
  private String mode;

  @Option(
      names = "--nodes",
      paramLabel = "N",
      defaultValue = "3",
      description = "Default: ${DEFAULT-VALUE}.")
  private int nodes;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "20",
      description = "Of each kind. Default: ${DEFAULT-VALUE}.")
  private int rounds;

  @Option(
      names = "--kinds",
      split = ",",
      paramLabel = "KIND",
      defaultValue = "kill,hang,cut,transfer,restart",
      description = {
        "kill: SIGKILL, and started again; hang: SIGSTOP, and SIGCONT later; cut: off from all"
            + " others, which takes root; transfer: hands over; restart: all members in turn;",
        "none: nothing. Default: ${DEFAULT-VALUE}."
      })
  private List<FaultKind> kinds;

  @Option(
      names = "--connections",
      paramLabel = "N",
      defaultValue = "8",
      description = "A quarter as many draw from sequences beside. Default: ${DEFAULT-VALUE}.")
  private int connections;

  @Option(
      names = "--rest",
      paramLabel = "MS",
      defaultValue = "500",
      description = "How long nothing is done before each fault. Default: ${DEFAULT-VALUE}.")
  private int restMs;

  @Option(
      names = "--jvm",
      split = ",",
      paramLabel = "OPTION",
      description = "How the JVMs of nodes and proxy are started. Default: as mgtm does.")
  private List<String> jvm = LocalSettings.JVM_OPTIONS;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description = "Where data and logs stay. Default: a temporary folder that is deleted.")
  private Path data;

  @Mixin private NodeConfig config;

  @Option(names = "--json", description = "Prints the result as JSON.")
  private boolean json;

  private PrintWriter out;

  @Override
  public Integer call() throws IOException, InterruptedException {
    FailoverBench.Settings settings =
        new FailoverBench.Settings(
            mode, nodes, rounds, kinds, connections, restMs, jvm, config.options(), data);
    out = spec.commandLine().getOut();
    print(FailoverReport.HEAD);
    FailoverReport report =
        new FailoverBench(
                settings,
                spec.commandLine().getErr(),
                figures -> print(FailoverReport.row(mode, nodes, figures)))
            .measure();
    end(report);
    return report.clean() ? 0 : 1;
  }

  private void print(String line) {
    if (!json) {
      out.println(line);
      out.flush();
    }
  }

  private void end(FailoverReport report) throws IOException {
    if (json) {
      out.println(new ObjectMapper().writerWithDefaultPrettyPrinter().writeValueAsString(report));
    } else {
      for (Pauses.Figures figures : report.kinds()) {
        out.printf("%n%s%n", FailoverReport.histogram(figures));
      }
      report.skipped().forEach(out::println);
      out.printf(
          Locale.ROOT,
          "%n%,d requests were answered, %d failed, the checker found %d faults.%n",
          report.operations(),
          report.errors(),
          report.findings());
    }
    out.flush();
  }
}
