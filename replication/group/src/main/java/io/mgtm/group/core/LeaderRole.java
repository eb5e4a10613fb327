package io.mgtm.group.core;

import io.mgtm.group.Durability;
import io.mgtm.group.storage.DurabilityGate;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
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
  private final Sender sender;
  private final Changes changes;
  private final DurabilityGate gate;
  private final long termStart;
  private boolean serving;
  private boolean readAsked;
  private long confirmedRound;
  private long lastHeartbeatMs;

  LeaderRole(CoreState s, boolean entriesMayBeMissing) {
    this.s = s;
    s.role = Role.LEADER;
    if (s.record.standing() != Standing.INTACT) {
      s.save(s.record.withStanding(Standing.INTACT));
    }
    s.setLeader(s.self);
    termStart = s.log.lastIndex() + 1;
    gate = new DurabilityGate(termStart - 1);
    sender = new Sender(s, others.values());
    changes = new Changes(s, this);
    follow(s.members.latest());
    lastHeartbeatMs = s.nowMs;
    TermStart start = new TermStart(entriesMayBeMissing, s.members.latest());
    append(new Entry(s.term(), EntryKind.TERM_START, Durability.REQUIRED, start.encoded()));
    flush();
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
            member, absent -> new Progress(absent, s.log.lastIndex() + 1, s.nowMs));
      }
    }
  }

  long append(Entry entry) {
    s.log.append(entry);
    long index = s.log.lastIndex();
    gate.appended(index, entry.durability());
    if (entry.durability() != Durability.BUFFERED) {
      s.log.requestForce();
    }
    Membership membership = entry.membership();
    if (membership != null) {
      s.members.appended(index, membership);
      follow(membership);
    }
    return index;
  }

  /** The ticket of a read that comes now. */
  long confirm() {
    readAsked = true;
    return sender.round() + 1;
  }

  long confirmedRound() {
    return confirmedRound;
  }

  /** Sends what is not sent, and begins the round that reads wait for. */
  void flush() {
    if (readAsked || sender.hasUnsent(changes.sendLimit())) {
      sender.send(changes.sendLimit(), readAsked);
      readAsked = false;
    }
    advance();
  }

  void tick() {
    if (answering() < s.members.latest().majority()) {
      s.follow(s.term(), null);
      s.awaitLeader();
      return;
    }
    changes.tick();
    if (s.nowMs - lastHeartbeatMs >= s.settings.heartbeatMs()) {
      lastHeartbeatMs = s.nowMs;
      for (Progress other : others.values()) {
        other.probeSent = false;
      }
      sender.send(changes.sendLimit(), true);
      others.values().forEach(sender::sendPiece);
      readAsked = false;
      advance();
    }
  }

  private long answering() {
    return s.members.latest().voters().stream()
        .filter(voter -> voter.equals(s.self) || answers(others.get(voter)))
        .count();
  }

  /** Whether it has answered within an election timeout. */
  boolean answers(Progress other) {
    return s.nowMs - other.lastAckMs < s.settings.electionTimeoutMs();
  }

  void onReply(MemberId from, Message.AppendReply m) {
    Progress other = heard(from, m.incarnation(), m.round());
    if (other == null) {
      return;
    }
    if (m.matched()) {
      other.matched(m.index(), m.durableIndex());
    } else {
      refused(other, m);
    }
    if (m.standing() == Standing.FORCED_ONLY && other.isCaughtUp()) {
      sender.send(other, new Message.CaughtUp(s.term(), m.incarnation()));
    }
    advance();
    changes.progressed(other);
    sender.sendMore(other, changes.sendLimit());
  }

  void onCheckpointReply(MemberId from, Message.CheckpointReply m) {
    Progress other = heard(from, m.incarnation(), m.round());
    if (other != null
        && other.state == Progress.State.CHECKPOINT
        && other.checkpoint.index() == m.index()
        && m.nextOffset() >= 0
        && m.nextOffset() <= other.checkpoint.state().limit()) {
      other.checkpointOffset = m.nextOffset();
      sender.sendPiece(other);
    }
    advance();
  }

  private Progress heard(MemberId from, long incarnation, long round) {
    Progress other = others.get(from);
    if (other == null || !other.isCurrent(incarnation, s.log.lastIndex())) {
      return null;
    }
    other.lastAckMs = s.nowMs;
    other.ackedRound = Math.max(other.ackedRound, round);
    return other;
  }

  private void refused(Progress other, Message.AppendReply m) {
    if (other.state == Progress.State.CHECKPOINT && m.hintIndex() < other.checkpoint.index()) {
      return;
    }
    if (m.index() <= other.match
        || (other.state == Progress.State.PROBE && m.index() != other.next - 1)) {
      return; // an answer to something older
    }
    CoreLog log = s.log;
    if (m.hintIndex() > m.index()) {
      // Its log begins later, with a committed checkpoint.
      boolean contradicts =
          m.hintIndex() > log.lastIndex()
              || (m.hintIndex() >= log.baseIndex() && log.termAt(m.hintIndex()) != m.hintTerm());
      if (contradicts) {
        sender.send(other, new Message.Diverged(s.term(), m.hintIndex()));
      } else {
        other.probe(m.hintIndex() + 1);
      }
      return;
    }
    long index = Math.min(m.hintIndex(), log.lastIndex());
    while (index > log.baseIndex() && log.termAt(index) > m.hintTerm()) {
      index--;
    }
    other.probe(index + 1);
  }

  /** Commits what a majority has by now. */
  void advance() {
    if (s.role != Role.LEADER) {
      return;
    }
    long round = ofMajority(other -> other.ackedRound, sender.round());
    if (round > confirmedRound) {
      confirmedRound = round;
      s.effects.confirmed(round);
    }
    gate.durable(ofMajority(other -> other.durable, s.log.durableIndex()));
    long written = ofMajority(other -> other.match, s.log.lastIndex());
    long covered = Math.min(written, gate.committedIndex());
    if (covered < termStart) {
      return;
    }
    s.commit(covered);
    if (!serving) {
      serving = true;
      s.effects.leading(s.term());
    }
  }

  /** The highest number that a majority of the voters has reached. */
  private long ofMajority(ToLongFunction<Progress> reached, long own) {
    Membership membership = s.members.latest();
    long[] numbers = new long[membership.voters().size()];
    for (int i = 0; i < numbers.length; i++) {
      MemberId voter = membership.voters().get(i);
      numbers[i] = voter.equals(s.self) ? own : reached.applyAsLong(others.get(voter));
    }
    Arrays.sort(numbers);
    return numbers[numbers.length - membership.majority()];
  }

  Optional<Progress> named(String name) {
    return others.values().stream().filter(other -> other.member.name().equals(name)).findFirst();
  }

  void sendTo(Progress other, Message message) {
    sender.send(other, message);
  }
}
