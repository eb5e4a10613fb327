package io.mgtm.gtm.sim;

import io.mgtm.gtm.command.SnapshotReply;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What all clients have seen, against what they may see: no gxid and no value twice, and no
 * snapshot that contradicts what was seen before it was asked for.
 */
final class ClientOracle {
  private final World world;
  private final Set<Integer> gxids = new HashSet<>();
  private final Set<String> values = new HashSet<>();

  /** By gateway, where that matters. */
  private final Map<Object, Known> known = new HashMap<>();

  private final boolean diesWithGateways;

  /** Since when somebody has known that a transaction is open. */
  private final Map<Integer, Long> open = new HashMap<>();

  private int answers;

  /**
   * An oracle that has seen nothing.
   *
   * @param diesWithGateways whether the group may forget what nobody who lives has seen
   */
  ClientOracle(World world, boolean diesWithGateways) {
    this.world = world;
    this.diesWithGateways = diesWithGateways;
  }

  int answers() {
    return answers;
  }

  void began(int gxid) {
    answers++;
    world.check(gxids.add(gxid), "gxid %d was given twice", gxid);
    known.values().forEach(of -> of.unseen.add(gxid));
    open.put(gxid, world.now());
  }

  /** From here on nobody may count on the transaction being open. */
  void ending(int gxid) {
    open.remove(gxid);
  }

  void ended(Object gateway, int gxid) {
    answers++;
    knownTo(gateway).ended(gxid);
  }

  private Known knownTo(Object gateway) {
    return known.computeIfAbsent(diesWithGateways ? gateway : this, knows -> new Known());
  }

  /** A gateway has died, and its clients with it. */
  void died(Object gateway) {
    if (diesWithGateways) {
      known.remove(gateway);
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
  void saw(Object gateway, SnapshotReply.Snapshot snapshot, long askedAt) {
    answers++;
    Set<Integer> running = new HashSet<>();
    for (int gxid : snapshot.running().copy()) {
      running.add(gxid);
    }
    for (Known of : known.values()) {
      running.forEach(gxid -> checkShown(gxid, of.ended.get(gxid), askedAt));
      of.ended
          .tailMap(snapshot.xmax(), true)
          .forEach((gxid, since) -> checkShown(gxid, since, askedAt));
    }
    open.forEach(
        (gxid, since) -> {
          if (since < askedAt && gxid < snapshot.xmax() && !running.contains(gxid)) {
            throw world.violated(gxid + " is open, and a snapshot does not list it", null);
          }
        });
    knownTo(gateway).sees(running, snapshot.xmax());
  }

  /** A snapshot does not show the end of a transaction, which was known since then, or null. */
  private void checkShown(int gxid, Long since, long askedAt) {
    if (since != null && since < askedAt) {
      throw world.violated(gxid + " had ended, and a snapshot does not show it", null);
    }
  }

  /** Since when it has been known which transactions have ended. */
  private final class Known {
    private final TreeMap<Integer, Long> ended = new TreeMap<>();
    private final TreeSet<Integer> unseen = new TreeSet<>(gxids);

    void ended(int gxid) {
      ended.put(gxid, world.now());
      unseen.remove(gxid);
    }

    void sees(Set<Integer> running, int xmax) {
      List<Integer> now =
          unseen.headSet(xmax).stream().filter(gxid -> !running.contains(gxid)).toList();
      now.forEach(this::ended);
    }
  }
}
