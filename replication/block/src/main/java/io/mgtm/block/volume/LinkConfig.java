package io.mgtm.block.volume;

/**
 * How one link behaves.
 *
 * @param name the link's name in status and log
 * @param mode what a reply waits for
 * @param highWaterBytes above so many unacknowledged bytes writers are slowed, or the link falls
 *     back to the bitmap
 * @param lowWaterBytes below so many they go on
 * @param fallBackToBitmap whether above high water the link falls back to the bitmap rather than
 *     slow the writers
 * @param checksumResync whether a resync compares checksums first
 * @param resyncWindowBytes how many bytes of a resync may be unacknowledged
 * @param resyncMinBytesPerSecond a resync's rate while clients write
 * @param resyncMaxBytesPerSecond a resync's rate while they do not
 */
public record LinkConfig(
    String name,
    LinkMode mode,
    long highWaterBytes,
    long lowWaterBytes,
    boolean fallBackToBitmap,
    boolean checksumResync,
    long resyncWindowBytes,
    long resyncMinBytesPerSecond,
    long resyncMaxBytesPerSecond) {

  /** Refuses values that could not work. */
  public LinkConfig {
    if (lowWaterBytes < 0 || lowWaterBytes >= highWaterBytes) {
      throw new IllegalArgumentException(
          "link "
              + name
              + ": low water ("
              + lowWaterBytes
              + ") must be below high water ("
              + highWaterBytes
              + ")");
    }
    if (resyncWindowBytes < 1) {
      throw new IllegalArgumentException("link " + name + ": the resync window must be positive");
    }
    if (fallBackToBitmap && mode != LinkMode.ASYNC) {
      throw new IllegalArgumentException(
          "link " + name + ": only an async link may fall back to the bitmap");
    }
  }
}
