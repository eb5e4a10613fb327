package io.mgtm.group.core;

import io.mgtm.group.Durability;
import io.mgtm.group.storage.DurabilityGate;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToLongFunction;

/**
 * A leader's term: what it appends, what the others have of it, what is committed. Owner thread.
 *
 * <p>Only entries of its own term are counted; its first entry, the term start, takes those of
 * older terms along.
 */
final class LeaderRole {
  private final CoreState s;
  private final Map<MemberId, Progress> others = new LinkedHashMap<>();
  private final Lease lease;
  private final Sender sender;
  private final Changes changes;
  private final WitnessLink witness;
  private final LagWatch lags;
  private final DurabilityGate gate;
  private final long termStart;
  private final boolean entriesMayBeMissing;
  private boolean serving;
  private boolean readAsked;
  private long confirmedRound;

  /** With {@link Agreement#CONNECTED}: the read index of the last read. */
  private long reads;

  /**
   * With {@link Agreement#CONNECTED}: nothing is acknowledged before all who are counted have
   * answered this round; 0 when nothing is waited for.
   */
  private long fenceRound;

  private long lastHeartbeatMs;

  LeaderRole(CoreState s, boolean entriesMayBeMissing) {
    this.s = s;
    this.entriesMayBeMissing = entriesMayBeMissing;
    s.settle(s.founding());
    s.role = Role.LEADER;
    if (s.record.durabilityState() != DurabilityState.INTACT) {
      s.save(s.record.withDurabilityState(DurabilityState.INTACT));
    }
    s.setLeader(s.self);
    termStart = s.log.lastIndex() + 1;
    gate = new DurabilityGate(termStart - 1);
    lease = new Lease(s);
    sender = new Sender(s, lease, others.values());
    changes = new Changes(s, this);
    witness = new WitnessLink(s, this, sender);
    lags = new LagWatch(s, this);
    follow(s.members.latest());
    s.inStep = true;
    lastHeartbeatMs = s.nowMs;
    TermStart start = new TermStart(entriesMayBeMissing, membershipToBegin());
    append(new Entry(s.term(), EntryKind.TERM_START, Durability.REQUIRED, start.encoded()));
    flush();
  }

  /** Only what the group has never spoken of is taken from one member's configuration. */
  private Membership membershipToBegin() {
    Membership latest = s.members.latest();
    boolean said = latest.durability().isPresent() || s.durability == latest.forces();
    return said ? latest : latest.withDurability(s.durability);
  }

  boolean isServing() {
    return serving;
  }

  Changes changes() {
    return changes;
  }

  Progress progress(MemberId member) {
    return others.get(member);
  }

  Collection<Progress> others() {
    return others.values();
  }

  /** Sends to those who are in a membership, from now on. */
  private void follow(Membership membership) {
    others.keySet().removeIf(member -> !membership.contains(member));
    for (MemberId member : membership.all()) {
      if (!member.equals(s.self)) {
        others.computeIfAbsent(
            member,
            absent ->
                new Progress(absent, membership.isWitness(absent), s.log.lastIndex() + 1, s.nowMs));
      }
    }
  }

  long append(Entry entry) {
    long index = s.append(entry);
    gate.appended(index, entry.durability());
    if (entry.durability() != Durability.BUFFERED) {
      s.log.requestForce();
    }
    if (entry.kind() != EntryKind.COMMAND) {
      follow(s.members.latest());
    }
    return index;
  }

  /** What a command is appended with that asks for so much. */
  Durability synced(Durability asked) {
    return witness.isNeeded() ? Durability.REQUIRED : s.members.latest().forces().atLeast(asked);
  }

  long termStart() {
    return termStart;
  }

  /** The read index of a read that comes now. */
  long confirm() {
    readAsked = true;
    return s.needsMajority() ? sender.round() + 1 : ++reads;
  }

  long confirmedRound() {
    return confirmedRound;
  }

  /** This member may have been left out: it asks the others, and acknowledges nothing meanwhile. */
  void stoodStill() {
    if (s.isLeased()) {
      lease.end(sender.round());
    } else {
      fenceRound = sender.round() + 1;
    }
    beat();
  }

  /** Whether no other can lead as far as this member knows. */
  boolean mayAnswer(long nowMs) {
    return !isFenced() && (!s.isLeased() || (lease.holds(nowMs) && !changes.isHandedOver()));
  }

  boolean isFenced() {
    return fenceRound > 0 && s.members.latest().voters().stream().anyMatch(this::isDoubtful);
  }

