package io.mgtm.gtm.node.engine;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.function.LongSupplier;

/**
 * The clocks that an engine reads.
 *
 * @param micros the wall clock, microseconds since 2000, which may be set
 * @param nanos monotonic, as {@link System#nanoTime}
 */
public record EngineTime(LongSupplier micros, LongSupplier nanos) {
  private static final Instant EPOCH = Instant.parse("2000-01-01T00:00:00Z");

  /** Those of this machine. */
  public static final EngineTime SYSTEM =
      new EngineTime(() -> ChronoUnit.MICROS.between(EPOCH, Instant.now()), System::nanoTime);

  /** The monotonic one in milliseconds. */
  public long nowMs() {
    return nanos.getAsLong() / 1_000_000;
  }
}
