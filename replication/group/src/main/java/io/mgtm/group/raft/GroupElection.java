package io.mgtm.group.raft;

import java.util.function.BooleanSupplier;
import org.jgroups.Message;
import org.jgroups.View;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.raft.ELECTION2;
import org.jgroups.protocols.raft.RaftHeader;
import org.jgroups.protocols.raft.election.VoteRequest;

/**
 * jgroups-raft's election with pre-vote, for members that may not vote: one whose folder was
 * emptied has forgotten what it acknowledged, and a majority with it could lack committed entries.
 */
public final class GroupElection extends ELECTION2 {
  private static final short ID = 601;

  static {
    ClassConfigurator.addProtocol(ID, GroupElection.class);
  }

  private final BooleanSupplier mayVote;

  /** For JGroups, which makes one of each protocol it knows; such a one votes. */
  public GroupElection() {
    this(() -> true);
  }

  /**
   * An election.
   *
   * @param mayVote asked on JGroups' threads at each request for a vote
   */
  GroupElection(BooleanSupplier mayVote) {
    this.mayVote = mayVote;
  }

  @Override
  protected void handleMessage(Message message, RaftHeader header) {
    if (header instanceof VoteRequest && !mayVote.getAsBoolean()) {
      return;
    }
    super.handleMessage(message, header);
  }

  /**
   * Begins an election if there is no leader, a majority is here, and this member is the one to do
   * it. The pre-vote waits for answers of all members of a view, and begins at a change of the view
   * only; so one that was suspected while it owed its answer would leave the group without a
   * leader. Any thread.
   */
  void pushOn() {
    View now = view;
    if (raft.leader() == null && now != null && now.size() >= raft.majority()) {
      runVotingThread();
    }
  }
}
