package io.mgtm.ha.core;

import io.mgtm.ha.model.ClusterConfig;

/**
 * Leases of a configuration with a longer wait than the present one's may be out: a new leader,
 * which cannot know what others have granted, waits for these.
 *
 * @param waitMs after so long the last of them is over, and what it covered has stopped
 * @param until cluster time when all of them are over; 0 before a leader has said so, which it does
 *     once it knows the present configuration to be committed: none of them is granted after that
 */
public record FormerLeases(long waitMs, long until) {

  /**
   * Those that may be out once another configuration is in the place of one.
   *
   * @param known null when there are none
   * @param before null when there was none
   * @return null when none need be waited for
   */
  static FormerLeases after(FormerLeases known, ClusterConfig before, ClusterConfig next) {
    long waitMs = before == null ? 0 : before.timing().leaseOverMs();
    if (known != null) {
      waitMs = Math.max(waitMs, known.waitMs());
    }
    return waitMs > next.timing().leaseOverMs() ? new FormerLeases(waitMs, 0) : known;
  }
}
