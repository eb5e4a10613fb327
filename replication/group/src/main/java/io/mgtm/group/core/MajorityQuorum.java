package io.mgtm.group.core;

import io.mgtm.group.storage.DurabilityGate;
import java.util.List;
import java.util.function.ToLongFunction;

/**
 * With {@link Agreement#MAJORITY}: a majority of the voters, this one among them. It confirms reads
 * too, or has done so for a while, under a {@link Lease}. Owner thread.
 */
final class MajorityQuorum implements Quorum {
  private final CoreState s;
  private final LeaderRole leader;
  private final Sender sender;
  private final DurabilityGate gate;
  private final Rounds rounds;
  private final Lease lease;
  private boolean readAsked;
  private long confirmedRound;

  MajorityQuorum(CoreState s, LeaderRole leader, Sender sender, DurabilityGate gate) {
    this.s = s;
    this.leader = leader;
    this.sender = sender;
    this.gate = gate;
    rounds = new Rounds(s, leader, sender);
    lease = new Lease(s);
  }

  /**
   * {@inheritDoc} Who was told to take over may do so at any time in this term, whatever others
   * have promised.
   */
  @Override
  public long confirm(long nowMs) {
    if (lease.holds(nowMs) && !leader.changes().hasYielded()) {
      return confirmedRound;
    }
    readAsked = true;
    return sender.round() + 1;
  }

  @Override
  public long confirmed() {
    return confirmedRound;
  }

  @Override
  public void begun(long round) {
    lease.begun(round);
  }

  @Override
  public void flush() {
    if (rounds.begin(leader.changes().sendLimit(), readAsked)) {
      asked();
    }
  }

  private void asked() {
    if (readAsked) {
      readAsked = false;
      leader.witness().confirm();
    }
  }

  @Override
  public void beaten() {
    readAsked = false;
  }

  @Override
  public void answered(Progress by) {
    if (!by.witness) {
      promised(by);
    }
    long before = confirmedRound + s.commitIndex;
    advance();
    if (confirmedRound + s.commitIndex > before) {
      rounds.moved(by);
    }
    flush();
  }

  private void promised(Progress by) {
    if (by.promisedMs >= s.promiseMs()) {
      by.leasedRound = by.ackedRound;
    } else if (s.members.latest().isVoter(by.member)) {
      s.warnings.warn(
          "promise of " + by.member.name(),
          "%s promises to let no other lead for %d ms, and this leader counts on %d, so that queries may wait for others: set group.queryLeaseMs to the same on all members"
              .formatted(by.member.name(), by.promisedMs, s.promiseMs()));
    }
  }

  @Override
  public void advance() {
    long round = ofMajority(other -> other.ackedRound, sender.round());
    if (round > confirmedRound) {
      confirmedRound = round;
      s.effects.confirmed(round);
    }
    if (lease.isAsked()) {
      lease.answered(ofMajority(other -> other.leasedRound, sender.round()));
    }
    gate.durable(ofMajority(other -> other.durable, s.log.durableIndex()));
    leader.commit(agreed(ofMajority(other -> other.match, s.log.lastIndex())));
    leader.witness().advance();
  }

  /**
   * Entries before a change of the membership that is not committed need a majority of the voters
   * before it too: a power cut may take the change, synced nowhere yet, from the leader.
   */
  private long agreed(long reached) {
    long change = s.members.latestIndex();
    if (change <= s.commitIndex || Math.min(reached, gate.committedIndex()) >= change) {
      return reached;
    }
    Membership before = s.members.at(change - 1);
    if (before.equals(Membership.NONE)) {
      return reached; // the group's first entry, where this member had not met those it began with
    }
    return Math.min(reached, leader.ofMajority(before, other -> other.match, s.log.lastIndex()));
  }

  private long ofMajority(ToLongFunction<Progress> reached, long own) {
    return leader.ofMajority(s.members.latest(), reached, own);
  }

  /** Another majority may elect a leader now. */
  @Override
  public void changed() {
    rounds.widen();
    lease.end(sender.round());
  }

  @Override
  public void interrupted() {
    lease.end(sender.round());
  }

  @Override
  public void tick() {
    leader.witness().advance();
    if (rounds.tick(leader.changes().sendLimit())) {
      asked();
    }
    flush();
  }

  @Override
  public boolean isQuiet() {
    return !readAsked && !rounds.isAwaited();
  }

  @Override
  public boolean isLost() {
    return leader.answering() < s.members.latest().majority();
  }

  @Override
  public boolean mayAnswer(long nowMs) {
    return true;
  }

  @Override
  public void stoodStill() {}

  @Override
  public List<MemberId> doubtful() {
    return List.of();
  }

  @Override
  public boolean counts(MemberId voter) {
    return true;
  }

  @Override
  public boolean mayLead(Progress other) {
    return true;
  }
}
