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

  /** Since when somebody has known that a transaction has ended, or is open. */
  private final Map<Integer, Long> ended = new HashMap<>();

  private final Map<Integer, Long> open = new HashMap<>();
  private int answers;

  ClientOracle(World world) {
    this.world = world;
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

  void ended(int gxid) {
    answers++;
    ended.put(gxid, world.now());
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
  void saw(SnapshotReply.Snapshot snapshot, long askedAt) {
    answers++;
    Set<Integer> running = new HashSet<>();
    for (int gxid : snapshot.running().copy()) {
      running.add(gxid);
    }
    ended.forEach(
        (gxid, since) -> {
          boolean shown = gxid < snapshot.xmax() && !running.contains(gxid);
          world.check(
              since >= askedAt || shown, "%d had ended, and a snapshot lists it as running", gxid);
        });
    open.forEach(
        (gxid, since) ->
            world.check(
                since >= askedAt || gxid >= snapshot.xmax() || running.contains(gxid),
                "%d is open, and a snapshot does not list it",
                gxid));
    for (int gxid : gxids) {
      if (gxid < snapshot.xmax() && !running.contains(gxid)) {
        ended.putIfAbsent(gxid, world.now());
      }
    }
  }
}
