package io.mgtm.bench.failover;

import io.mgtm.bench.load.MixedLoad;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * What the command found, as it is printed in JSON too.
 *
 * @param kinds figures of each kind of fault
 * @param skipped a sentence for each kind that could not be done here
 * @param operations requests that were answered
 * @param errors requests that failed
 * @param findings gxids or values that came twice, and wrong snapshots
 */
public record FailoverReport(
    String mode,
    int nodes,
    int connections,
    List<Pauses.Figures> kinds,
    List<String> skipped,
    long operations,
    long errors,
    long findings) {

  public static final String HEAD =
      "| mode | nodes | what | times | median ms | p90 ms | p99 ms | longest ms |\n"
          + "|---|--:|---|--:|--:|--:|--:|--:|";

  /** Whether there was load, nothing failed, and nothing was wrong. */
  public boolean clean() {
    return operations > 0 && errors == 0 && findings == 0;
  }

  /** The same with the figures of more kinds. */
  public FailoverReport with(List<Pauses.Figures> figures, MixedLoad.Result load) {
    List<Pauses.Figures> all = new ArrayList<>(kinds);
    all.addAll(figures);
    return new FailoverReport(
        mode,
        nodes,
        connections,
        List.copyOf(all),
        skipped,
        operations + load.operations(),
        errors + load.errors(),
        findings + load.findings());
  }

  /** A row of Markdown. */
  public static String row(String mode, int nodes, Pauses.Figures of) {
    return String.format(
        Locale.ROOT,
        "| %s | %d | %s | %d | %.0f | %.0f | %.0f | %.0f |",
        mode,
        nodes,
        of.kind().what(),
        of.rounds(),
        of.medianMs(),
        of.p90Ms(),
        of.p99Ms(),
        of.longestMs());
  }

  /** The histogram of one kind, as a table of Markdown. */
  public static String histogram(Pauses.Figures of) {
    return of.histogram().stream()
        .map(
            row ->
                "| %s | %d | %d |"
                    .formatted(
                        row.toMs() == 0
                            ? "> " + row.aboveMs()
                            : row.aboveMs() + " to " + row.toMs(),
                        row.rounds(),
                        row.clients()))
        .collect(
            Collectors.joining(
                "\n", "| " + of.kind().what() + ", ms | rounds | clients |\n|---|--:|--:|\n", ""));
  }
}
