package io.mgtm.ha.core;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Replicated data of a hierarchy. A primary acknowledges what it and all copies in step have; it
 * goes on without one only when it has been told that the state has a mark for that.
 */
final class SimVolume {
  private static final int LOOK_MS = 250;
  private static final int RESYNC_LOOKS = 4;

  /** Its data parted from those that count, or a resync has not ended. */
  private static final long USELESS = -1;

  private final Sim sim;
  private final String hierarchy;
  private final List<String> nodes;

  /** By node, the last acknowledged write that its copy has. */
  private final Map<String, Long> has = new TreeMap<>();

  private final Map<String, Integer> looksConnected = new TreeMap<>();
  private final Set<String> lossAccepted = new HashSet<>();
  private String placedOn;
  private long placedEpoch;
  private boolean placedWithLoss;
  private boolean parted;
  private long acknowledged;
  private String primary;
  private final Set<String> inSync = new TreeSet<>();
  private long token;
  private boolean mayGoOn;

  /** Whether the primary has been told since it came in service. */
  private boolean marked;

  SimVolume(Sim sim, String hierarchy, List<String> nodes) {
    this.sim = sim;
    this.hierarchy = hierarchy;
    this.nodes = nodes;
    nodes.forEach(node -> has.put(node, 0L));
    sim.after(LOOK_MS, this::look);
  }

  void acceptLoss(String node) {
    lossAccepted.add(node);
  }

  void acceptNoLoss() {
    lossAccepted.clear();
  }

  /** What was accepted holds for the node that it was accepted for, when that is next. */
  void placed(String node, long epoch) {
    placedOn = node;
    placedEpoch = epoch;
    parted = false;
    placedWithLoss = lossAccepted.contains(node);
    lossAccepted.clear();
  }

  boolean writes() {
    return primary != null && mayGoOn;
  }

  void promote(String node) {
    if (has.get(node) < acknowledged && !placedWithLoss) {
      throw sim.violation("an outdated copy of " + hierarchy + " is in service on " + node);
    }
    primary = node;
    mayGoOn = false;
    marked = false;
    inSync.clear();
    looksConnected.clear();
    for (String other : nodes) {
      if (!other.equals(node) && reached(other) && has.get(other).equals(has.get(node))) {
        inSync.add(other);
      }
    }
    token++;
  }

  void demote(String node) {
    if (node.equals(primary)) {
      primary = null;
      mayGoOn = false;
    }
  }

  void marked(String node, String tokenMarked) {
    if (node.equals(primary) && tokenMarked.equals("" + token)) {
      mayGoOn = true;
      marked = true;
    }
  }

  /** The state has the word of the node that it is placed on: from now on its copy counts. */
  void markCommitted(long epoch) {
    if (epoch != placedEpoch || parted) {
      return;
    }
    parted = true;
    acknowledged = has.get(placedOn);
    has.replaceAll((other, written) -> written > acknowledged ? USELESS : written);
  }

  /** Whether a copy is in no state to be brought in service. */
  boolean isUseless(String node) {
    return has.get(node) == USELESS;
  }

  Map<String, String> data(String node) {
    if (!node.equals(primary)) {
      return Map.of(
          CopyReport.COPY, has.get(node) == USELESS ? "Inconsistent" : CopyReport.UP_TO_DATE);
    }
    return Map.of(
        CopyReport.COPY,
        CopyReport.UP_TO_DATE,
        CopyReport.IN_SYNC,
        String.join(",", inSync),
        CopyReport.TOKEN,
        "" + token,
        CopyReport.GUARDED,
        "true");
  }

  private boolean reached(String other) {
    return sim.machines.get(other).up && sim.connected(primary, other, 1);
  }

  private void look() {
    sim.after(LOOK_MS, this::look);
    if (primary == null) {
      return;
    }
    for (String other : nodes) {
      if (other.equals(primary)) {
        continue;
      }
      if (!reached(other)) {
        looksConnected.put(other, 0);
        if (inSync.remove(other)) {
          token++;
          mayGoOn = false;
        }
      } else if (marked && !inSync.contains(other)) {
        resync(other);
      }
    }
    if (mayGoOn) {
      acknowledged++;
      has.put(primary, acknowledged);
      inSync.forEach(other -> has.put(other, acknowledged));
    }
  }

  private void resync(String other) {
    boolean same = has.get(other).equals(has.get(primary));
    if (same || looksConnected.merge(other, 1, Integer::sum) >= RESYNC_LOOKS) {
      has.put(other, has.get(primary));
      inSync.add(other);
      token++;
    } else {
      has.put(other, USELESS);
    }
  }
}