  private boolean isDoubtful(MemberId voter) {
    return !voter.equals(s.self) && counts(voter) && others.get(voter).ackedRound < fenceRound;
  }

  /** Whether a member is counted, and was not heard since this one stood still. */
  boolean isDoubtful(String name) {
    return s.members.latest().voters().stream()
        .anyMatch(voter -> voter.name().equals(name) && isDoubtful(voter));
  }

  /** An operator vouches that those who do not answer are dead. */
  Optional<String> acceptLoss() {
    List<MemberId> doubtful =
        s.members.latest().voters().stream().filter(this::isDoubtful).toList();
    for (MemberId voter : doubtful) {
      s.gone.add(voter.name());
      memberGone(voter.name());
    }
    return doubtful.isEmpty()
        ? Optional.of("%s leads, and waits for nobody".formatted(s.self.name()))
        : Optional.empty();
  }

  /** Sends what is not sent, and begins the round that reads wait for. */
  void flush() {
    boolean round = s.needsMajority() && readAsked;
    if (round || sender.hasUnsent(changes.sendLimit())) {
      sender.send(changes.sendLimit(), round);
      if (round) {
        witness.confirm();
      }
      readAsked &= !s.needsMajority();
    }
    advance();
  }

  void tick() {
    boolean majority = s.needsMajority() || s.isLeased();
    if (majority && answering() < s.members.latest().majority()) {
      s.follow(s.term(), null);
      s.awaitLeader();
      return;
    }
    changes.tick();
    if (s.needsMajority()) {
      witness.advance();
    }
    lags.tick();
    if (s.nowMs - lastHeartbeatMs >= s.settings.heartbeatMs()) {
      beat();
    }
  }

  private void beat() {
    lastHeartbeatMs = s.nowMs;
    for (Progress other : others.values()) {
      other.probeSent = false;
    }
    sender.send(changes.sendLimit(), true);
    others.values().forEach(sender::sendPiece);
    witness.beat();
    tellWhoIsInStep(true);
    readAsked &= !s.needsMajority();
    advance();
  }

  /** Tells members that may lead when this one is gone; again, should it have been lost. */
  private void tellWhoIsInStep(boolean again) {
    if (s.needsMajority()) {
      return;
    }
    for (Progress other : others.values()) {
      boolean due = again || other.toldIncarnation < other.incarnation;
      if (due && isInStep(other)) {
        other.toldIncarnation = other.incarnation;
        sender.send(other, new Message.CaughtUp(s.term(), other.incarnation));
      }
    }
  }

  /** With {@link Agreement#CONNECTED}: whether a member may lead when this one is gone. */
  boolean isInStep(Progress other) {
    // Before all know who is counted, the leader after a power cut among them, two could lead.
    return s.members.latestIndex() <= s.commitIndex
        && other.state == Progress.State.REPLICATE
        && other.match >= termStart
        && other.isCaughtUp()
        && !other.witness
        && counts(other.member);
  }

  /**
   * With {@link Agreement#CONNECTED}: whether entries wait for a voter. That one may lead when this
   * member is gone.
   */
  boolean counts(MemberId voter) {
    return voter.equals(s.self)
        || s.members.latest().isWitness(voter)
        || (s.members.latest().isVoter(voter)
            && !s.gone.contains(voter.name())
            && (answers(others.get(voter)) || !s.isLeased())
            && !others.get(voter).restarted);
  }

  boolean isAnsweredByWitness() {
    return witness.answers();
  }

  /** Another process has taken its place, or an operator has given it up. */
  void doNotCount(MemberId member) {
    if (!member.equals(s.self)) {
      others.get(member).restarted = true;
      advance();
    }
  }

  private long answering() {
    return s.members.latest().voters().stream()
        .filter(voter -> voter.equals(s.self) || answers(others.get(voter)))
        .count();
  }

  /** Somebody went away, so that nothing waits for it any more. */
  void memberGone(String name) {
    named(name).ifPresent(other -> other.hinted = true);
    changes.memberGone(name);
    advance();
  }

  /** Whether it has answered within an election timeout. */
  boolean answers(Progress other) {
    return s.nowMs - other.lastAckMs < s.settings.electionTimeoutMs();
  }

  void onReply(MemberId from, Message.AppendReply m) {
    Progress other = heard(from, m.incarnation(), m.durabilityState(), m.round());
    if (other == null) {
      return;
    }
    sender.answered(other, m);
    advance();
    changes.progressed(other);
    sender.sendMore(other, changes.sendLimit());
  }

