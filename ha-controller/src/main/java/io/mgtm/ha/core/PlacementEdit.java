package io.mgtm.ha.core;

import io.mgtm.ha.core.Placement.Failure;
import io.mgtm.ha.core.Placement.Pending;
import io.mgtm.ha.core.Placement.Stage;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A placement while a command changes it. */
final class PlacementEdit {
  private static final int FAILOVERS_MAX = 64;

  Stage stage;
  String node;
  String last;
  long epoch;
  long changed;
  boolean wanted;
  String toward;
  String acceptLoss;
  String halted;
  String waiting;
  Pending pending;
  Mark repaired;
  final List<Long> failovers;
  final Map<String, Failure> failures;

  PlacementEdit(Placement from) {
    stage = from.stage();
    node = from.node();
    last = from.last();
    epoch = from.epoch();
    changed = from.changed();
    wanted = from.wanted();
    toward = from.toward();
    acceptLoss = from.acceptLoss();
    halted = from.halted();
    waiting = from.waiting();
    pending = from.pending();
    repaired = from.repaired();
    failovers = new ArrayList<>(from.failovers());
    failures = new TreeMap<>(from.failures());
  }

  /** Changes what nodes are ordered, in a version of the state. */
  void to(Stage newStage, long version) {
    stage = newStage;
    changed = version;
  }

  void countFailover(long at) {
    failovers.add(at);
    if (failovers.size() > FAILOVERS_MAX) {
      failovers.remove(0);
    }
  }

  /** What an operator's start or switchover makes good. */
  void forgive() {
    halted = "";
    waiting = "";
    pending = null;
    failures.clear();
    failovers.clear();
  }

  Placement done() {
    return new Placement(
        stage,
        node,
        last,
        epoch,
        changed,
        wanted,
        toward,
        acceptLoss,
        halted,
        waiting,
        pending,
        repaired,
        List.copyOf(failovers),
        Collections.unmodifiableMap(failures));
  }
}
