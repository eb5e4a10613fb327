package io.mgtm.gtm.sim;

import io.mgtm.group.GroupMode;

/** Scenarios that something can happen in. */
enum Where {
  EVERYWHERE,
  /** A single machine. */
  ALONE,
  /** Several. */
  TOGETHER,
  /** Where members may be cut off, and machines lose power together. */
  CUT,
  CUT_TOGETHER,
  /** Where members come and go. */
  CHANGED,
  CHANGED_TOGETHER,
  /** Where a member's copy may be lost or older while all others are whole. */
  COPIED,
  /** Where some have a witness that is a machine. */
  WITNESSED,
  /** The same where a majority counts. */
  WITNESSED_CUT,
  LAZY,
  /** Where a leader asks a majority. */
  LED,
  QUORUM_DISK,
  /** Where an operator is asked to accept a loss. */
  ACCEPTED,
  /** Nothing is expected of so rare a thing. */
  NOWHERE;

  boolean is(Scenario scenario) {
    return switch (this) {
      case EVERYWHERE -> true;
      case ALONE -> scenario.size() == 1;
      case TOGETHER -> scenario.size() > 1;
      case CUT -> !scenario.isLazy();
      case CUT_TOGETHER -> CUT.is(scenario) && TOGETHER.is(scenario);
      case CHANGED -> !scenario.quorumDisk();
      case CHANGED_TOGETHER -> CHANGED.is(scenario) && TOGETHER.is(scenario);
      case COPIED ->
          CUT_TOGETHER.is(scenario) && !scenario.quorumDisk() && !scenario.lossAccepted();
      case WITNESSED ->
          scenario.isLazy() || (COPIED.is(scenario) && scenario.mode() == GroupMode.FIFO);
      case WITNESSED_CUT -> WITNESSED.is(scenario) && CUT.is(scenario);
      case LAZY -> scenario.isLazy();
      case LED -> TOGETHER.is(scenario) && scenario.mode() == GroupMode.FIFO;
      case QUORUM_DISK -> scenario.quorumDisk();
      case ACCEPTED -> scenario.isLazy() || scenario.lossAccepted();
      case NOWHERE -> false;
    };
  }
}
