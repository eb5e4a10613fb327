package io.mgtm.gtm.sim;

import io.mgtm.group.quorumdisk.SimulatedQuorumDisk.Mistake;

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
  /** What was restored from a checkpoint does not know the sessions of gateways. */
  CHECKPOINT_FORGETS_SESSIONS,
  /** A leader answers reads without asking whether it still leads. */
  READ_WITHOUT_CONFIRMATION,
  /** A leader answers queries under a lease though others promise nothing. */
  QUERY_LEASE_ON_NO_PROMISE,
  /** Mode lazy: a leader that stood still answers before it knows whether it still leads. */
  LAZY_WITHOUT_FENCE,
  /** Mode lazy: a new leader does not wait for gateways that may know more. */
  NO_WAIT_FOR_FRONTS,
  /** Mode lazy: what gateways present is applied in another order than it was done. */
  OTHER_ORDER,
  /** Mode lazy: what a gateway was given that died with the leader is not skipped. */
  NO_SKIP,
  /** Mode lazy: a gateway forgets what a reply depends on as soon as it has the reply. */
  FORGET_AT_REPLY,
  /** Mode lazy: the gateway within the leader gets its replies before they are stable. */
  OWN_FRONT_AT_ONCE,
  /** After a failover a gateway sends only what it had not sent before. */
  FORGET_REPLAY,
  /** What a gateway repeats it repeats backwards. */
  REPLAY_BACKWARDS,
  /** A gateway repeats a command too whose reply it has. */
  REPLAY_ANSWERED,
  /** A session that the group has lost is opened again, and what is pending goes into it. */
  REOPEN_LOST_SESSION,
  /** A witness acknowledges a position some time before it stores it. */
  WITNESS_ACKNOWLEDGES_BEFORE_STORING,
  /** A witness does not compare a candidate's log with its position. */
  WITNESS_VOTES_FOR_A_LOG_BEHIND,
  /** A witness that was just started votes before its leader can have told it what it forgot. */
  WITNESS_VOTES_AT_ITS_START,
  /** A leader without another copy does not wait for the witness. */
  LEADER_GOES_ON_WITHOUT_THE_WITNESS,
  /** Mode lazy: a leader that nobody hears takes its lease for renewed by the witness. */
  LEADER_GOES_ON_AFTER_ITS_LEASE,
  /** Mode lazy: one member of a pair gives the witness up without the other's vote. */
  WITNESS_GIVEN_UP_BY_ONE,
  /** Mode lazy: one of a pair whose witness does not vote yet does not wait for the other. */
  WITNESS_THAT_LEARNS_BINDS_NOBODY,
  /** A quorum disk: what it says leaves before it is written. */
  QUORUM_DISK_ANSWERS_BEFORE_WRITING,
  /** A quorum disk: what the other member has written is read late. */
  QUORUM_DISK_READS_FROM_A_CACHE,
  /** A quorum disk: all that was written is gone when a node is started again. */
  QUORUM_DISK_WORDS_FORGOTTEN,
  /** What asks to be forced is acknowledged before it is. */
  REQUIRED_ACKNOWLEDGED_BEFORE_FORCE,
  /** Marks below which numbers are handed out are not forced before they are. */
  AHEAD_TAKEN_FOR_BUFFERED,
  /** A member claims what its own setting says, whatever it acknowledged. */
  FOREIGN_DURABILITY,
  /** A member that a sync has failed of starts again as if its process had died. */
  FAILED_SYNC_FORGOTTEN,
  /** A member does not miss entries that were damaged before they were synced. */
  DAMAGE_NOT_NOTICED,
  /** Another disk counts as the one that was lost. */
  EMPTIED_FOLDER_KEEPS_ITS_IDENTITY,
  /** A member on an older copy of its folder does not act on being told so. */
  OLDER_COPY_NOT_TOLD,
  /** A follower does not compare the entry before those that come. */
  NO_LOG_MATCHING,
  /** Mode lazy: a member that was away leads without those who know more. */
  RESTARTED_MEMBER_THINKS_IT_IS_IN_STEP,
  /** Mode lazy: a leader hands over to a member that does not know that it is in step. */
  SUCCESSOR_NOT_IN_STEP,
  /** The state does not hear that entries may be missing. */
  LOSS_NOT_TOLD,
  /** As before, when an operator has accepted the loss. */
  ACCEPTED_LOSS_NOT_TOLD,
  /** When an operator has accepted a loss, candidates' logs are not compared. */
  ACCEPTED_LOSS_TAKES_ANY_LOG,
  /** Mode total: a proposal that was sent again is applied again. */
  REPEATED_PROPOSAL_NOT_DROPPED,
  /** Mode total: the checkpoint has not the table of what was applied of whom. */
  CHECKPOINT_FORGETS_ORIGINS;

  /** Whether it is planted between a gateway and its links. */
  boolean isOfGateways() {
    return switch (this) {
      case FORGET_REPLAY, REPLAY_BACKWARDS, REPLAY_ANSWERED, REOPEN_LOST_SESSION -> true;
      case OTHER_ORDER, NO_SKIP, FORGET_AT_REPLY -> true;
      default -> false;
    };
  }

  /** Whether it can show only when a majority loses power at once. */
  boolean isOfLoss() {
    return switch (this) {
      case POWER_CUT_NOT_NOTICED,
          REOPEN_LOST_SESSION,
          REQUIRED_ACKNOWLEDGED_BEFORE_FORCE,
          AHEAD_TAKEN_FOR_BUFFERED,
          FOREIGN_DURABILITY ->
          true;
      default -> false;
    };
  }

  /** Whether it can show only when a leader is read that was deposed. */
  boolean isOfReads() {
    return this == READ_WITHOUT_CONFIRMATION || this == QUERY_LEASE_ON_NO_PROMISE;
  }

  /** Whether it can show only when an operator accepts a loss. */
  boolean isOfAcceptedLoss() {
    return this == ACCEPTED_LOSS_NOT_TOLD || this == ACCEPTED_LOSS_TAKES_ANY_LOG;
  }

  /** What a quorum disk is made to do wrong. */
  Mistake ofQuorumDisk() {
    return switch (this) {
      case QUORUM_DISK_ANSWERS_BEFORE_WRITING -> Mistake.ANSWERS_BEFORE_WRITING;
      case QUORUM_DISK_READS_FROM_A_CACHE -> Mistake.READS_FROM_A_CACHE;
      case QUORUM_DISK_WORDS_FORGOTTEN -> Mistake.WORDS_FORGOTTEN;
      default -> Mistake.NONE;
    };
  }

  boolean isOfQuorumDisk() {
    return ofQuorumDisk() != Mistake.NONE;
  }

  /** Whether it can show only beside a witness. */
  boolean isOfWitness() {
    return switch (this) {
      case WITNESS_ACKNOWLEDGES_BEFORE_STORING,
          WITNESS_VOTES_FOR_A_LOG_BEHIND,
          WITNESS_VOTES_AT_ITS_START,
          LEADER_GOES_ON_WITHOUT_THE_WITNESS,
          LEADER_GOES_ON_AFTER_ITS_LEASE,
          WITNESS_GIVEN_UP_BY_ONE,
          WITNESS_THAT_LEARNS_BINDS_NOBODY ->
          true;
      default -> false;
    };
  }
}
