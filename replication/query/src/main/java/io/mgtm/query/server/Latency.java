package io.mgtm.query.server;

import java.math.BigDecimal;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * How long requests have taken, counted by bounds; to record one allocates nothing. Any thread.
 *
 * <p>As Prometheus has histograms, counts are of all that took no longer than a bound.
 */
final class Latency {
  private static final long[] BOUNDS_MICROS = {
    100,
    250,
    500,
    1_000,
    2_500,
    5_000,
    10_000,
    25_000,
    50_000,
    100_000,
    250_000,
    500_000,
    1_000_000,
    2_500_000,
    10_000_000
  };

  /** By so many digits a second has more of them. */
  private static final int MICROS = 6;

  private static final int NANOS = 9;

  /** One for each bound, and one for all that took longer. */
  private final LongAdder[] counts = new LongAdder[BOUNDS_MICROS.length + 1];

  private final LongAdder sumNanos = new LongAdder();

  Latency() {
    for (int i = 0; i < counts.length; i++) {
      counts[i] = new LongAdder();
    }
  }

  void record(long nanos) {
    long micros = TimeUnit.NANOSECONDS.toMicros(nanos);
    int at = 0;
    while (at < BOUNDS_MICROS.length && micros > BOUNDS_MICROS[at]) {
      at++;
    }
    counts[at].increment();
    sumNanos.add(nanos);
  }

  /**
   * Appends it for Prometheus, in seconds.
   *
   * @param name of the metric
   * @param label as it stands between braces
   */
  void appendTo(StringBuilder out, String name, String label) {
    long upTo = 0;
    for (int i = 0; i < counts.length; i++) {
      upTo += counts[i].sum();
      String bound = i < BOUNDS_MICROS.length ? seconds(BOUNDS_MICROS[i], MICROS) : "+Inf";
      out.append("%s_bucket{%s,le=\"%s\"} %d\n".formatted(name, label, bound, upTo));
    }
    out.append("%s_sum{%s} %s\n".formatted(name, label, seconds(sumNanos.sum(), NANOS)));
    out.append("%s_count{%s} %d\n".formatted(name, label, upTo));
  }

  private static String seconds(long number, int digits) {
    return BigDecimal.valueOf(number, digits).stripTrailingZeros().toPlainString();
  }
}
