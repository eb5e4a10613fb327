package io.mgtm.bench;

import io.mgtm.bench.check.GivenOut;
import io.mgtm.bench.load.LoadResult;
import io.mgtm.bench.load.LoadRun;
import io.mgtm.bench.load.LoadSettings;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/** Runs of a command whose figures are medians, and whether the checker was content with all. */
final class CheckedRuns {
  private final PrintWriter err;
  private final List<String> findings = new ArrayList<>();

  /**
   * No run yet.
   *
   * @param err told what went wrong in a run
   */
  CheckedRuns(PrintWriter err) {
    this.err = err;
  }

  LoadResult run(LoadSettings settings) throws IOException, InterruptedException {
    return run(settings, new GivenOut());
  }

  /**
   * The same on what was under load before.
   *
   * @param givenOut what earlier runs there have seen
   */
  LoadResult run(LoadSettings settings, GivenOut givenOut)
      throws IOException, InterruptedException {
    LoadResult result = LoadRun.run(settings, givenOut);
    if (!result.clean()) {
      String what =
          result.operations() == 0
              ? "nothing was answered"
              : "%d requests failed, %d findings".formatted(result.errors(), result.findings());
      List<String> all = new ArrayList<>(List.of(result.target() + ": " + what));
      all.addAll(result.firstErrors());
      result.firstFindings().forEach(finding -> all.add(finding.toString()));
      all.forEach(this::find);
    }
    return result;
  }

  /** Notes what went wrong beside the runs. */
  void find(String finding) {
    err.println(finding);
    err.flush();
    findings.add(finding);
  }

  /** The command's exit status. */
  int exitStatus() {
    return findings.isEmpty() ? 0 : 1;
  }

  /** What went wrong in any run, a sentence each; bounded by the loads' own bounds. */
  List<String> findings() {
    return List.copyOf(findings);
  }
}
