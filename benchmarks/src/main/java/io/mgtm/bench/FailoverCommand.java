package io.mgtm.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.mgtm.bench.failover.FailoverReport;
import io.mgtm.bench.failover.FailoverRun;
import io.mgtm.bench.failover.FaultKind;
import io.mgtm.bench.failover.Pauses;
import io.mgtm.bench.failover.ProcessNetwork;
import io.mgtm.bench.load.MixedLoad;
import io.mgtm.local.LocalInstallation;
import io.mgtm.local.LocalSettings;
import io.mgtm.local.Trees;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
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
  private static final String PROXY = "proxy";

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

  @Option(names = "--json", description = "Prints the result as JSON.")
  private boolean json;

  private PrintWriter out;
  private PrintWriter err;
  private FailoverReport report;

  @Override
  public Integer call() throws IOException, InterruptedException {
    check();
    out = spec.commandLine().getOut();
    err = spec.commandLine().getErr();
    Set<FaultKind> here = new LinkedHashSet<>(kinds);
    List<String> skipped = skip(here);
    report = new FailoverReport(mode, nodes, connections, List.of(), skipped, 0, 0, 0);
    print(FailoverReport.HEAD);
    boolean cut = here.remove(FaultKind.CUT);
    if (!here.isEmpty()) {
      measureAll(here, null);
    }
    if (cut) {
      List<String> names = new ArrayList<>(names());
      names.add(PROXY);
      try (ProcessNetwork network = ProcessNetwork.make(names)) {
        measureAll(Set.of(FaultKind.CUT), network);
      }
    }
    end();
    return report.clean() ? 0 : 1;
  }

  private void check() {
    if (rounds < 1 || connections < 1 || nodes < 2 || restMs < 0) {
      throw new ParameterException(
          spec.commandLine(),
          "--rounds and --connections must be at least 1, --nodes 2, and --rest 0");
    }
  }

  /** Takes out what cannot be done; a sentence for each. */
  private List<String> skip(Set<FaultKind> of) throws IOException {
    List<String> skipped = new ArrayList<>();
    if (of.contains(FaultKind.CUT) && mode.equals("lazy")) {
      skipped.add("cut is skipped: mode lazy promises nothing without a line between members");
    } else if (of.contains(FaultKind.CUT) && !ProcessNetwork.isPossible()) {
      skipped.add("cut is skipped: network namespaces need root and iproute2");
    }
    if (!skipped.isEmpty()) {
      of.remove(FaultKind.CUT);
      skipped.forEach(err::println);
      err.flush();
    }
    return skipped;
  }

  private List<String> names() {
    return IntStream.rangeClosed(1, nodes).mapToObj(i -> "g" + i).toList();
  }

  /** Measures these kinds with one group, in a network of its own when there is one. */
  private void measureAll(Set<FaultKind> of, ProcessNetwork network)
      throws IOException, InterruptedException {
    Path folder = folder(network == null ? "group" : "cut");
    try (LocalInstallation group = start(folder, network);
        FailoverRun run = FailoverRun.start(group, network, connections, restMs)) {
      List<Pauses.Figures> figures = new ArrayList<>();
      Pauses before = new Pauses();
      for (FaultKind kind : of) {
        figures.add(measure(run, kind, before));
      }
      figures.add(before.figures(FaultKind.NONE));
      print(report.row(before.figures(FaultKind.NONE)));
      MixedLoad.Result load = run.finish();
      load.firstErrors().forEach(err::println);
      load.firstFindings().forEach(err::println);
      report = report.with(figures, load);
    } finally {
      if (data == null) {
        Trees.delete(folder);
      }
    }
  }

  private Path folder(String name) throws IOException {
    return data == null ? Files.createTempDirectory("mgtm-failover") : data.resolve(name);
  }

  private LocalInstallation start(Path folder, ProcessNetwork network)
      throws IOException, InterruptedException {
    if (network != null) {
      return LocalInstallation.start(
          network.installation(folder, names(), mode, jvm), network::place);
    }
    LocalSettings free = LocalSettings.free(folder, nodes, mode);
    return LocalInstallation.start(
        new LocalSettings(
            folder, free.clients(), free.members(), free.proxy(), mode, jvm, List.of()));
  }

  private Pauses.Figures measure(FailoverRun run, FaultKind kind, Pauses before)
      throws IOException, InterruptedException {
    Pauses during = new Pauses();
    for (int round = 1; round <= rounds; round++) {
      run.round(kind, before, during);
      err.printf(
          Locale.ROOT,
          "%s %d of %d: %.1f ms%n",
          kind.name().toLowerCase(Locale.ROOT),
          round,
          rounds,
          during.lastMs());
      err.flush();
    }
    Pauses.Figures figures = during.figures(kind);
    print(report.row(figures));
    return figures;
  }

  private void print(String line) {
    if (!json) {
      out.println(line);
      out.flush();
    }
  }

  private void end() throws IOException {
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
