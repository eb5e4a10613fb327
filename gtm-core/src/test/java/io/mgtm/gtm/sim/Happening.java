package io.mgtm.gtm.sim;

/**
 * What schedules are there for: adversity, counted as it takes effect, and how the group came
 * through it. Each schedule counts it in a {@link Tally}, and the schedules of a test together must
 * have seen what can happen in them: what is never injected any more would go unnoticed otherwise,
 * since nothing is easier to survive.
 */
enum Happening {
  // Processes and machines.
  KILLED(Where.EVERYWHERE, 6),
  /** A process has died while it stored something. */
  DIED_STORING(Where.EVERYWHERE, 15),
  /** A process has died when it was about to send something. */
  DIED_SENDING(Where.EVERYWHERE, 15),
  ALL_KILLED(Where.EVERYWHERE, 6),
  POWER_LOST(Where.EVERYWHERE, 6),
  /** All machines have lost power at once. */
  ALL_POWER_LOST(Where.CUT, 30),
  /** A node's process had something to do and stood still. */
  STOOD_STILL(Where.EVERYWHERE, 6),
  PROXY_KILLED(Where.EVERYWHERE, 15),
  PROXY_STOOD_STILL(Where.EVERYWHERE, 30),
  CLOCK_DRIFTED(Where.EVERYWHERE, 15),
  CLOCK_STEPPED(Where.EVERYWHERE, 30),

  // Disks.
  SYNC_SLOW(Where.EVERYWHERE, 15),
  /** A disk is to fail at the next sync. */
  SYNC_TO_FAIL(Where.EVERYWHERE, 6),
  /** Some of what was dirty was not written back, and nobody has heard of it yet. */
  WRITE_BACK_FAILED(Where.EVERYWHERE, 6),
  /** A node has seen a sync fail, and stopped. */
  SYNC_FAILED(Where.EVERYWHERE, 6),
  /** What a process had not synced is damaged at its next start. */
  LOG_DAMAGED(Where.CUT, 15),
  DISK_FILLED(Where.EVERYWHERE, 15),
  /** It has refused to store something. */
  ROOM_LACKED(Where.EVERYWHERE, 15),
  /** A client was refused for want of room. */
  ROOM_REFUSED(Where.ALONE, 200),
  /** A member goes on with an empty folder. */
  DISK_EMPTIED(Where.TOGETHER, 15),
  WITNESS_EMPTIED(Where.WITNESSED, 15),
  /** Soon after the group began, while another one heard nothing. */
  EARLY_AMNESIA(Where.COPIED, 30),
  /** A member was started on an older copy of its folder. */
  COPY_STARTED(Where.COPIED, 30),
  /** It was told so. */
  COPY_TOLD(Where.COPIED, 30),
  /** A witness was started on an older copy of its folder. */
  WITNESS_COPY_STARTED(Where.WITNESSED_CUT, 30),
  /** A quorum disk has taken long. */
  QUORUM_DISK_LATE(Where.QUORUM_DISK, 15),

  // The network.
  ISOLATED(Where.CUT, 6),
  SPLIT(Where.CUT, 15),
  /** A leader was cut off with its clients. */
  DEPOSED(Where.CUT, 6),
  /** A message between members was lost in a cut. */
  MESSAGE_CUT_OFF(Where.TOGETHER, 6),
  HEALED(Where.CUT, 6),
  MESSAGE_LOST(Where.CUT_TOGETHER, 15),
  MESSAGE_REPEATED(Where.CUT_TOGETHER, 15),
  MESSAGE_LATE(Where.EVERYWHERE, 6),
  MESSAGE_OVERTAKEN(Where.CUT_TOGETHER, 15),
  WRONGLY_SUSPECTED(Where.CUT, 6),
  WIRE_RESET(Where.EVERYWHERE, 15),
  /** Mode lazy: the line between two members was cut. */
  LINE_CUT(Where.WITNESSED, 30),
  /** Mode lazy: the leader was cut off from the other member and from the witness. */
  LEADER_CUT_OFF(Where.LAZY, 15),
  /** Mode lazy: one that stood still for long was left out of the others' views. */
  LEFT_OUT(Where.LAZY, 15),
  /** Mode lazy: and taken in again. */
  TAKEN_IN(Where.LAZY, 15),

  // What an operator does.
  TRANSFER_BEGUN(Where.TOGETHER, 30),
  /** Mode lazy: who was handed the leadership leads without the one that went. */
  LED_AFTER_HANDOVER(Where.LAZY, 15),
  /** A member has begun whose configuration says another durability than that of one that runs. */
  DURABILITY_MIXED(Where.EVERYWHERE, 15),
  /** The group was told to force more or less. */
  DURABILITY_SAID(Where.EVERYWHERE, 30),
  ADDITION_BEGUN(Where.CHANGED, 30),
  REMOVAL_BEGUN(Where.CHANGED_TOGETHER, 30),
  LOSS_ACCEPTED(Where.ACCEPTED, 6),

  // What has come of it.
  LEADER_CHANGED(Where.TOGETHER, 6),
  /** Somebody votes, by a committed entry, who did not. */
  VOTER_ADDED(Where.CHANGED, 15),
  VOTER_REMOVED(Where.TOGETHER, 15),
  /** A member's state was replaced by a checkpoint. */
  CHECKPOINT_TAKEN(Where.TOGETHER, 15),
  /** A leader has answered a query and asked nobody. */
  QUERY_LEASED(Where.LED, 6),
  /** A gateway has sent commands again, to another node or to one that was started again. */
  REPLAYED(Where.EVERYWHERE, 6),
  /** Mode lazy: a gateway has brought a new leader what the former had told it. */
  PRESENTED(Where.LAZY, 15),
  ENTRIES_LOST(Where.EVERYWHERE, 200),
  SESSION_LOST(Where.CUT, 30),
  /** A member has stopped because the group has lost what it knows as committed. */
  STOPPED_FOR_LOSS(Where.NOWHERE, 15);

  private final Where where;
  private final int within;

  /**
   * Something that can happen.
   *
   * @param within so many schedules show it in any scenario that it can happen in
   */
  Happening(Where where, int within) {
    this.where = where;
    this.within = within;
  }

  /** Whether so many schedules of a scenario must have seen it. */
  boolean isExpected(Scenario in, long schedules) {
    return where.is(in) && within <= schedules;
  }
}
