package io.mgtm.gtm.sim;

import io.mgtm.gtm.command.SnapshotReply;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * What all clients have seen, against what they may see: no gxid and no value twice, and no
 * snapshot that contradicts what was seen before it was asked for.
 */
final class ClientOracle {
  private final World world;
  private final Set<Integer> gxids = new HashSet<>();
  private final Set<String> values = new HashSet<>();

  /** By front, where that matters: since when it has known that a transaction has ended. */
  private final Map<Object, Map<Integer, Long>> ended = new HashMap<>();

  private final boolean diesWithFronts;

  /** Since when somebody has known that a transaction is open. */
  private final Map<Integer, Long> open = new HashMap<>();

  private int answers;

  /**
   * An oracle that has seen nothing.
   *
   * @param diesWithFronts whether the group may forget what nobody who lives has seen
   */
  ClientOracle(World world, boolean diesWithFronts) {
    this.world = world;
    this.diesWithFronts = diesWithFronts;
  }

  int answers() {
    return answers;
  }

  void began(int gxid) {
    answers++;
    world.check(gxids.add(gxid), "gxid %d was given twice", gxid);
    open.put(gxid, world.now());
  }

  /** From here on nobody may count on the transaction being open. */
  void ending(int gxid) {
    open.remove(gxid);
  }

  void ended(Object front, int gxid) {
    answers++;
    knownTo(front).put(gxid, world.now());
  }

  private Map<Integer, Long> knownTo(Object front) {
    return ended.computeIfAbsent(diesWithFronts ? front : this, knows -> new HashMap<>());
  }

  /** A front has died, and its clients with it. */
  void died(Object front) {
    if (diesWithFronts) {
      ended.remove(front);
    }
  }

  void drew(String key, long value) {
    answers++;
    world.check(values.add(key + "=" + value), "value %d of %s was given twice", value, key);
  }

  /** The group has said that entries are missing: nobody's transactions are open any more. */
  void lost() {
    open.clear();
  }

  /**
   * A snapshot has come.
   *
   * @param askedAt when it was asked for
   */
  void saw(Object front, SnapshotReply.Snapshot snapshot, long askedAt) {
    answers++;
    Set<Integer> running = new HashSet<>();
    for (int gxid : snapshot.running().copy()) {
      running.add(gxid);
    }
    ended
        .values()
        .forEach(
            known ->
                known.forEach(
                    (gxid, since) -> {
                      boolean shown = gxid < snapshot.xmax() && !running.contains(gxid);
                      if (since < askedAt && !shown) {
                        throw world.violated(
                            gxid + " had ended, and a snapshot does not show it", null);
                      }
                    }));
    open.forEach(
        (gxid, since) -> {
          if (since < askedAt && gxid < snapshot.xmax() && !running.contains(gxid)) {
            throw world.violated(gxid + " is open, and a snapshot does not list it", null);
          }
        });
    Map<Integer, Long> known = knownTo(front);
    for (int gxid : gxids) {
      if (gxid < snapshot.xmax() && !running.contains(gxid)) {
        known.putIfAbsent(gxid, world.now());
      }
    }
  }
}