  void onCheckpointReply(MemberId from, Message.CheckpointReply m) {
    Progress other = heard(from, m.incarnation(), m.durabilityState(), m.round());
    if (other != null
        && other.state == Progress.State.CHECKPOINT
        && other.checkpoint.index() == m.index()
        && m.nextOffset() >= 0
        && m.nextOffset() <= other.checkpoint.bytes()
        && m.nextOffset() != other.checkpointOffset) {
      // One that has no more than before is storing what was sent, or did not get it: it comes
      // again with the next heartbeat.
      other.checkpointOffset = m.nextOffset();
      sender.sendPiece(other);
    }
    advance();
  }

  private Progress heard(
      MemberId from, long incarnation, DurabilityState durabilityState, long round) {
    Progress other = others.get(from);
    if (other == null) {
      // What is sent to a name comes to whoever has it now.
      s.ownMembership.tell(from);
      return null;
    }
    if (!other.isCurrent(incarnation, durabilityState, s.log.lastIndex())) {
      sender.tellOlderCopy(other, incarnation);
      return null;
    }
    other.lastAckMs = s.nowMs;
    other.hinted = false;
    other.ackedRound = Math.max(other.ackedRound, round);
    return other;
  }

  /** Commits what a majority has by now. */
  void advance() {
    if (s.role != Role.LEADER) {
      return;
    }
    if (!s.needsMajority()) {
      advanceBySending();
      return;
    }
    long round = ofMajority(other -> other.ackedRound, sender.round());
    if (round > confirmedRound) {
      confirmedRound = round;
      s.effects.confirmed(round);
    }
    gate.durable(ofMajority(other -> other.durable, s.log.durableIndex()));
    commit(agreed(ofMajority(other -> other.match, s.log.lastIndex())));
    witness.advance();
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
    return Math.min(reached, ofMajority(before, other -> other.match, s.log.lastIndex()));
  }

  /** Commits what was sent to those that are counted. */
  private void advanceBySending() {
    if (s.isLeased()) {
      lease.answered(ofMajority(other -> other.ackedRound, sender.round()));
      witness.advanceBesideCounted();
    }
    if (!mayAnswer(s.nowMs)) {
      return;
    }
    s.inStep = true;
    boolean awaited = lease.takeAwaited();
    if (readAsked || fenceRound > 0 || awaited) {
      readAsked = false;
      fenceRound = 0;
      confirmedRound = reads;
      s.effects.confirmed(confirmedRound);
    }
    long sent = changes.sendLimit(); // what is held for a successor may be cut
    long had = sent;
    boolean shared = others.isEmpty();
    for (MemberId voter : s.members.latest().voters()) {
      if (!voter.equals(s.self) && !s.members.latest().isWitness(voter) && counts(voter)) {
        Progress other = others.get(voter);
        sent = Math.min(sent, other.sentIndex());
        had = Math.min(had, other.match);
        shared = true;
      }
    }
    gate.durable(Math.min(had, s.log.durableIndex()));
    tellWhoIsInStep(false);
    if (s.isLeased() && !witness.excludes()) {
      return;
    }
    commit(sent);
    s.stableIndex = Math.max(s.stableIndex, Math.min(had, s.commitIndex));
    if (shared) {
      s.sharedIndex = s.stableIndex;
    }
  }

  private void commit(long reached) {
    long covered = Math.min(reached, gate.committedIndex());
    if (covered < termStart) {
      return;
    }
    s.commit(covered);
    if (!serving) {
      serving = true;
      s.effects.leading(s.term(), entriesMayBeMissing);
    }
  }

  private long ofMajority(ToLongFunction<Progress> reached, long own) {
    return ofMajority(s.members.latest(), reached, own);
  }

  /** The highest number that a majority of the voters has reached; who was taken out has none. */
  private long ofMajority(Membership of, ToLongFunction<Progress> reached, long own) {
    long[] numbers =
        of.voters().stream()
            .mapToLong(
                voter ->
                    voter.equals(s.self)
                        ? own
                        : others.containsKey(voter) ? reached.applyAsLong(others.get(voter)) : 0)
            .sorted()
            .toArray();
    return numbers[numbers.length - of.majority()];
  }

  Optional<Progress> named(String name) {
    return others.values().stream().filter(other -> other.member.name().equals(name)).findFirst();
  }

  void sendTo(Progress other, Message message) {
    sender.send(other, message);
  }
}
