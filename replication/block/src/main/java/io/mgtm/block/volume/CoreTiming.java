package io.mgtm.block.volume;

/**
 * How often the core does what is not asked for, and how many bits of the intent bitmap it keeps.
 *
 * <p>A write whose chunk's bit is not set waits until the bitmap's file holds it, which costs a
 * write and a flush of that file. So bits are set for more than the write needs, and stay set for a
 * while. What that costs: after a crash of this side, chunks are sent again that need not be.
 *
 * @param markIntervalMs how often what replicas have on stable storage is confirmed
 * @param bitCoolingMs a bit stays set for at least so long after the last write near it
 * @param keptBytesMax the bits of so many bytes stay set although nothing differs there
 * @param aheadBytes a write that has to wait for its bit has those of the aligned range of so many
 *     bytes around it set too, and they are cleared together; at least one chunk
 */
public record CoreTiming(
    long markIntervalMs, long bitCoolingMs, long keptBytesMax, long aheadBytes) {
  /** Once a second, 5 s, 1 GiB and 4 MiB. */
  public static final CoreTiming DEFAULT = new CoreTiming(1000, 5000, 1L << 30, 4L << 20);

  /** Refuses values that could not work. */
  public CoreTiming {
    if (markIntervalMs < 1 || bitCoolingMs < 1) {
      throw new IllegalArgumentException("intervals must be positive");
    }
    if (keptBytesMax < 0 || aheadBytes < 0) {
      throw new IllegalArgumentException("bits cannot be kept or set for less than 0 bytes");
    }
  }
}
