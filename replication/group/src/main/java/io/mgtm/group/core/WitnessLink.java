package io.mgtm.group.core;

import java.util.List;

/**
 * What a leader has stored at the witness. Owner thread.
 *
 * <p>While another member that keeps data answers and has what is committed, the witness is asked
 * for nothing, and entries are committed by the two copies. When it does not, the end of the
 * leader's log is stored at the witness before anything is acknowledged: as far as it is on the
 * leader's own disk, because the witness cannot give it back, and never what is held for a
 * successor. Entries are synced then whatever they ask for, so that a leader that was alone is
 * intact after a power cut. One position is under way at a time.
 */
final class WitnessLink {
  private static final String ALONE = "alone";

  private final CoreState s;
  private final LeaderRole leader;
  private final Sender sender;
  private boolean needed;

  /** Since when no other member has what the leader acknowledges. */
  private long aloneSinceMs;

  /** Whether the witness is needed because the other member did not force what it had. */
  private boolean forceWasLate;

  /** The last position that was sent, 0 for none in this term. */
  private long asked;

  /**
   * What was committed at the last heartbeat. A member that has this is as near as it comes where
   * its answers take longer than the witness's.
   */
  private long committedAtBeat;

  /** Since when nothing was committed although something waits. */
  private long stillMs;

  private long committedThen;

  WitnessLink(CoreState s, LeaderRole leader, Sender sender) {
    this.s = s;
    this.leader = leader;
    this.sender = sender;
    this.stillMs = s.nowMs;
    this.aloneSinceMs = s.nowMs;
  }

  /** Whether the leader goes on with the witness alone. */
  boolean isNeeded() {
    return needed;
  }

  /** The witness, voting or a learner; null when there is none. */
  private Progress witness() {
    for (Progress other : leader.others()) {
      if (other.witness) {
        return other;
      }
    }
    return null;
  }

  /** Whether a witness votes, and has answered this leader lately. */
  boolean answers() {
    Progress witness = witness();
    return witness != null
        && s.members.latest().isVoter(witness.member)
        && witness.ackedRound > 0
        && leader.answers(witness);
  }

  /** Says again what was said, with the current round. */
  void beat() {
    committedAtBeat = s.commitIndex;
    Progress witness = witness();
    if (witness == null) {
      return;
    }
    boolean whole = witness.durabilityState == DurabilityState.INTACT;
    if (!whole || !s.members.latest().isVoter(witness.member)) {
      askUpTo(Math.min(end(), s.commitIndex));
    }
    sender.sendPosition(witness, asked);
  }

  /** Begins a round of reads, when no other member answers it. */
  void confirm() {
    Progress witness = witness();
    if (needed && witness != null) {
      sender.sendPosition(witness, asked);
    }
  }

  /** Looks whether the witness is needed now, and asks it for what can be asked. */
  void advance() {
    Progress witness = witness();
    boolean votes = witness != null && s.members.latest().isVoter(witness.member);
    needed = votes && !isCopied();
    s.alone = needed;
    forceWasLate &= needed;
    tell(witness, needed || (votes && isAheadOfAll(witness)));
    if (!needed) {
      return;
    }
    if (s.log.durableIndex() < leader.changes().sendLimit()) {
      s.log.requestForce();
    }
    if (witness.match >= asked && askUpTo(end())) {
      sender.sendPosition(witness, asked);
    }
  }

  /** Whether the witness votes for no other member. */
  private boolean isAheadOfAll(Progress witness) {
    return leader.others().stream()
        .noneMatch(
            other ->
                !other.witness
                    && s.members.latest().isVoter(other.member)
                    && other.match >= witness.match);
  }

  /** Tells the operator when no other member could lead for a while. */
  private void tell(Progress witness, boolean alone) {
    if (!alone) {
      aloneSinceMs = s.nowMs;
      s.warnings.clear(ALONE);
    } else if (s.nowMs - aloneSinceMs >= s.settings.electionTimeoutMs()) {
      s.warnings.warn(
          ALONE,
          "%s goes on with the witness %s alone: no other member has what it acknowledges. Bring the other member back before this machine is stopped"
              .formatted(s.self.name(), witness.member.name()));
    }
  }

  /**
   * With {@link Agreement#CONNECTED}: the entry that leaves a member with data out; or the term
   * start of a leader that found one left out and does not know whether the witness has heard.
   */
  private long excludedAt() {
    return isWhole() ? 0 : Math.max(s.members.latestIndex(), leader.termStart());
  }

  private boolean isWhole() {
    Membership now = s.members.latest();
    return now.learners().stream().allMatch(now::isWitness) && now.dataVoters().size() > 1;
  }

  /** Has the witness store what leaves a member out. */
  void advanceBesideCounted() {
    Progress witness = witness();
    needed = witness != null && witness.match < excludedAt();
    tell(witness, witness != null && !isWhole());
    if (!needed) {
      return;
    }
    if (s.log.durableIndex() < excludedAt()) {
      s.log.requestForce();
    }
    if (witness.match >= asked && askUpTo(end())) {
      sender.sendPosition(witness, asked);
    }
  }

  /** Whether nobody who is not counted can be elected. */
  boolean excludes() {
    Progress witness = witness();
    return s.members.latest().dataVoters().stream().allMatch(leader::counts)
        && (witness == null || witness.match >= excludedAt());
  }

  private long end() {
    return Math.min(leader.changes().sendLimit(), s.log.durableIndex());
  }

  /** Only positions of this term: those before it stand for another leader's log. */
  private boolean askUpTo(long index) {
    boolean further = index > asked && index >= leader.termStart();
    asked = further ? index : asked;
    return further;
  }

  private boolean isCopied() {
    long waitsFor = leader.changes().sendLimit();
    if (s.commitIndex != committedThen || s.commitIndex >= waitsFor) {
      committedThen = s.commitIndex;
      stillMs = s.nowMs;
    }
    List<Progress> copies =
        leader.others().stream()
            .filter(other -> !other.witness && s.members.latest().isVoter(other.member))
            .filter(other -> leader.answers(other) && !other.hinted)
            .filter(other -> other.state == Progress.State.REPLICATE)
            .toList();
    if (needed) {
      return copies.stream().anyMatch(this::hasAll);
    }
    boolean stuck = s.nowMs - stillMs >= s.settings.electionTimeoutMs();
    forceWasLate = stuck && !copies.isEmpty();
    return !stuck && !copies.isEmpty();
  }

  /** One whose disk is slow would be waited for again and again, once it had all in memory. */
  private boolean hasAll(Progress other) {
    return other.match >= committedAtBeat && (!forceWasLate || other.durable >= committedAtBeat);
  }
}
