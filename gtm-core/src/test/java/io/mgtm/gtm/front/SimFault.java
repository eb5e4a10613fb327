package io.mgtm.gtm.front;

/** Mistakes that a front could make, planted between it and its links. */
enum SimFault {
  NONE,
  /** After a failover only new commands are sent. */
  FORGET_REPLAY,
  /** What is repeated is repeated backwards. */
  REPLAY_BACKWARDS,
  /** A command whose reply was delivered is repeated too. */
  REPLAY_ANSWERED,
  /** A session that the group has lost is opened anew, and what is pending goes into it. */
  REOPEN_LOST_SESSION
}
