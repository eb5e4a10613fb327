package io.mgtm.group.storage;

/**
 * How a log lays itself out on disk.
 *
 * @param segmentBytes size of one log file; a multiple of 8, from 1 KiB to 1 GiB
 * @param sparesAhead how many unused log files are kept ready, at least 1
 * @param sparesMax how many dropped log files are kept for reuse, at least {@code sparesAhead}
 * @param roomWaitMs how long {@link LogStore#hasRoom} waits for a log file that is being made
 * @param roomRetryMs how soon after a failure another log file is tried at the earliest
 */
public record LogSettings(
    int segmentBytes, int sparesAhead, int sparesMax, long roomWaitMs, long roomRetryMs) {
  public static final int SEGMENT_BYTES_DEFAULT = 16 << 20;
  private static final int SEGMENT_BYTES_MIN = 1 << 10;
  private static final int SEGMENT_BYTES_MAX = 1 << 30;

  /** Refuses what lies outside the documented ranges. */
  public LogSettings {
    if (segmentBytes < SEGMENT_BYTES_MIN
        || segmentBytes > SEGMENT_BYTES_MAX
        || segmentBytes % 8 != 0) {
      throw new IllegalArgumentException(
          "segmentBytes is %d; a multiple of 8 from %d to %d is allowed"
              .formatted(segmentBytes, SEGMENT_BYTES_MIN, SEGMENT_BYTES_MAX));
    }
    if (sparesAhead < 1 || sparesMax < sparesAhead) {
      throw new IllegalArgumentException(
          "sparesAhead is %d and sparesMax is %d; 1 <= sparesAhead <= sparesMax is allowed"
              .formatted(sparesAhead, sparesMax));
    }
    if (roomWaitMs < 0 || roomRetryMs < 0) {
      throw new IllegalArgumentException(
          "roomWaitMs is %d and roomRetryMs is %d; negative values are not allowed"
              .formatted(roomWaitMs, roomRetryMs));
    }
  }

  public static LogSettings defaults() {
    return new LogSettings(SEGMENT_BYTES_DEFAULT, 2, 8, 2_000, 500);
  }

  /** The largest payload that one entry can have. */
  public int payloadBytesMax() {
    return Segment.payloadBytesMax(segmentBytes);
  }
}
