package io.mgtm.gtm.sim;

import io.mgtm.group.GroupMode;
import io.mgtm.group.member.OpenLog;

/** A node's part in the group, in whatever mode: its log as the node's engine and tests see it. */
interface SimMember {

  /** Opens the folder and joins the group. */
  void open();

  /** Its log; null before it is open. */
  OpenLog log();

  /** How the state came about. */
  StateTrace trace();

  /** In mode lazy: whether it may lead without those that are gone. */
  default boolean isInStep() {
    return true;
  }

  /** As the node's clock does it now and then. */
  default void tick() {}

  /** The member of a node that begins. */
  static SimMember of(SimNode node) {
    if (node.isWitness()) {
      return new WitnessMember(node);
    }
    if (node.simulation.scenario.alone()) {
      return new LoneMember(node);
    }
    return node.simulation.scenario.mode() == GroupMode.TOTAL
        ? new EqualMember(node)
        : new LedMember(node);
  }
}
