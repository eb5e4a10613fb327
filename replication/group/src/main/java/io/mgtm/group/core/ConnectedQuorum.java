package io.mgtm.group.core;

import io.mgtm.group.storage.DurabilityGate;
import java.util.List;

/**
 * With {@link Agreement#CONNECTED}: those voters that are connected; beside a witness, under a
 * {@link Lease} that a majority renews. Owner thread.
 */
final class ConnectedQuorum implements Quorum {
  private final CoreState s;
  private final LeaderRole leader;
  private final Sender sender;
  private final DurabilityGate gate;
  private final Lease lease;
  private boolean readAsked;
  private long confirmedReads;

  /** The read index of the last read. */
  private long reads;

  /**
   * Nothing is acknowledged before all who are counted have answered this round; 0 when nothing is
   * waited for.
   */
  private long fenceRound;

  ConnectedQuorum(CoreState s, LeaderRole leader, Sender sender, DurabilityGate gate) {
    this.s = s;
    this.leader = leader;
    this.sender = sender;
    this.gate = gate;
    lease = new Lease(s);
  }

  @Override
  public long confirm(long nowMs) {
    readAsked = true;
    return ++reads;
  }

  @Override
  public long confirmed() {
    return confirmedReads;
  }

  @Override
  public void begun(long round) {
    lease.begun(round);
  }

  @Override
  public void flush() {
    long limit = leader.changes().sendLimit();
    if (sender.hasUnsent(limit)) {
      sender.send(limit, false, true);
    }
  }

  @Override
  public void beaten() {
    tellWhoIsInStep(true);
  }

  @Override
  public void answered(Progress by) {
    advance();
  }

  /** Commits what was sent to those that are counted. */
  @Override
  public void advance() {
    if (s.isLeased()) {
      lease.answered(
          leader.ofMajority(s.members.latest(), other -> other.ackedRound, sender.round()));
      leader.witness().advanceBesideCounted();
    }
    if (!mayAnswer(s.nowMs)) {
      return;
    }
    s.inStep = true;
    boolean awaited = lease.takeAwaited();
    if (readAsked || fenceRound > 0 || awaited) {
      readAsked = false;
      fenceRound = 0;
      confirmedReads = reads;
      s.effects.confirmed(confirmedReads);
    }
    long sent = leader.changes().sendLimit(); // what is held for a successor may be cut
    long had = sent;
    boolean shared = leader.others().isEmpty();
    for (MemberId voter : s.members.latest().voters()) {
      if (!voter.equals(s.self) && !s.members.latest().isWitness(voter) && counts(voter)) {
        Progress other = leader.progress(voter);
        sent = Math.min(sent, other.sentIndex());
        had = Math.min(had, other.match);
        shared = true;
      }
    }
    gate.durable(Math.min(had, s.log.durableIndex()));
    tellWhoIsInStep(false);
    if (s.isLeased() && !leader.witness().excludes()) {
      return;
    }
    leader.commit(sent);
    s.stableIndex = Math.max(s.stableIndex, Math.min(had, s.commitIndex));
    if (shared) {
      s.sharedIndex = s.stableIndex;
    }
  }

  /**
   * Sends word to members that may lead when this one is gone, and repeats it in case it was lost.
   */
  private void tellWhoIsInStep(boolean again) {
    for (Progress other : leader.others()) {
      boolean due = again || other.toldIncarnation < other.incarnation;
      if (due && mayLead(other)) {
        other.toldIncarnation = other.incarnation;
        sender.send(other, new Message.CaughtUp(s.term(), other.incarnation));
      }
    }
  }

  @Override
  public void changed() {}

  @Override
  public void tick() {}

  @Override
  public boolean isQuiet() {
    return !readAsked && fenceRound == 0;
  }

  @Override
  public boolean isLost() {
    return s.isLeased()
        && (leader.answering() < s.members.latest().majority() || isWaitingForRestarted());
  }

  /** While the pair has a witness that does not vote, nobody can be left out: it elects anew. */
  private boolean isWaitingForRestarted() {
    return !s.members.latest().hasWitness()
        && leader.others().stream()
            .anyMatch(other -> other.restarted && s.members.latest().isVoter(other.member));
  }

  @Override
  public boolean mayAnswer(long nowMs) {
    return doubtful().isEmpty()
        && (!s.isLeased() || (lease.holds(nowMs) && !leader.changes().isHandedOver()));
  }

  @Override
  public void interrupted() {
    // See CoreState.isAwake.
  }

  /** It asks the others, and acknowledges nothing meanwhile. */
  @Override
  public void stoodStill() {
    if (s.isLeased()) {
      lease.end(sender.round());
    } else {
      fenceRound = sender.round() + 1;
    }
  }

  @Override
  public List<MemberId> doubtful() {
    return fenceRound == 0
        ? List.of()
        : s.members.latest().voters().stream().filter(this::isDoubtful).toList();
  }

  private boolean isDoubtful(MemberId voter) {
    return !voter.equals(s.self) && counts(voter) && leader.progress(voter).ackedRound < fenceRound;
  }

  @Override
  public boolean counts(MemberId voter) {
    if (voter.equals(s.self) || s.members.latest().isWitness(voter)) {
      return true;
    }
    Progress other = leader.progress(voter);
    return s.members.latest().isVoter(voter)
        && !s.gone.contains(voter.name())
        && (leader.answers(other) || !s.isLeased())
        && !other.restarted;
  }

  @Override
  public boolean mayLead(Progress other) {
    // Before all know who is counted, the leader after a power cut among them, two could lead.
    return s.members.latestIndex() <= s.commitIndex
        && other.state == Progress.State.REPLICATE
        && other.match >= leader.termStart()
        && other.isCaughtUp()
        && !other.witness
        && counts(other.member);
  }
}
