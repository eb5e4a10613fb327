package io.mgtm.block.volume;

/**
 * How often the core does what is not asked for.
 *
 * @param markIntervalMs how often what replicas have on stable storage is confirmed
 * @param bitCoolingMs a bit is cleared when its chunk was not written for between one and two times
 *     as long
 */
public record CoreTiming(long markIntervalMs, long bitCoolingMs) {
  /** Once a second, and 5 s. */
  public static final CoreTiming DEFAULT = new CoreTiming(1000, 5000);

  /** Refuses values that could not work. */
  public CoreTiming {
    if (markIntervalMs < 1 || bitCoolingMs < 1) {
      throw new IllegalArgumentException("intervals must be positive");
    }
  }
}
