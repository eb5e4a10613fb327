package io.mgtm.ha.core;

/**
 * What a {@link Leader} does to the world. None of these calls back into the leader before it
 * returns, and none waits.
 */
public interface LeaderEffects {

  /**
   * Makes {@code after} the member's state and appends the batch that leads to it. {@link
   * Leader#committed} tells when it is committed; until then no other is appended.
   */
  void append(Batch batch, ClusterState after);

  /** {@code ReplicatedLog.confirm()}: the read index that {@link Leader#confirmed} tells of. */
  long confirm();

  /** Sends to a node on every path, or to this node's own {@link NodeAgent}. */
  void send(Grant grant);

  /** Answers an operator. */
  void reply(long request, Reply reply);

  /**
   * Has a fence agent switch a node off, if there is one for it. That it has ended is told by
   * {@link Leader#fenced}.
   */
  void fence(long request, String node);

  /** Ends an agent early: its node is back, or this member leads no more. It may be too late. */
  void endFence(long request);

  /**
   * What an operator is told.
   *
   * @param outcome whether the command is committed
   * @param text empty, or why not
   */
  record Reply(Outcome outcome, String text) {
    /** What became of a command. */
    public enum Outcome {
      DONE,
      REFUSED,
      /** This member does not lead (any more); whether it will be committed is not known. */
      IN_DOUBT,
      NOT_LEADING
    }
  }
}
