package io.mgtm.bench;

import io.mgtm.bench.failover.FailoverBench;
import io.mgtm.bench.failover.FailoverReport;
import io.mgtm.bench.failover.Pauses;
import io.mgtm.bench.report.Comparison;
import io.mgtm.bench.report.Comparison.Better;
import io.mgtm.bench.report.Measured;
import io.mgtm.bench.report.Part;
import io.mgtm.bench.report.Spread;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/** How long clients wait when a leader goes, in the report. One thread. */
final class FailoverPart implements Part {
  private static final String SERIES = "mgtm";

  private final PrintWriter err;
  private final FailoverBench.Settings settings;
  private final int secondsMax;
  private final List<String> notes = new ArrayList<>();
  private final List<String> findings = new ArrayList<>();

  private Comparison pauses =
      Comparison.of("The longest that any client waited in a round", "ms", Better.LOWER, "");

  FailoverPart(PrintWriter err, FailoverBench.Settings settings, int secondsMax) {
    this.err = err;
    this.settings = settings;
    this.secondsMax = secondsMax;
    notes.add(
        "Mode %s, %d nodes behind a proxy, %d connections; what clients waited for undisturbed stands as nothing."
            .formatted(settings.mode(), settings.nodes(), settings.connections()));
  }

  @Override
  public String id() {
    return "failover";
  }

  @Override
  public String title() {
    return "Pauses when a leader goes";
  }

  @Override
  public int secondsMax() {
    return secondsMax;
  }

  @Override
  public void measure() throws IOException, InterruptedException {
    FailoverReport report = new FailoverBench(settings, err, this::add).measure();
    notes.addAll(report.skipped());
    if (!report.clean()) {
      findings.add(
          "%d requests were answered, %d failed, the checker found %d faults"
              .formatted(report.operations(), report.errors(), report.findings()));
    }
  }

  private void add(Pauses.Figures of) {
    // Nothing is measured for each of the groups; the first stands for all.
    if (pauses.at(of.kind().what(), SERIES) == null) {
      pauses = pauses.with(of.kind().what(), SERIES, Spread.of(of.waitsMs(), wait -> wait));
    }
  }

  @Override
  public Measured found() {
    return new Measured(List.of(pauses), notes, findings);
  }
}
