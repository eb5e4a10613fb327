package io.mgtm.ha.core;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Replicated data of a hierarchy, as agents with {@code --fence} keep them: a primary acknowledges
 * what it and all copies in sync have. It goes on without one that was not fenced since it was in
 * sync, or since the promotion, only when it has been told that the state has a mark for that; and
 * it resyncs whomever it reaches.
 */
final class SimVolume {
  private static final int LOOK_MS = 250;

  /** After so many looks a copy that is reached again is overwritten, and at last equal. */
  private static final int MEETING_LOOKS = 3;

  private static final int RESYNC_LOOKS = 6;

  /**
   * What a copy has.
   *
   * @param history another one begins where an operator gives up what had been acknowledged
   * @param writes of it
   */
  private record Data(long history, long writes) {
    boolean hasAll(Data other) {
      return history == other.history && writes >= other.writes;
    }
  }

  private final Sim sim;
  private final String hierarchy;
  private final List<String> nodes;
  private final Map<String, Data> has = new TreeMap<>();

  /** Copies in the middle of a resync. */
  private final Set<String> inconsistent = new HashSet<>();

  private final Map<String, Integer> looksConnected = new TreeMap<>();
  private final Set<String> lossAccepted = new HashSet<>();
  private boolean placedWithLoss;
  private Data acknowledged = new Data(0, 0);
  private String primary;
  private String newest;
  private final Set<String> inSync = new TreeSet<>();
  private final Set<String> fenced = new TreeSet<>();

  /** Whom it waits to be fenced; nobody when it does not wait. */
  private Set<String> lost = Set.of();

  private long token;

  SimVolume(Sim sim, String hierarchy, List<String> nodes) {
    this.sim = sim;
    this.hierarchy = hierarchy;
    this.nodes = nodes;
    nodes.forEach(node -> has.put(node, acknowledged));
    sim.after(LOOK_MS, this::look);
  }

  void acceptLoss(String node) {
    lossAccepted.add(node);
  }

  void acceptNoLoss() {
    lossAccepted.clear();
  }

  /** What was accepted holds for the node that it was accepted for, when that is next. */
  void placed(String node) {
    placedWithLoss = lossAccepted.contains(node);
    lossAccepted.clear();
    if (placedWithLoss && !has.get(node).hasAll(acknowledged)) {
      acknowledged = new Data(acknowledged.history() + 1, 0);
      has.put(node, acknowledged);
    }
  }

  /**
   * A node that has left may come back as another machine, with old data; a primary notices. Not
   * one that has what no other has.
   */
  void configured(Set<String> there) {
    List<String> whole =
        nodes.stream()
            .filter(node -> there.contains(node) && has.get(node).hasAll(acknowledged))
            .toList();
    boolean alone = primary != null && !whole.contains(primary);
    if (alone || whole.isEmpty() || acknowledged.writes() == 0) {
      return;
    }
    for (String node : nodes) {
      if (!there.contains(node)) {
        has.put(node, new Data(acknowledged.history(), 0));
        inSync.remove(node);
        looksConnected.remove(node);
        newest = node.equals(newest) ? whole.get(0) : newest;
      }
    }
  }

  /** Whether a primary acknowledges what is written. */
  boolean writes() {
    return primary != null && owed().isEmpty();
  }

  void promote(String node) {
    if (!has.get(node).hasAll(acknowledged)) {
      throw sim.violation(
          "a copy of %s that lacks acknowledged writes is in service on %s"
              .formatted(hierarchy, node));
    }
    primary = node;
    newest = node;
    fenced.clear();
    inSync.clear();
    looksConnected.clear();
    lost = Set.of();
    for (String other : nodes) {
      if (!other.equals(node) && reached(other) && isEqual(other)) {
        inSync.add(other);
      }
    }
  }

  void demote(String node) {
    if (node.equals(primary)) {
      primary = null;
      lost = Set.of();
    }
  }

  /** The kit has been told that the state has this. */
  void noted(String node, Map<String, String> told) {
    if (node.equals(primary) && !lost.isEmpty() && token().equals(told.get(CopyReport.NOTED))) {
      fenced.addAll(lost);
      lost = Set.of();
    }
  }

  /** Whether the agent refuses to promote its copy. */
  boolean refuses(String node, Map<String, String> told) {
    boolean knows = newest == null || newest.equals(node);
    return inconsistent.contains(node) || (!knows && told.isEmpty());
  }

  /** Who was promoted last; null before anybody was. */
  String newest() {
    return newest;
  }

  private String token() {
    return lost.isEmpty() ? "" : "t" + token;
  }

  Map<String, String> data(String node) {
    if (!node.equals(primary)) {
      return Map.of(
          CopyReport.COPY, inconsistent.contains(node) ? "Inconsistent" : CopyReport.UP_TO_DATE);
    }
    Set<String> said = new TreeSet<>(inSync);
    if (sim.plant == Plant.EARLY_LIFT) {
      nodes.stream().filter(other -> looksConnected.getOrDefault(other, 0) > 0).forEach(said::add);
    }
    return Map.of(
        CopyReport.COPY,
        CopyReport.UP_TO_DATE,
        CopyReport.IN_SYNC,
        String.join(",", said),
        CopyReport.TOKEN,
        token());
  }

  private boolean reached(String other) {
    return sim.machines.get(other).up && sim.connected(primary, other, 1);
  }

  private boolean isEqual(String other) {
    return !inconsistent.contains(other) && has.get(other).equals(has.get(primary));
  }

  /** Those that nothing may be acknowledged without. */
  private Set<String> owed() {
    Set<String> owed = new TreeSet<>();
    for (String node : nodes) {
      if (!node.equals(primary) && !inSync.contains(node) && !fenced.contains(node)) {
        owed.add(node);
      }
    }
    return owed;
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
        looksConnected.remove(other);
        inSync.remove(other);
      } else if (!inSync.contains(other)) {
        resync(other);
      }
    }
    Set<String> owed = owed();
    if (sim.plant == Plant.EARLY_GO) {
      owed = Set.of();
    }
    if (!owed.equals(lost)) {
      lost = owed;
      token++;
    }
    if (owed.isEmpty()) {
      acknowledged = new Data(acknowledged.history(), acknowledged.writes() + 1);
      has.put(primary, acknowledged);
      inSync.forEach(other -> has.put(other, acknowledged));
    }
  }

  private void resync(String other) {
    int looks = looksConnected.merge(other, 1, Integer::sum);
    if (isEqual(other) || looks >= RESYNC_LOOKS) {
      has.put(other, has.get(primary));
      inconsistent.remove(other);
      looksConnected.remove(other);
      inSync.add(other);
      fenced.remove(other);
    } else if (looks > MEETING_LOOKS) {
      inconsistent.add(other);
    }
  }
}
