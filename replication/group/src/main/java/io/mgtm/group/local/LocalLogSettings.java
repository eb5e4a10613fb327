package io.mgtm.group.local;

import io.mgtm.group.DurabilityMode;
import io.mgtm.group.storage.LogSettings;
import java.util.Objects;

/**
 * How a group of one keeps its log.
 *
 * @param durability what is synced before a reply may leave
 * @param segments the layout of the log on disk
 * @param checkpointBytes how much the log grows before the next checkpoint is written, in bytes
 * @param checkpointRetryMs how soon after a failed checkpoint the next is tried at the earliest
 */
public record LocalLogSettings(
    DurabilityMode durability, LogSettings segments, long checkpointBytes, long checkpointRetryMs) {
  public static final long CHECKPOINT_BYTES_DEFAULT = 64L << 20;

  /** Refuses what makes no sense. */
  public LocalLogSettings {
    Objects.requireNonNull(durability, "durability");
    Objects.requireNonNull(segments, "segments");
    if (checkpointBytes < 1) {
      throw new IllegalArgumentException(
          "checkpointBytes is %d; 1 and more is allowed".formatted(checkpointBytes));
    }
    if (checkpointRetryMs < 0) {
      throw new IllegalArgumentException(
          "checkpointRetryMs is %d; 0 and more is allowed".formatted(checkpointRetryMs));
    }
  }

  public static LocalLogSettings defaults() {
    return new LocalLogSettings(
        DurabilityMode.CRITICAL, LogSettings.defaults(), CHECKPOINT_BYTES_DEFAULT, 5_000);
  }

  public LocalLogSettings withDurability(DurabilityMode mode) {
    return new LocalLogSettings(mode, segments, checkpointBytes, checkpointRetryMs);
  }
}
