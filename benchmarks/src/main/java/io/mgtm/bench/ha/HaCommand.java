package io.mgtm.bench.ha;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.mgtm.bench.WorkFolder;
import io.mgtm.bench.ha.HaFault.Place;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code bench ha}: what clients see when a machine or a program under a database fails. */
@Command(
    name = "ha",
    description = {
      "Starts HA controllers with a database on a replicated volume, each machine in namespaces of"
          + " its own, and does to them what can happen to machines, networks and programs, under"
          + " load.",
      "Prints a row of Markdown for each kind of fault: the longest that a client which inserts row"
          + " after row waited for a commit, and whether anything acknowledged was lost. Needs root,"
          + " and Debian's postgresql, mariadb-server, libnbd-bin, fuse3, iproute2 and iputils-arping.",
      "Exit status 1 when a commit was lost, or the database ran on two nodes at once."
    },
    sortOptions = false,
    mixinStandardHelpOptions = true)
public final class HaCommand implements Callable<Integer> {
  private static final int MIB = 1 << 20;

  @Spec private CommandSpec spec;

  @Option(
      names = "--rows",
      split = ",",
      paramLabel = "ROW",
      description = "${COMPLETION-CANDIDATES}. Default: all.")
  private List<HaFault> rows = new ArrayList<>();

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "5",
      description = "Of each. Default: ${DEFAULT-VALUE}.")
  private int rounds;

  @Option(
      names = "--rate",
      paramLabel = "N",
      defaultValue = "100",
      description = "pgbench's transactions a second. Default: ${DEFAULT-VALUE}.")
  private int rate;

  @Option(
      names = "--lease",
      paramLabel = "MS",
      defaultValue = "" + HaSetup.LEASE_MS,
      description = "The configuration's timing.leaseMs. Default: its own, ${DEFAULT-VALUE}.")
  private int leaseMs;

  @Option(
      names = "--resync-mib",
      paramLabel = "N",
      defaultValue = "2048",
      description = "What is written while replication is paused. Default: ${DEFAULT-VALUE}.")
  private int resyncMib;

  @Option(
      names = "--xc",
      paramLabel = "FOLDER",
      defaultValue = "${env:XC}",
      description =
          "The programs of Postgres-XC 1.2 for the row XC, in a folder that the user postgres may"
              + " read: initdb, pg_ctl, postgres, psql. Default: the environment's XC.")
  private Path postgresXc;

  @Mixin private final WorkFolder folder = new WorkFolder();

  @Option(names = "--json", description = "Prints the result as JSON.")
  private boolean json;

  private PrintWriter out;
  private PrintWriter err;
  private HaReport report;

  @Override
  public Integer call() throws IOException {
    if (rounds < 1 || rate < 1 || resyncMib < 1) {
      throw new IllegalArgumentException("--rounds, --rate and --resync-mib must be above 0");
    }
    out = spec.commandLine().getOut();
    err = spec.commandLine().getErr();
    HaJars jars = HaJars.found();
    report = new HaReport(load(), List.of(), List.of());
    return Stoppable.run(() -> measureAll(jars));
  }

  private int measureAll(HaJars jars) throws IOException, InterruptedException {
    print(HaReport.HEAD);
    for (Place place : Place.values()) {
      List<HaFault> wanted = (rows.isEmpty() ? List.of(HaFault.values()) : rows);
      List<HaFault> here = wanted.stream().filter(fault -> fault.place() == place).toList();
      if (!here.isEmpty()) {
        measure(place, here, jars);
      }
    }
    end();
    return report.clean() ? 0 : 1;
  }

  private static double load() throws IOException {
    return Double.parseDouble(Files.readString(Path.of("/proc/loadavg")).split(" ", 2)[0]);
  }

  private void measure(Place place, List<HaFault> faults, HaJars jars)
      throws IOException, InterruptedException {
    Optional<String> why =
        place == Place.XC ? XcCluster.missing(postgresXc) : engine(place).missing();
    if (why.isPresent()) {
      for (HaFault fault : faults) {
        add(HaReport.Row.skipped(fault, why.get()));
      }
      return;
    }
    folder.use(
        "mgtm-bench-ha",
        place.name().toLowerCase(Locale.ROOT),
        own -> {
          try (Disturbed cluster = start(place, faults, jars, own)) {
            for (HaFault fault : faults) {
              add(HaReport.Row.of(fault, measure(cluster, fault)));
            }
            report = report.with(cluster.notes());
          }
          return null;
        });
  }

  private static Engine engine(Place place) {
    return place == Place.MARIADB ? Engine.MARIADB : Engine.POSTGRESQL;
  }

  private Disturbed start(Place place, List<HaFault> faults, HaJars jars, Path own)
      throws IOException, InterruptedException {
    if (place == Place.XC) {
      return XcRounds.start(own, postgresXc.toAbsolutePath(), leaseMs);
    }
    // Space for what is written beside, sparse.
    int sizeMib = 512 + (faults.contains(HaFault.RESYNC) ? resyncMib + resyncMib / 4 : 0);
    HaSetup setup =
        new HaSetup(
            own,
            jars.controller(),
            jars.volume(),
            engine(place),
            place == Place.SITES,
            leaseMs,
            HaSetup.OFTEN,
            sizeMib + "M",
            HaJars.JAVA_OPTIONS);
    return HaRounds.start(setup, rate);
  }

  private List<HaRounds.Round> measure(Disturbed cluster, HaFault fault)
      throws IOException, InterruptedException {
    List<HaRounds.Round> done = new ArrayList<>();
    for (int round = 1; round <= rounds; round++) {
      done.add(cluster.round(fault, (long) resyncMib * MIB));
      err.printf(
          Locale.ROOT,
          "%s %d of %d: %s%n",
          fault.name().toLowerCase(Locale.ROOT),
          round,
          rounds,
          HaReport.line(fault, done.get(round - 1)));
      err.flush();
    }
    return done;
  }

  private void add(HaReport.Row row) {
    report = report.with(row);
    print(row.text());
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
      out.printf(Locale.ROOT, "%nThe load average was %.1f before.%n", report.load1());
      report.notes().forEach(out::println);
    }
    out.flush();
  }
}
