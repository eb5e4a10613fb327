package io.mgtm.bench;

import io.mgtm.bench.load.LoadResult;
import io.mgtm.bench.load.LoadRun;
import io.mgtm.bench.load.LoadSettings;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** Runs of a command whose figures are medians, and whether the checker was content with all. */
final class CheckedRuns {
  private final PrintWriter err;
  private boolean clean = true;

  /**
   * No run yet.
   *
   * @param err told what went wrong in a run
   */
  CheckedRuns(PrintWriter err) {
    this.err = err;
  }

  LoadResult run(LoadSettings settings) throws IOException, InterruptedException {
    LoadResult result = LoadRun.run(settings);
    if (!result.clean()) {
      clean = false;
      String what =
          result.operations() == 0
              ? "nothing was answered"
              : "%d requests failed, %d findings".formatted(result.errors(), result.findings());
      err.printf("%s: %s%n", result.target(), what);
      result.firstErrors().forEach(err::println);
      result.firstFindings().forEach(err::println);
      err.flush();
    }
    return result;
  }

  /** The command's exit status. */
  int exitStatus() {
    return clean ? 0 : 1;
  }

  static double median(List<LoadResult> results, ToDoubleFunction<LoadResult> figure) {
    return median(results.stream().mapToDouble(figure).toArray());
  }

  static double median(double... values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }
}
