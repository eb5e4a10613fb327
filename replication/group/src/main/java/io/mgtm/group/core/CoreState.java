package io.mgtm.group.core;

import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** What the roles of one member share. Owner thread. */
final class CoreState {
  final CoreSettings settings;
  final Agreement agreement;
  final MemberId self;

  /** The names that the operator configured, this member's among them. */
  final List<String> configured;

  final CoreLog log;
  final Effects effects;
  final MembershipHistory members;

  TermRecord record;
  Role role = Role.FOLLOWER;
  MemberId leader;
  long commitIndex;

  /** Committed, and on every member whose word counts: no later leader can be without it. */
  long stableIndex;

  /** Of a leader; what it alone has does not count. */
  long sharedIndex;

  /**
   * With {@link Agreement#CONNECTED}: names of members that went away while this one was in step.
   */
  final Set<String> gone = new HashSet<>();

  /** With {@link Agreement#CONNECTED}: whether a leader has counted this member since its start. */
  boolean inStep;

  long nowMs;
  long leaderHeardMs;
  long leaderlessSinceMs;
  long electionDeadlineMs;
  boolean stopped;

  /** Up to here the log is known to match that of the leader of the current term. */
  long verifiedIndex;

  /** The highest round seen of the leader of the current term. */
  long highestRound;

  private long jitterState;

  CoreState(
      CoreSettings settings,
      Agreement agreement,
      MemberId self,
      List<String> configured,
      CoreLog log,
      Effects effects,
      MembershipHistory members,
      TermRecord record,
      long seed) {
    this.settings = settings;
    this.agreement = agreement;
    this.self = self;
    this.configured = List.copyOf(configured);
    this.log = log;
    this.effects = effects;
    this.members = members;
    this.record = record;
    this.jitterState = seed;
    CoreLog.Checkpoint checkpoint = log.newestCheckpoint();
    this.commitIndex = checkpoint == null ? 0 : checkpoint.index();
    this.stableIndex = commitIndex;
  }

  long term() {
    return record.term();
  }

  long lastTerm() {
    return log.termAt(log.lastIndex());
  }

  void save(TermRecord changed) {
    effects.save(changed);
    record = changed;
  }

  /** Adopts a term that is not lower, and follows; the leader may be unknown. */
  void follow(long term, MemberId newLeader) {
    if (term > term()) {
      save(record.withTerm(term));
      verifiedIndex = 0;
      highestRound = 0;
    }
    role = Role.FOLLOWER;
    setLeader(newLeader);
  }

  void setLeader(MemberId newLeader) {
    if (newLeader != null) {
      leaderHeardMs = nowMs;
    }
    if (!Objects.equals(leader, newLeader)) {
      if (leader != null) {
        leaderlessSinceMs = nowMs;
      }
      leader = newLeader;
      effects.leaderChanged(newLeader, term());
    }
  }

  /** Whether a leader is at work as far as this member can tell. */
  boolean hearsLeader() {
    return role == Role.LEADER
        || (leader != null && nowMs - leaderHeardMs < settings.electionTimeoutMs());
  }

  /** Whether a log that ends so holds everything that this member's log must not lose. */
  boolean isUpToDate(long theirLastTerm, long theirLastIndex) {
    long mine = lastTerm();
    return theirLastTerm > mine || (theirLastTerm == mine && theirLastIndex >= log.lastIndex());
  }

  boolean isVoter() {
    return members.latest().isVoter(self);
  }

  /** The names of the others that get what is sent to voters. */
  List<String> otherVoters() {
    return members.latest().voters().stream()
        .filter(member -> !member.equals(self))
        .map(MemberId::name)
        .toList();
  }

  boolean needsMajority() {
    return agreement == Agreement.MAJORITY;
  }

  void commit(long index) {
    if (needsMajority() || role != Role.LEADER) {
      stableIndex = Math.max(stableIndex, index);
    }
    if (index > commitIndex) {
      commitIndex = index;
      effects.committed(index);
    }
  }

  void fail(String reason) {
    stopped = true;
    role = Role.FOLLOWER;
    leader = null;
    effects.failed(reason);
  }

  /** A number below a bound, another one each time; SplitMix64, so that a seed replays. */
  long jitter(long bound) {
    jitterState += 0x9E3779B97F4A7C15L;
    long z = jitterState;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return Math.floorMod(z ^ (z >>> 31), Math.max(1, bound));
  }

  void awaitLeader() {
    electionDeadlineMs = nowMs + settings.electionTimeoutMs() + jitter(settings.electionJitterMs());
  }
}
