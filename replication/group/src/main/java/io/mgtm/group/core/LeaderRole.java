package io.mgtm.group.core;

import io.mgtm.group.Durability;
import io.mgtm.group.storage.DurabilityGate;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
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
  private final Sender sender;
  private final Quorum quorum;
  private final Changes changes;
  private final WitnessLink witness;
  private final LagWatch lags;
  private final DurabilityGate gate;
  private final long termStart;
  private final boolean entriesMayBeMissing;
  private boolean serving;
  private long lastHeartbeatMs;

  /** Others have heard that entries are stable up to here. */
  private long saidStable;

  /**
   * One that has just been elected.
   *
   * @param begins who belongs to the group from its first entry on
   */
  LeaderRole(CoreState s, boolean entriesMayBeMissing, Membership begins) {
    this.s = s;
    this.entriesMayBeMissing = entriesMayBeMissing;
    s.settle(s.founding());
    s.role = Role.LEADER;
    s.setLeader(s.self);
    termStart = s.log.lastIndex() + 1;
    gate = new DurabilityGate(termStart - 1);
    sender = new Sender(s, this::begun, others.values());
    quorum =
        s.needsMajority()
            ? new MajorityQuorum(s, this, sender, gate)
            : new ConnectedQuorum(s, this, sender, gate);
    changes = new Changes(s, this);
    witness = new WitnessLink(s, this, sender);
    lags = new LagWatch(s, this);
    follow(s.members.latest());
    s.inStep = true;
    lastHeartbeatMs = s.nowMs;
    TermStart start = new TermStart(entriesMayBeMissing, withDurability(begins));
    append(new Entry(s.term(), EntryKind.TERM_START, Durability.REQUIRED, start.encoded()));
    flush();
  }

  /** Only what the group has never spoken of is taken from one member's configuration. */
  private Membership withDurability(Membership latest) {
    boolean said = latest.durability().isPresent() || s.durability == latest.forces();
    return said ? latest : latest.withDurability(s.durability);
  }

  boolean isServing() {
    return serving;
  }

  /** Whether nothing about the group is changing. */
  boolean isSteady() {
    return serving
        && !changes.isTransferring()
        && s.members.latest().learners().isEmpty()
        && s.members.latestIndex() <= s.commitIndex;
  }

  /** While nothing is under way and all others that answer have everything: until it beats. */
  long quietMs() {
    return isQuiet() ? Math.max(0, lastHeartbeatMs + beatMs() - s.nowMs) : 0;
  }

  private boolean isQuiet() {
    return isSteady() && quorum.isQuiet() && others.values().stream().allMatch(this::hasAll);
  }

  /** Others that know all are told seldom that this member leads. */
  private long beatMs() {
    return saidStable == s.log.lastIndex() && isQuiet() ? s.restMs() : s.settings.heartbeatMs();
  }

  private boolean hasAll(Progress other) {
    return other.witness || !answers(other) || other.match == s.log.lastIndex();
  }

  Changes changes() {
    return changes;
  }

  void excuse(Set<String> names) {
    lags.excuse(names);
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
      quorum.changed();
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

  /** A member that was spared may need all now. */
  void sendToAll() {
    quorum.changed();
    flush();
  }

  private void begun(long round) {
    quorum.begun(round);
  }

  /** The read index of a read that has been done. */
  long confirm(long nowMs) {
    return quorum.confirm(nowMs);
  }

  void interrupted() {
    quorum.interrupted();
  }

  long confirmed() {
    return quorum.confirmed();
  }

  WitnessLink witness() {
    return witness;
  }

  /** It has not looked for so long; when that is long, others may have answered meanwhile. */
  void resumed(long unseenMs) {
    if (unseenMs >= s.settings.electionTimeoutMs() / 2) {
      others.values().forEach(other -> other.excuse(unseenMs));
    }
  }

  /** This member may have been left out. */
  void stoodStill() {
    quorum.stoodStill();
    beat();
  }

  /** Whether no other can lead as far as this member knows. */
  boolean mayAnswer(long nowMs) {
    return quorum.mayAnswer(nowMs);
  }

  boolean isFenced() {
    return !quorum.doubtful().isEmpty();
  }

  /** Whether a member is counted, and was not heard since this one stood still. */
  boolean isDoubtful(String name) {
    return quorum.doubtful().stream().anyMatch(voter -> voter.name().equals(name));
  }

  /** An operator vouches that those who do not answer are dead. */
  Optional<String> acceptLoss() {
    List<MemberId> doubtful = quorum.doubtful();
    for (MemberId voter : doubtful) {
      s.gone.add(voter.name());
      memberGone(voter.name());
    }
    return doubtful.isEmpty()
        ? Optional.of("%s leads, and waits for nobody".formatted(s.self.name()))
        : Optional.empty();
  }

  /** Sends what is not sent, and asks for what reads wait for; now, or with the next round. */
  void flush() {
    quorum.flush();
    advance();
  }

  void tick() {
    if (quorum.isLost()) {
      s.follow(s.term(), null);
      s.awaitLeader();
      return;
    }
    changes.tick();
    quorum.tick();
    lags.tick();
    long silentMs = s.nowMs - lastHeartbeatMs;
    if (silentMs >= s.settings.heartbeatMs() && silentMs >= beatMs()) {
      beat();
    }
  }

  private void beat() {
    lastHeartbeatMs = s.nowMs;
    saidStable = s.stableIndex;
    for (Progress other : others.values()) {
      other.probeSent = false;
    }
    sender.send(changes.sendLimit(), true, true);
    others.values().forEach(sender::sendPiece);
    witness.beat();
    quorum.beaten();
    advance();
  }

  /** Whether entries wait for a voter: that one may lead when this member is gone. */
  boolean counts(MemberId voter) {
    return quorum.counts(voter);
  }

  /** Whether a member that has all may lead when this one is gone. */
  boolean mayLead(Progress other) {
    return quorum.mayLead(other);
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

  /** How many voters have answered lately, this one included. */
  long answering() {
    return s.members.latest().voters().stream()
        .filter(voter -> voter.equals(s.self) || answers(others.get(voter)))
        .count();
  }

  /** A connection to a member broke, which may be nobody's death. */
  void connectionBroken(String name) {
    named(name).ifPresent(other -> other.hinted = true);
  }

  /** Somebody went away, so that nothing waits for it any more. */
  void memberGone(String name) {
    connectionBroken(name);
    quorum.changed();
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
    quorum.answered(other);
    changes.progressed(other);
    sender.sendMore(other);
  }

  /** It is no answer: what waits for the member's answers goes on as if it were silent. */
  void onNoRoom(MemberId from, Message.NoRoom m) {
    Progress other = others.get(from);
    if (other != null && m.incarnation() == other.incarnation) {
      lags.hasNoRoom(from);
    }
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
    if (!other.isCurrent(incarnation, durabilityState, s)) {
      sender.tellOlderCopy(other, incarnation);
      return null;
    }
    other.answered(s.nowMs);
    other.ackedRound = Math.max(other.ackedRound, round);
    return other;
  }

  /** Commits what may be by now. */
  void advance() {
    if (s.role == Role.LEADER) {
      quorum.advance();
    }
  }

  /** Commits up to an index, as far as what was asked to be on disk is. */
  void commit(long reached) {
    long covered = Math.min(reached, gate.committedIndex());
    if (covered < termStart) {
      return;
    }
    s.commit(covered);
    if (!serving) {
      serving = true;
      // Not before: should it die, its term start, which may say what is missing, may go with it.
      if (s.record.durabilityState() != DurabilityState.INTACT) {
        s.save(s.record.withDurabilityState(DurabilityState.INTACT));
      }
      s.effects.leading(s.term(), entriesMayBeMissing);
    }
  }

  /** The highest number that a majority of the voters has reached; who was taken out has none. */
  long ofMajority(Membership of, ToLongFunction<Progress> reached, long own) {
    if (s.isOnly(of)) {
      return own;
    }
    long[] numbers = new long[of.voters().size()];
    int count = 0;
    for (MemberId voter : of.voters()) {
      Progress other = others.get(voter);
      numbers[count++] =
          voter.equals(s.self) ? own : other == null ? 0 : reached.applyAsLong(other);
    }
    Arrays.sort(numbers);
    return numbers[numbers.length - of.majority()];
  }

  Optional<Progress> named(String name) {
    return others.values().stream().filter(other -> other.member.name().equals(name)).findFirst();
  }

  void sendTo(Progress other, Message message) {
    sender.send(other, message);
  }
}
