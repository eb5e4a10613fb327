package io.mgtm.ha.core;

import java.util.List;

/**
 * One entry of the log.
 *
 * @param format of the encoding; this program writes and reads {@link #FORMAT}
 * @param at the cluster's time: it goes on while somebody leads, and is never set back
 * @param wall what the leader's calendar said, milliseconds since 1970, for people
 * @param decisions in their order
 */
public record Batch(int format, long at, long wall, List<Decision> decisions) {
  public static final int FORMAT = 1;

  /** Keeps the list immutable. */
  public Batch {
    decisions = List.copyOf(decisions);
  }
}
