package io.mgtm.bench;

import io.mgtm.bench.load.LoadResult;
import io.mgtm.bench.report.Citation;
import io.mgtm.bench.report.Comparison;
import io.mgtm.bench.report.Comparison.Better;
import io.mgtm.bench.report.Measured;
import io.mgtm.bench.report.Part;
import io.mgtm.bench.report.Spread;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/** GTMs in the report: one that is driven directly, or groups behind a proxy. One thread. */
final class ModesPart implements Part {
  private static final String REFERENCE = "original";

  private final ModesBench.Settings settings;
  private final List<String> groups;
  private final int secondsMax;
  private final CheckedRuns runs;
  private final List<String> ended = new ArrayList<>();

  private Comparison perSecond;
  private Comparison p99;
  private Comparison cpu;

  ModesPart(PrintWriter err, ModesBench.Settings settings, List<String> groups, int secondsMax) {
    this.runs = new CheckedRuns(err);
    this.settings = settings;
    this.groups = groups;
    this.secondsMax = secondsMax;
    perSecond = Comparison.of("Throughput", "operations a second", Better.HIGHER, REFERENCE);
    p99 = Comparison.of("99th percentile of an operation", "µs", Better.LOWER, REFERENCE);
    cpu =
        Comparison.of(
            "Processor time of nodes and proxy, for 100,000 transactions", "s", Better.LOWER, "");
  }

  @Override
  public String id() {
    return settings.direct() ? "gtm" : "modes";
  }

  @Override
  public String title() {
    return settings.direct()
        ? "One GTM, driven directly"
        : "Groups of GTMs behind a proxy, by mode";
  }

  @Override
  public int secondsMax() {
    return secondsMax;
  }

  @Override
  public List<Citation> citations() {
    return settings.direct()
        ? List.of()
        : List.of(
            new Citation(
                "the replicated GTM of the 2011 prototype, to the original",
                "0.33",
                "handed down in this project's issues 3, 13 and 15; no publication of it is known"
                    + " here"));
  }

  @Override
  public void measure() throws IOException, InterruptedException {
    ModesBench bench = new ModesBench(settings, runs);
    for (String group : groups) {
      try {
        bench.measure(ModesBench.Group.parse(group), this::add);
      } catch (IOException e) {
        if (Thread.currentThread().isInterrupted()) {
          throw e;
        }
        ended.add(group + " came to no end: " + e.getMessage()); // The others have figures.
      }
    }
  }

  @Override
  public Measured found() {
    List<String> findings = new ArrayList<>(ended);
    findings.addAll(runs.findings());
    return new Measured(List.of(perSecond, p99, cpu), List.of(note()), findings);
  }

  private String note() {
    return "Begin with gxid, snapshot, commit; %d rounds of %.1f s in turns, after %.0f s of warm-up. "
            .formatted(settings.rounds(), settings.seconds(), settings.warmup())
        + (settings.reference() == null
            ? "No original GTM was named to compare with: option "
                + (settings.direct() ? "--reference-direct." : "--reference.")
            : "The original is the one at " + settings.reference() + ".");
  }

  private void add(ModesBench.Row row) {
    String load =
        settings.direct()
            ? "%d connections".formatted(row.connections())
            : "%s of %d, %d connections"
                .formatted(row.group().mode(), row.group().nodes(), row.connections());
    if (!row.reference().isEmpty()) {
      add(load, REFERENCE, row.reference());
    }
    add(load, "mgtm", row.ours());
    cpu = cpu.with(load, "mgtm", row.cpu());
  }

  private void add(String load, String series, List<LoadResult> of) {
    perSecond = perSecond.with(load, series, ModesBench.Row.perSecond(of));
    p99 = p99.with(load, series, Spread.of(of, result -> result.latency().p99Micros()));
  }
}
