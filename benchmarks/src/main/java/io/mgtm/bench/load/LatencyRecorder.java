package io.mgtm.bench.load;

import java.util.EnumMap;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** The latencies that one thread saw; others read it when the thread has ended. */
final class LatencyRecorder {
  private static final long LONGEST_NANOS = 3_600_000_000_000L;
  private static final int DIGITS = 3;

  private final Map<Operation, Histogram> byOperation = new EnumMap<>(Operation.class);

  LatencyRecorder() {
    for (Operation operation : Operation.values()) {
      byOperation.put(operation, new Histogram(LONGEST_NANOS, DIGITS));
    }
  }

  void record(Operation operation, long nanos) {
    byOperation.get(operation).recordValue(Math.min(Math.max(nanos, 0), LONGEST_NANOS));
  }

  void add(LatencyRecorder other) {
    other.byOperation.forEach((operation, histogram) -> byOperation.get(operation).add(histogram));
  }

  long count() {
    long count = 0;
    for (Histogram histogram : byOperation.values()) {
      count += histogram.getTotalCount();
    }
    return count;
  }

  LoadResult.Latency all() {
    Histogram sum = new Histogram(LONGEST_NANOS, DIGITS);
    for (Histogram histogram : byOperation.values()) {
      sum.add(histogram);
    }
    return latency(sum);
  }

  Map<Operation, LoadResult.Latency> each() {
    Map<Operation, LoadResult.Latency> latencies = new EnumMap<>(Operation.class);
    byOperation.forEach(
        (operation, histogram) -> {
          if (histogram.getTotalCount() > 0) {
            latencies.put(operation, latency(histogram));
          }
        });
    return latencies;
  }

  private static LoadResult.Latency latency(Histogram h) {
    return new LoadResult.Latency(
        micros(h.getMean()),
        micros((double) h.getValueAtPercentile(50)),
        micros((double) h.getValueAtPercentile(90)),
        micros((double) h.getValueAtPercentile(99)),
        micros((double) h.getValueAtPercentile(99.9)),
        micros((double) h.getMaxValue()));
  }

  private static double micros(double nanos) {
    return Math.round(nanos / 10) / 100.0;
  }
}
