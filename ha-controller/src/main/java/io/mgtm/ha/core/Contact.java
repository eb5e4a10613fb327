package io.mgtm.ha.core;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** What a controller has heard of a node, and what it has granted it. Monotonic milliseconds. */
final class Contact {
  private static final int PATHS_MAX = 16;

  /** The newest heartbeat, null when none ever came. */
  Heartbeat last;

  private final Map<String, Long> heardOn = new TreeMap<>();

  /** Of the log's member; empty before it is known. */
  private String identity = "";

  /** When another machine took the node's name. */
  private long replacedAt = Long.MIN_VALUE;

  /** The heartbeat to be answered when its read index is confirmed; null when there is none. */
  Heartbeat unanswered;

  long readIndex;

  /** When it last showed that it had heard this leader. */
  long contactAt = Long.MIN_VALUE;

  long contactSince;

  /** When it was last heard, whether it hears or not. */
  long heardAt = Long.MIN_VALUE;

  /** What a fence agent does about it or has done; null when nothing counts. */
  Fences.Open fence;

  /** The change of a placement that it was to be fenced for. */
  long fenceAsked;

  /** By hierarchy, when the last lease on it and the watchdog's time are over. */
  final Map<String, Long> overAt = new HashMap<>();

  /** Takes a heartbeat; whether it is newer than those before. */
  boolean heard(Heartbeat heartbeat, String path, long now) {
    if (isOfFormer(heartbeat)) {
      return false; // a late one says nothing of today
    }
    heardOn(path, now);
    return last == null || heartbeat.isAfter(last);
  }

  private boolean isOfFormer(Heartbeat heartbeat) {
    return last != null && heartbeat.incarnation() < last.incarnation();
  }

  /**
   * Which earlier incarnation counts higher than the one that runs now, as when its folder was lost
   * and its clock is behind; 0 for none. While that one is heard as well, two machines have one
   * name, and it keeps it.
   */
  long overtakenBy(Heartbeat heartbeat, ClusterState state, long now) {
    if (isOfFormer(heartbeat)) {
      return now - heardAt > state.timing().leaseOverMs() ? last.incarnation() : 0;
    }
    long marked = state.markedBy(heartbeat.node());
    return heartbeat.incarnation() < marked ? marked : 0;
  }

  /** Which machine has the node's name in the controllers' log. */
  void is(String newIdentity, long now) {
    if (!identity.isEmpty() && !identity.equals(newIdentity)) {
      replacedAt = now;
    }
    identity = newIdentity;
  }

  /**
   * Whether a former machine of this name may have a lease still: the present one gets none before
   * that is over, and what it says of itself says nothing of the other.
   */
  boolean hasFormer(long now, long leasesOverMs) {
    return replacedAt != Long.MIN_VALUE && now - replacedAt < leasesOverMs;
  }

  void heardOn(String path, long now) {
    if (heardOn.size() < PATHS_MAX || heardOn.containsKey(path)) {
      heardOn.put(path, now);
    }
  }

  /** It has shown that it hears this leader. */
  void inContact(long now, long leaseMs) {
    if (contactAt == Long.MIN_VALUE || now - contactAt > leaseMs) {
      contactSince = now;
    }
    contactAt = now;
  }

  /**
   * On which of these hierarchies it surely has no lease.
   *
   * @param othersOverAt when that of earlier leaders are over
   */
  Set<String> over(Set<String> hierarchies, long othersOverAt, long now) {
    Set<String> over = new TreeSet<>(hierarchies);
    over.removeIf(each -> now < Math.max(othersOverAt, overAt.getOrDefault(each, Long.MIN_VALUE)));
    return over;
  }

  Map<String, Long> paths(long now) {
    Map<String, Long> ages = new TreeMap<>(heardOn);
    ages.replaceAll((path, at) -> now - at);
    return ages;
  }

  void forgetTerm() {
    unanswered = null;
    contactAt = Long.MIN_VALUE;
    fenceAsked = 0;
    overAt.clear();
  }
}
