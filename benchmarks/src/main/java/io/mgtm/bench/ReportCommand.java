package io.mgtm.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.mgtm.bench.failover.FailoverBench;
import io.mgtm.bench.failover.FaultKind;
import io.mgtm.bench.ha.Stoppable;
import io.mgtm.bench.load.Mix;
import io.mgtm.bench.report.Machine;
import io.mgtm.bench.report.Part;
import io.mgtm.bench.report.Report;
import io.mgtm.bench.report.ReportPage;
import io.mgtm.bench.report.ReportRun;
import io.mgtm.bench.report.Section;
import io.mgtm.bench.tpcc.TpccPart;
import io.mgtm.bench.volume.VolumePart;
import io.mgtm.common.Cli;
import io.mgtm.common.HostPort;
import io.mgtm.local.LocalSettings;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code mgtm bench report}: what all benchmarks find on this machine, as one page. */
@Command(
    name = "report",
    description = {
      "Runs the benchmarks of GTMs, failovers, volumes and SQL on this machine, beside what they"
          + " are compared with where it is there, and writes one page of HTML with charts.",
      "What cannot run here is in the page with the reason. Prints the page's path.",
      "Exit status 1 when a request failed, a checker found something or a part came to no end."
    },
    sortOptions = false,
    mixinStandardHelpOptions = true)
final class ReportCommand implements Callable<Integer> {
  /** What runs a program of the sources; packages have no benchmarks. */
  private static final String COMMAND = "./mgtm bench report";

  private static final int QUICK_SECONDS = 600;
  private static final int WHOLE_SECONDS = 5_400;

  @Spec private CommandSpec spec;

  @Option(
      names = "--quick",
      description = "Fewer and shorter rounds: at most ten minutes. Default: at most 90.")
  private boolean quick;

  @Option(
      names = "--out",
      paramLabel = "FILE",
      defaultValue = "mgtm-report.html",
      description = "Where the page goes. Default: ${DEFAULT-VALUE}.")
  private Path file;

  @Option(names = "--json", paramLabel = "FILE", description = "Where the same goes as JSON.")
  private Path json;

  @Option(
      names = "--only",
      split = ",",
      paramLabel = "PART",
      description = "gtm, modes, failover, volume, sql. Default: all.")
  private List<String> only = List.of();

  @Option(
      names = "--reference",
      paramLabel = "HOST:PORT",
      description = "The original's proxy, to compare groups with. Default: nothing.")
  private HostPort reference;

  @Option(
      names = "--reference-direct",
      paramLabel = "HOST:PORT",
      description = "The original GTM, to compare one GTM with. Default: nothing.")
  private HostPort referenceDirect;

  private PrintWriter err;

  @Override
  public Integer call() throws IOException {
    err = spec.commandLine().getErr();
    List<Part> all = parts();
    for (String name : only) {
      if (all.stream().noneMatch(part -> part.id().equals(name))) {
        throw new IllegalArgumentException(
            "--only: \"" + name + "\" is no part, expected gtm, modes, failover, volume or sql");
      }
    }
    checkWritable(file);
    if (json != null) {
      checkWritable(json);
    }
    return Stoppable.run(
        () ->
            write(
                all.stream().filter(part -> only.isEmpty() || only.contains(part.id())).toList()));
  }

  /** Before an hour of work, rather than after it. */
  private static void checkWritable(Path path) throws IOException {
    Path folder = path.toAbsolutePath().getParent();
    if (!Files.isDirectory(folder) || !Files.isWritable(folder) || Files.isDirectory(path)) {
      throw new IOException(path + " cannot be written: name a file in a folder that is there");
    }
  }

  private List<Part> parts() {
    List<Integer> connections = quick ? List.of(8, 64) : List.of(1, 8, 64);
    int rounds = quick ? 3 : 7;
    double seconds = quick ? 1 : 2;
    List<String> groups = List.of("fifo:1", "fifo:3", "lazy:2", "total:3", "causal:3");
    List<FaultKind> kinds =
        List.of(FaultKind.KILL, FaultKind.HANG, FaultKind.TRANSFER, FaultKind.CUT);
    return List.of(
        new ModesPart(
            err,
            new ModesBench.Settings(
                referenceDirect,
                true,
                connections,
                List.of(0),
                rounds,
                seconds,
                quick ? 5 : 15,
                false,
                Mix.TXN,
                List.of()),
            List.of("fifo:1"),
            quick ? 90 : 600),
        new ModesPart(
            err,
            new ModesBench.Settings(
                reference,
                false,
                connections,
                List.of(0),
                rounds,
                seconds,
                quick ? 6 : 15,
                false,
                Mix.TXN,
                List.of()),
            groups,
            quick ? 240 : 1_800),
        new FailoverPart(
            err,
            new FailoverBench.Settings(
                "fifo",
                3,
                quick ? 3 : 20,
                kinds,
                8,
                500,
                LocalSettings.JVM_OPTIONS,
                List.of(),
                null),
            quick ? 150 : 1_200),
        new VolumePart(
            quick ? List.of(32) : List.of(1, 32),
            quick ? 1 : 3,
            quick ? 1 : 2,
            quick ? "128M" : "512M",
            quick ? 180 : 1_200),
        new TpccPart(err, quick ? 10 : 1, quick ? 10 : 60, quick ? 120 : 600));
  }

  private int write(List<Part> parts) throws IOException, InterruptedException {
    String begun =
        OffsetDateTime.now(ZoneId.systemDefault()).truncatedTo(ChronoUnit.SECONDS).toString();
    double loadBefore = Machine.load();
    long from = System.nanoTime();
    List<Section> sections = new ReportRun(err, quick ? QUICK_SECONDS : WHOLE_SECONDS).run(parts);
    Report report =
        new Report(
            new Cli.Version().getVersion()[0] + System.getProperty("mgtm.revision", ""),
            commandLine(),
            begun,
            (System.nanoTime() - from) / 1e9,
            loadBefore,
            Machine.load(),
            Machine.here(),
            sections);
    Files.writeString(file, ReportPage.html(report));
    if (json != null) {
      new ObjectMapper().writerWithDefaultPrettyPrinter().writeValue(json.toFile(), report);
    }
    PrintWriter out = spec.commandLine().getOut();
    out.println(file.toAbsolutePath());
    out.flush();
    return report.clean() ? 0 : 1;
  }

  private String commandLine() {
    return Stream.concat(
            Stream.of(COMMAND),
            spec.commandLine().getParseResult().originalArgs().stream()
                .filter(argument -> !argument.equals("report")))
        .collect(Collectors.joining(" "));
  }
}
