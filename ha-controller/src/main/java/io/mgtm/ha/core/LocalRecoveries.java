package io.mgtm.ha.core;

import io.mgtm.ha.model.Policy;
import java.util.ArrayDeque;
import java.util.Deque;

/** How often a hierarchy was repaired in place under one placement, and whether it may be again. */
final class LocalRecoveries {
  private final Deque<Long> times = new ArrayDeque<>();
  private long epoch;
  private int count;

  void begin(long newEpoch) {
    if (epoch != newEpoch) {
      epoch = newEpoch;
      times.clear();
      count = 0;
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

  int count() {
    return count;
  }
}
