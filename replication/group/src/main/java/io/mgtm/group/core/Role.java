package io.mgtm.group.core;

/** What a member is doing; docs/replication.md says when it changes. */
public enum Role {
  FOLLOWER,
  /** Asking whether an election could be won. */
  PRE_CANDIDATE,
  CANDIDATE,
  LEADER
}
