package io.mgtm.group.total;

/**
 * The times and bounds of proposals.
 *
 * @param proposalsMax how many proposals of a process may wait to be settled
 * @param proposalBytesMax how many bytes they may have
 * @param stallMs how long nothing comes back before the member no longer serves
 * @param probeMs how long a member proposes nothing before it proposes a probe
 * @param repeatMs how long nothing comes back before all that waits is sent again
 */
public record TotalSettings(
    int proposalsMax, long proposalBytesMax, long stallMs, long probeMs, long repeatMs) {

  /** Refuses what cannot work. */
  public TotalSettings {
    if (proposalsMax < 1 || proposalBytesMax < 1 || probeMs < 1 || repeatMs < 1) {
      throw new IllegalArgumentException(
          "a setting of mode total is out of range: all are above 0");
    }
    if (stallMs < 2 * repeatMs) {
      throw new IllegalArgumentException(
          "stallMs is %d and repeatMs %d; at least twice as much is allowed"
              .formatted(stallMs, repeatMs));
    }
  }

  public static TotalSettings defaults() {
    return new TotalSettings(64, 8 << 20, 2_000, 500, 100);
  }
}
