package io.mgtm.group.core;

/** Whose agreement makes a leader, and an entry committed. */
public enum Agreement {
  /** A majority of the voters: survives any minority of crashes and any partition. */
  MAJORITY,

  /**
   * Those voters that are connected. A leader commits what it has sent to them; entries that ask
   * for more than {@link io.mgtm.group.Durability#BUFFERED} wait until all of them have it. A voter
   * that is gone becomes a learner until it has caught up. When the leader is gone, the most
   * advanced of those that were in step with it goes on, and sends the others what they lack of it.
   * So acknowledged entries that were not synced can be lost with the leader, which the next term
   * start says; and nothing is promised under a partition.
   */
  CONNECTED
}
