package io.mgtm.gtm.sim;

/** Mistakes that a node could make; each must be found. */
enum Fault {
  NONE,
  /** Replies leave before a majority has the entries. */
  ACKNOWLEDGE_BEFORE_MAJORITY,
  /** What a member says leaves before it is on disk. */
  SEND_BEFORE_PERSIST,
  /** A vote for another member is not stored. */
  VOTE_NOT_PERSISTED,
  /** A member is told again that another is new, which was so once. */
  STALE_INTRODUCTION,
  /** A member does not notice that its machine has lost power. */
  POWER_CUT_NOT_NOTICED,
  /** What was restored from a checkpoint does not know the sessions of fronts. */
  CHECKPOINT_FORGETS_SESSIONS,
  /** A leader answers reads without asking whether it still leads. */
  READ_WITHOUT_CONFIRMATION,
  /** Mode lazy: a leader that stood still answers before it knows whether it still leads. */
  LAZY_WITHOUT_FENCE,
  /** Mode lazy: a new leader does not wait for fronts that may know more. */
  NO_WAIT_FOR_FRONTS
}
