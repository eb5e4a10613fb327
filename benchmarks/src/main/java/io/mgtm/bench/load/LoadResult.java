package io.mgtm.bench.load;

import io.mgtm.bench.check.Finding;
import java.util.List;
import java.util.Map;

/**
 * What a run saw.
 *
 * @param operations replies in the time that was counted
 * @param latency of all of them
 * @param latencyByOperation of each kind
 * @param errors requests that failed, warm-up included
 * @param firstErrors what the first of them were
 * @param findings what the checker found, warm-up included
 */
public record LoadResult(
    String target,
    Mix mix,
    int connections,
    int threads,
    int open,
    double seconds,
    long operations,
    double operationsPerSecond,
    Latency latency,
    Map<Operation, Latency> latencyByOperation,
    long errors,
    List<String> firstErrors,
    long findings,
    List<Finding> firstFindings) {

  /** Percentiles in µs. */
  public record Latency(
      double meanMicros,
      double p50Micros,
      double p90Micros,
      double p99Micros,
      double p999Micros,
      double maxMicros) {}

  /** Whether there was an answer, nothing failed and nothing was found. */
  public boolean clean() {
    return operations > 0 && errors == 0 && findings == 0;
  }
}
