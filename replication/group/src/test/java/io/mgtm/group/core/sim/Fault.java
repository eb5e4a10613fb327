package io.mgtm.group.core.sim;

/** A mistake that is planted to see that the simulation finds it. */
enum Fault {
  NONE,
  ACKNOWLEDGE_BEFORE_MAJORITY,
  VOTE_NOT_PERSISTED,
  CHECKPOINT_FORGETS_SESSIONS,
  REQUIRED_ACKNOWLEDGED_BEFORE_FORCE,
  AHEAD_TAKEN_FOR_BUFFERED,
  READ_WITHOUT_CONFIRMATION,
  NO_LOG_MATCHING,
  POWER_CUT_NOT_NOTICED,
  /** A member claims what its own setting says, whatever it acknowledged. */
  FOREIGN_DURABILITY,
  /** A member that a sync has failed of starts again as if its process had died. */
  FAILED_SYNC_FORGOTTEN,
  EMPTIED_FOLDER_KEEPS_ITS_IDENTITY,
  /** A member that does not answer counts as new when it was so in an earlier round. */
  STALE_INTRODUCTION,
  /** Mode lazy: a member that was away leads without those who know more. */
  RESTARTED_MEMBER_THINKS_IT_IS_IN_STEP,
  /** Mode lazy: a leader hands over to a member that does not know that it is in step. */
  SUCCESSOR_NOT_IN_STEP,
  /** Mode lazy: a leader that stood still answers before it knows whether it still leads. */
  LAZY_WITHOUT_FENCE,
  /** Mode lazy: a leader does not say that entries may be missing. */
  LOSS_NOT_TOLD,
  /** A witness acknowledges a position, and stores it with the next one. */
  WITNESS_ACKNOWLEDGES_BEFORE_STORING,
  /** A witness does not compare a candidate's log with its position. */
  WITNESS_VOTES_FOR_A_LOG_BEHIND,
  /** A leader without another copy does not wait for the witness. */
  LEADER_GOES_ON_WITHOUT_THE_WITNESS,
  /** Mode total: a proposal that was sent again is applied again. */
  REPEATED_PROPOSAL_NOT_DROPPED,
  /** Mode total: the checkpoint has not the table of what was applied of whom. */
  CHECKPOINT_FORGETS_ORIGINS,
  /** Mode total: a reply shows the state when it leaves, not that of its place. */
  REPLY_FROM_A_LATER_STATE
}
