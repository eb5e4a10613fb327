package io.mgtm.bench;

import io.mgtm.bench.failover.FailoverBench;
import io.mgtm.bench.failover.FailoverReport;
import io.mgtm.bench.failover.Pauses;
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
import java.util.Optional;

/** How long clients wait when a leader goes, in the report. One thread. */
final class FailoverPart implements Part {
  private final PrintWriter err;
  private final FailoverBench.Settings settings;
  private final int secondsMax;

  FailoverPart(PrintWriter err, FailoverBench.Settings settings, int secondsMax) {
    this.err = err;
    this.settings = settings;
    this.secondsMax = secondsMax;
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
  public List<Citation> citations() {
    return List.of();
  }

  @Override
  public Optional<String> missing() {
    return Optional.empty();
  }

  @Override
  public Measured measure() throws IOException, InterruptedException {
    return measured(new FailoverBench(settings, err, figures -> {}).measure());
  }

  static Measured measured(FailoverReport report) {
    Comparison pauses =
        Comparison.of("The longest that any client waited in a round", "ms", Better.LOWER, "");
    for (Pauses.Figures kind : report.kinds()) {
      double[] waits = kind.waitsMs().stream().mapToDouble(Double::doubleValue).toArray();
      if (pauses.at(kind.kind().what(), "mgtm") == null) {
        pauses = pauses.with(kind.kind().what(), "mgtm", Spread.of(waits));
      }
    }
    List<String> notes = new ArrayList<>(report.skipped());
    notes.add(
        "Mode %s, %d nodes behind a proxy, %d connections; what clients waited for undisturbed stands as nothing."
            .formatted(report.mode(), report.nodes(), report.connections()));
    List<String> findings = new ArrayList<>();
    if (!report.clean()) {
      findings.add(
          "%d requests were answered, %d failed, the checker found %d faults"
              .formatted(report.operations(), report.errors(), report.findings()));
    }
    return new Measured(List.of(pauses), notes, findings);
  }
}
