package io.mgtm.bench.load;

import java.util.EnumMap;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * The latencies that one thread saw, of operations of several kinds; others read it when the thread
 * has ended.
 */
public final class LatencyRecorder<K extends Enum<K>> {
  private static final long LONGEST_NANOS = 3_600_000_000_000L;
  private static final int DIGITS = 3;

  private final Class<K> kinds;
  private final Map<K, Histogram> byKind;

  /** Of no operation yet. */
  public LatencyRecorder(Class<K> kinds) {
    this.kinds = kinds;
    byKind = new EnumMap<>(kinds);
    for (K kind : kinds.getEnumConstants()) {
      byKind.put(kind, new Histogram(LONGEST_NANOS, DIGITS));
    }
  }

  /** An operation has ended. */
  public void record(K kind, long nanos) {
    byKind.get(kind).recordValue(Math.min(Math.max(nanos, 0), LONGEST_NANOS));
  }

  /** Adds what another thread saw. */
  public void add(LatencyRecorder<K> other) {
    other.byKind.forEach((kind, histogram) -> byKind.get(kind).add(histogram));
  }

  /** How many there were of one kind. */
  public long count(K kind) {
    return byKind.get(kind).getTotalCount();
  }

  /** How many there were. */
  public long count() {
    long count = 0;
    for (Histogram histogram : byKind.values()) {
      count += histogram.getTotalCount();
    }
    return count;
  }

  LoadResult.Latency all() {
    Histogram sum = new Histogram(LONGEST_NANOS, DIGITS);
    for (Histogram histogram : byKind.values()) {
      sum.add(histogram);
    }
    return latency(sum);
  }

  /** Of each kind that there was. */
  public Map<K, LoadResult.Latency> each() {
    Map<K, LoadResult.Latency> latencies = new EnumMap<>(kinds);
    byKind.forEach(
        (kind, histogram) -> {
          if (histogram.getTotalCount() > 0) {
            latencies.put(kind, latency(histogram));
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
