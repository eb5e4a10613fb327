package io.mgtm.gtm.server;

import io.mgtm.gtm.command.SnapshotReply;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * What the clients of all fronts have seen, against what they may see: no gxid and no value twice,
 * and no snapshot that contradicts what was seen before it was asked for.
 */
final class LazySimObserver {
  private final Set<Integer> gxids = new HashSet<>();
  private final Set<String> values = new HashSet<>();

  /** By front: since when it has known that a transaction has ended, or is open. */
  private final Map<LazySimFront, Map<Integer, Long>> ended = new HashMap<>();

  private final Map<LazySimFront, Map<Integer, Long>> open = new HashMap<>();

  void began(LazySimFront by, int gxid, long micros) {
    if (!gxids.add(gxid)) {
      throw new LazySimViolation("gxid " + gxid + " was given twice");
    }
    of(open, by).put(gxid, micros);
  }

  private static Map<Integer, Long> of(
      Map<LazySimFront, Map<Integer, Long>> known, LazySimFront by) {
    return known.computeIfAbsent(by, front -> new HashMap<>());
  }

  /** From here on nobody may count on the transaction. */
  void ending(LazySimFront by, int gxid) {
    of(open, by).remove(gxid);
  }

  void ended(LazySimFront by, int gxid, boolean known, long micros) {
    if (!known) {
      throw new LazySimViolation("the open transaction " + gxid + " was not known");
    }
    of(ended, by).put(gxid, micros);
  }

  void drew(String key, long value) {
    if (!values.add(key + "=" + value)) {
      throw new LazySimViolation("value " + value + " of " + key + " was given twice");
    }
  }

  /**
   * A snapshot has come.
   *
   * @param askedMicros when it was asked for
   */
  void saw(LazySimFront by, SnapshotReply.Snapshot snapshot, long askedMicros, long nowMicros) {
    Set<Integer> running = new HashSet<>();
    for (int gxid : snapshot.running().copy()) {
      running.add(gxid);
    }
    ended.forEach(
        (front, known) ->
            known.forEach(
                (gxid, since) -> {
                  boolean shown = gxid < snapshot.xmax() && !running.contains(gxid);
                  if (since < askedMicros && !shown) {
                    throw new LazySimViolation(
                        "%d had ended, and a snapshot lists it as running".formatted(gxid));
                  }
                }));
    open.forEach(
        (front, known) ->
            known.forEach(
                (gxid, since) -> {
                  if (since < askedMicros && gxid < snapshot.xmax() && !running.contains(gxid)) {
                    throw new LazySimViolation(
                        "%d is open, and a snapshot does not list it".formatted(gxid));
                  }
                }));
    for (int gxid : gxids) {
      if (gxid < snapshot.xmax() && !running.contains(gxid)) {
        of(ended, by).putIfAbsent(gxid, nowMicros);
      }
    }
  }

  Set<Integer> openOf(LazySimFront front) {
    return of(open, front).keySet();
  }

  /** What it alone has seen nobody else can hold against the group. */
  void died(LazySimFront front) {
    ended.remove(front);
    open.remove(front);
  }
}
