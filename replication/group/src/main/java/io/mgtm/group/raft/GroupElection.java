package io.mgtm.group.raft;

import io.mgtm.group.LogException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jgroups.Address;
import org.jgroups.Message;
import org.jgroups.View;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.raft.ELECTION2;
import org.jgroups.protocols.raft.RaftHeader;
import org.jgroups.protocols.raft.election.LeaderElected;
import org.jgroups.protocols.raft.election.VoteRequest;
import org.jgroups.protocols.raft.election.VoteResponse;

/**
 * jgroups-raft's election with pre-vote, for members that may not vote: one whose folder was
 * emptied has forgotten what it acknowledged, and a majority with it could lack committed entries.
 */
public class GroupElection extends ELECTION2 {
  static final short ID = 601;

  static {
    ClassConfigurator.addProtocol(ID, GroupElection.class);
  }

  private static final long RETRY_NANOS = 200_000_000;

  private final BooleanSupplier mayVote;
  private final Consumer<LogException> failed;

  /** The term that votes are counted for; a later round has another. */
  private volatile long round;

  /** In which the first member was left to begin once; null for none. */
  private View waitedIn;

  /** For JGroups, which makes one of each protocol it knows; such a one votes. */
  public GroupElection() {
    this(() -> true, failure -> {});
  }

  /**
   * An election.
   *
   * @param mayVote asked at each request for a vote, and before this member begins an election
   * @param failed told that a vote or a term could not be stored
   */
  GroupElection(BooleanSupplier mayVote, Consumer<LogException> failed) {
    this.mayVote = mayVote;
    this.failed = failed;
  }

  /** Without a view there is no majority, without which a voting thread that is to stop does. */
  @Override
  public void stop() {
    super.stop();
    view = null;
  }

  /**
   * Votes and learns of leaders on the thread that appends. A vote tells how long the log is, and
   * promises that nothing of an older term comes to it. On another thread, as in jgroups-raft
   * 1.1.4, an entry of the former leader could be appended and acknowledged after that, and would
   * be lost with the election; or the former leader be taken for that of the new term, whose own
   * leader then is refused.
   */
  @Override
  protected void handleMessage(Message message, RaftHeader header) {
    if (header instanceof VoteResponse && header.currTerm() != round) {
      log.debug("%s: a vote of %s is late: %s", local_addr, message.getSrc(), header);
    } else if (!(header instanceof VoteRequest || header instanceof LeaderElected)) {
      super.handleMessage(message, header);
    } else if (!((GroupRaft) raft).execute(() -> decide(message, header))) {
      log.warn("%s: too busy for %s", local_addr, header);
    }
  }

  private void decide(Message message, RaftHeader header) {
    if (header instanceof VoteRequest && !mayVote.getAsBoolean()) {
      return;
    }
    try {
      super.handleMessage(message, header);
    } catch (LogException e) {
      failed.accept(e);
    }
  }

  @Override
  protected void sendVoteRequest(long term) {
    round = term;
    super.sendVoteRequest(term);
  }

  /**
   * Who has the longest log of those that voted. In jgroups-raft 1.1.4 a vote of an earlier round
   * counts, whose voter may have voted for another since; and one that has left the view by now
   * counts, but not the length of its log, which may be the only one with an acknowledged entry.
   *
   * @throws IllegalStateException when there is such a vote; there will be another round
   */
  @Override
  protected Address determineLeader() {
    View before = view;
    Address longest = super.determineLeader();
    // After that: votes come, and none goes.
    getVotes()
        .getResults()
        .forEach(
            (member, vote) -> {
              if (vote != null && (vote.currTerm() != round || !before.containsMember(member))) {
                throw new IllegalStateException("a vote of " + member + " counts no more");
              }
            });
    if (!before.equals(view)) {
      throw new IllegalStateException("the view has changed");
    }
    return longest;
  }

  /** One round of votes; a thread of JGroups calls it again and again. */
  @Override
  protected void runVotingProcess() {
    try {
      super.runVotingProcess();
      View now = view;
      if (raft.leader() == null && now != null && !local_addr.equals(now.getCoord())) {
        // Beside the first of the view, who may count votes too; not in step with it.
        LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(RETRY_NANOS));
      }
    } catch (LogException e) {
      failed.accept(e);
      LockSupport.parkNanos(RETRY_NANOS);
    } catch (RuntimeException e) {
      log.warn("%s: a round of votes has failed: %s", local_addr, e);
      LockSupport.parkNanos(RETRY_NANOS);
    }
  }

  /**
   * The leader, null when none is known, or when it has left the view: a round of votes that was
   * just ending when the leader left, for one, begins none for the next. Any thread.
   */
  Address leader() {
    View now = view;
    Address leader = raft.leader();
    return leader == null || now == null || !now.containsMember(leader) ? null : leader;
  }

  /**
   * Begins an election if there is still no leader and a majority is here. For calls as long as
   * this member knows of no leader, far enough apart for an election.
   *
   * <p>The pre-vote waits for answers of all members of a view, and begins at a change of the view
   * only; so one that was suspected while it owed its answer would leave the group without a
   * leader. And only the first member of a view begins; but a member that is elected before it has
   * heard of the view, which has a majority, ignores it, while the first takes it for the leader
   * for ever. So a member that is not the first begins one at the second call in a view. Any
   * thread, one at a time.
   */
  void pushOn() {
    View now = view;
    if (leader() != null || now == null || now.size() < raft.majority()) {
      return;
    }
    if (local_addr.equals(now.getCoord()) || now.equals(waitedIn)) {
      waitedIn = null;
      startVotingThread();
    } else if (mayVote.getAsBoolean()) {
      waitedIn = now;
    }
  }
}
