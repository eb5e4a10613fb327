package io.mgtm.ha.core;

import io.mgtm.ha.model.Policy;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * What has become of a hierarchy under one placement: whether it was in service, how often it was
 * repaired in place, and whether it may be again.
 */
final class LocalRecoveries {
  private final Deque<Long> times = new ArrayDeque<>();
  private long epoch;
  private int count;
  private boolean served;

  void begin(long newEpoch) {
    if (epoch != newEpoch) {
      epoch = newEpoch;
      times.clear();
      count = 0;
      served = false;
    }
  }

  /** Takes one more, if the policy has one left. */
  boolean take(Policy policy, long now) {
    while (!times.isEmpty() && now - times.peekFirst() >= policy.localRecoveryWindowMs()) {
      times.removeFirst();
    }
    if (times.size() >= policy.localRecoveries()) {
      return false;
    }
    times.addLast(now);
    count++;
    return true;
  }

  /** All of it is in service. */
  void serving() {
    served = true;
  }

  boolean served() {
    return served;
  }

  int count() {
    return count;
  }
}
