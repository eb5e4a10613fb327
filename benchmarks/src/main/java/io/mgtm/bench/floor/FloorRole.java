package io.mgtm.bench.floor;

/** What a process of a {@link FloorChain} does. */
public enum FloorRole {
  /** Takes the clients' requests, and passes those of a batch on in one frame. */
  PROXY,
  /** Applies requests to a state, and answers once the follower has them. */
  LEADER,
  /** As the leader, but does not wait for the follower, as mode {@code lazy} does not. */
  LAZY_LEADER,
  /** Says of each frame that it came. */
  FOLLOWER
}
