package io.mgtm.bench.failover;

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
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** Measures how long clients wait when a leader goes, kind by kind. One thread. */
public final class FailoverBench {
  private static final String PROXY = "proxy";

  /**
   * What to measure.
   *
   * @param mode how the group replicates
   * @param rounds of each kind
   * @param connections of the transactions; a quarter as many draw from sequences beside
   * @param restMs how long nothing is done before each fault
   * @param jvm options of each Java process
   * @param nodeOptions more options of every node
   * @param data where data and logs stay; null for a temporary folder that is deleted
   */
  public record Settings(
      String mode,
      int nodes,
      int rounds,
      List<FaultKind> kinds,
      int connections,
      int restMs,
      List<String> jvm,
      List<String> nodeOptions,
      Path data) {
    public Settings {
      kinds = List.copyOf(kinds);
      jvm = List.copyOf(jvm);
      if (rounds < 1 || connections < 1 || nodes < 2 || restMs < 0) {
        throw new IllegalArgumentException(
            "--rounds and --connections must be at least 1, --nodes 2, and --rest 0");
      }
    }
  }

  private final Settings settings;
  private final PrintWriter err;
  private final Consumer<Pauses.Figures> each;
  private FailoverReport report;

  /**
   * One that has not begun.
   *
   * @param err told of each round, and what went wrong
   * @param each told the figures of a kind when it has been measured
   */
  public FailoverBench(Settings settings, PrintWriter err, Consumer<Pauses.Figures> each) {
    this.settings = settings;
    this.err = err;
    this.each = each;
  }

  /** Measures all kinds that can be done here. */
  public FailoverReport measure() throws IOException, InterruptedException {
    Set<FaultKind> here = new LinkedHashSet<>(settings.kinds());
    List<String> skipped = skip(here);
    report =
        new FailoverReport(
            settings.mode(), settings.nodes(), settings.connections(), List.of(), skipped, 0, 0, 0);
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
    return report;
  }

  /** Takes out what cannot be done; a sentence for each. */
  private List<String> skip(Set<FaultKind> of) throws IOException {
    List<String> skipped = new ArrayList<>();
    if (of.contains(FaultKind.CUT) && settings.mode().equals("lazy")) {
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
    return IntStream.rangeClosed(1, settings.nodes()).mapToObj(i -> "g" + i).toList();
  }

  /** Measures these kinds with one group, in a network of its own when there is one. */
  private void measureAll(Set<FaultKind> of, ProcessNetwork network)
      throws IOException, InterruptedException {
    Path folder = folder(network == null ? "group" : "cut");
    try (LocalInstallation group = start(folder, network);
        FailoverRun run =
            FailoverRun.start(group, network, settings.connections(), settings.restMs())) {
      List<Pauses.Figures> figures = new ArrayList<>();
      Pauses before = new Pauses();
      for (FaultKind kind : of) {
        figures.add(measure(run, kind, before));
      }
      figures.add(before.figures(FaultKind.NONE));
      each.accept(before.figures(FaultKind.NONE));
      MixedLoad.Result load = run.finish();
      load.firstErrors().forEach(err::println);
      load.firstFindings().forEach(err::println);
      report = report.with(figures, load);
    } finally {
      if (settings.data() == null) {
        Trees.delete(folder);
      }
    }
  }

  private Path folder(String name) throws IOException {
    return settings.data() == null
        ? Files.createTempDirectory("mgtm-failover")
        : settings.data().resolve(name);
  }

  private LocalInstallation start(Path folder, ProcessNetwork network)
      throws IOException, InterruptedException {
    if (network != null) {
      return LocalInstallation.start(
          network
              .installation(folder, names(), settings.mode(), settings.jvm())
              .withNodeOptions(settings.nodeOptions()),
          network::place);
    }
    LocalSettings free = LocalSettings.free(folder, settings.nodes(), settings.mode());
    return LocalInstallation.start(
        new LocalSettings(
            folder,
            free.clients(),
            free.members(),
            free.proxy(),
            settings.mode(),
            settings.jvm(),
            settings.nodeOptions()));
  }

  private Pauses.Figures measure(FailoverRun run, FaultKind kind, Pauses before)
      throws IOException, InterruptedException {
    Pauses during = new Pauses();
    for (int round = 1; round <= settings.rounds(); round++) {
      run.round(kind, before, during);
      err.printf(
          Locale.ROOT,
          "%s %d of %d: %.1f ms%n",
          kind.name().toLowerCase(Locale.ROOT),
          round,
          settings.rounds(),
          during.lastMs());
      err.flush();
    }
    Pauses.Figures figures = during.figures(kind);
    each.accept(figures);
    return figures;
  }
}
