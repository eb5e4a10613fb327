package io.mgtm.group.core;

import io.mgtm.group.Durability;
import io.mgtm.group.DurabilityMode;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** What the roles of one member share. Owner thread. */
final class CoreState {
  final CoreSettings settings;
  final Agreement agreement;
  final MemberId self;

  final Configured configured;

  /** What the operator configured; a leader says it where nobody has said anything. */
  final DurabilityMode durability;

  final CoreLog log;
  final Effects effects;
  final MembershipHistory members;
  final Warnings warnings;

  /** Made once the time is known. */
  OwnMembership ownMembership;

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

  /**
   * With {@link Agreement#CONNECTED}: voters whose names other folders have taken, while this
   * member was in step. They do not come back, as if they had gone away.
   */
  private final Set<MemberId> replaced = new HashSet<>();

  /** With {@link Agreement#CONNECTED}: whether a leader has counted this member since its start. */
  boolean inStep;

  long nowMs;

  /** Whether this member may have stood still together with its clock. */
  boolean interrupted;

  long leaderHeardMs;

  /** Whether there was a leader in this process's time. */
  private boolean everHeard;

  long leaderlessSinceMs;
  long electionDeadlineMs;
  boolean stopped;

  /** Up to here the log is known to match that of the leader of the current term. */
  long verifiedIndex;

  /** The highest round seen of the leader of the current term. */
  long highestRound;

  /** When this process began, which knows nothing of what the one before it promised a leader. */
  private final long startedMs;

  /** Whether one of them may have promised anything; where votes are counted, one with a term. */
  private final boolean startedAgain;

  /** Of a leader: whether it and the witness go on without another copy of the log. */
  boolean alone;

  /** Others may count on entries up to here before they are on disk. */
  private long unsyncedUpTo;

  private long jitterState;

  CoreState(GroupCore.Start start, long nowMsAtStart) {
    this.settings = start.settings();
    this.agreement = start.agreement();
    this.self = start.self();
    this.configured = start.configured();
    this.durability = start.durability();
    this.log = start.log();
    this.effects = start.effects();
    this.members = start.members();
    this.record = start.record();
    this.warnings = new Warnings(effects);
    this.jitterState = start.seed();
    this.startedMs = nowMsAtStart;
    this.startedAgain = !needsMajority() || record.term() > 0;
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

  /** The identity of this member's group; null while it has none. */
  UUID founding() {
    return isSettled() ? record.founding() : record.initial().founding();
  }

  /** Whether this member has had a leader. Before, it may have met others in vain. */
  boolean isSettled() {
    return record.founding() != null;
  }

  /** The group that this member has met has a leader; so no other that it met ever has one. */
  void settle(UUID founding) {
    if (isSettled() || founding == null) {
      return;
    }
    boolean another = !founding.equals(founding());
    save(record.withFounding(founding));
    if (another && log.lastIndex() == 0) {
      members.reset(0, Membership.NONE);
    }
  }

  /** Whether a message comes of a group that was founded otherwise than this member's. */
  boolean isForeign(Message message) {
    UUID own = founding();
    return own != null && message.founding() != null && !own.equals(message.founding());
  }

  /**
   * Appends an entry.
   *
   * @return its index
   */
  long append(Entry entry) {
    boolean unsynced = entry.durability() != Durability.REQUIRED;
    if (unsynced && record.synced()) {
      save(record.withSynced(false));
    }
    log.append(entry);
    long index = log.lastIndex();
    unsyncedUpTo = unsynced ? index : unsyncedUpTo;
    Membership membership = entry.membership();
    if (membership != null) {
      members.appended(index, membership);
    }
    return index;
  }

  /** Cuts all entries from an index on. */
  void truncate(long fromIndex) {
    log.truncate(fromIndex);
    members.truncated(fromIndex);
    unsyncedUpTo = Math.min(unsyncedUpTo, fromIndex - 1);
  }

  /** More is on disk; whether all is that others count on is worth storing where it stays so. */
  void synced() {
    if (!record.synced()
        && (alone || members.latest().forces() == DurabilityMode.ALL)
        && log.durableIndex() >= unsyncedUpTo) {
      save(record.withSynced(true));
    }
  }

  /** With {@link Agreement#CONNECTED}: a member shows up, maybe in the place of a voter. */
  void showsUp(MemberId member) {
    replaced.remove(member);
    if (!needsMajority() && inStep && !members.latest().contains(member)) {
      members.latest().named(member.name()).ifPresent(replaced::add);
    }
  }

  /** With {@link Agreement#CONNECTED}: whether a voter's word is not waited for. */
  boolean isLetGo(MemberId voter) {
    return gone.contains(voter.name()) || replaced.contains(voter);
  }

  /** With {@link Agreement#CONNECTED}: who went away meanwhile is not known. */
  void forgetWhoIsGone() {
    gone.clear();
    replaced.clear();
  }

  /** Adopts a term that is not lower, and follows; the leader may be unknown. */
  void follow(long term, MemberId newLeader) {
    if (term > term()) {
      save(record.withTerm(term));
      verifiedIndex = 0;
      highestRound = 0;
    }
    role = Role.FOLLOWER;
    alone = false;
    setLeader(newLeader);
  }

  void setLeader(MemberId newLeader) {
    if (newLeader != null) {
      leaderHeardMs = nowMs;
      everHeard = true;
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

  /** Of a member that does not lead: until it would miss its leader; 0 when it does already. */
  long quietMs() {
    boolean follows = role == Role.FOLLOWER && hearsLeader();
    return follows ? Math.max(0, electionDeadlineMs - nowMs) : 0;
  }

  /**
   * How often the members of a group that rests hear of each other; leases and witnesses need more.
   */
  long restMs() {
    boolean byMajority = needsMajority() && !members.latest().hasWitness();
    return byMajority ? settings.restMs() : settings.heartbeatMs();
  }

  /** Whether a log that ends so holds everything that this member's log must not lose. */
  boolean isUpToDate(long theirLastTerm, long theirLastIndex) {
    long mine = lastTerm();
    return theirLastTerm > mine || (theirLastTerm == mine && theirLastIndex >= log.lastIndex());
  }

  boolean hasNoMembership() {
    return members.latest().equals(Membership.NONE);
  }

  /** Whether this member votes and keeps no data. Its folder is made so, and stays so. */
  boolean isWitness() {
    return configured.isWitness(self.name());
  }

  /** Whether nobody but this member votes. */
  boolean isOnly(Membership of) {
    return of.voters().size() == 1 && of.voters().get(0).equals(self);
  }

  boolean isVoter() {
    return members.latest().isVoter(self);
  }

  /**
   * The others that a candidate asks: voters, and beside a witness of {@link Agreement#CONNECTED}
   * learners, whose votes count when an operator says so.
   */
  List<MemberId> othersAsked() {
    Membership latest = members.latest();
    return latest.all().stream()
        .filter(member -> !member.equals(self))
        .filter(member -> latest.isVoter(member) || isLeased())
        .toList();
  }

  /** With {@link Agreement#CONNECTED}: whether this member has looked at the time lately. */
  boolean isAwake(long now) {
    return needsMajority() || (!interrupted && now - nowMs < settings.standstillMs());
  }

  /**
   * Notes the time.
   *
   * @return for how long this member has not looked
   */
  long look(long now) {
    long before = nowMs;
    nowMs = Math.max(nowMs, now);
    interrupted = false;
    return nowMs - before;
  }

  /** Why a member that does not lead does not do what it is asked. */
  Optional<String> notLeading() {
    return Optional.of(
        leader == null
            ? "The group has no leader now; try again"
            : "This member does not lead; ask %s".formatted(leader.name()));
  }

  /**
   * With {@link Agreement#CONNECTED}: whether the pair has a witness, so that a leader needs a
   * majority, and serves under a lease. So it is, too, while the witness does not vote, since its
   * disk was lost; and one that is taken out may vote for another until all know that.
   */
  boolean isLeased() {
    return !needsMajority()
        && !(members.latest().witness().isEmpty() && members.at(commitIndex).witness().isEmpty());
  }

  /**
   * Until then this member lets no other lead than the one it heard last: that one serves, or
   * reads, in the belief that it does. What it promised before its own start it does not know; nor
   * what a witness whose folder may be an older copy has voted and vouched for, which a leader can
   * tell it until then.
   */
  long promisedUntilMs() {
    if (isWitness() && !everHeard) {
      return startedMs + settings.electionTimeoutMs();
    }
    boolean bound = needsMajority() ? !isWitness() && !isOnly(members.latest()) : isLeased();
    if (!bound) {
      return Long.MIN_VALUE;
    }
    long ofFormer = startedAgain ? startedMs + settings.promiseMaxMs() : Long.MIN_VALUE;
    return everHeard ? Math.max(ofFormer, leaderHeardMs + promiseMs()) : ofFormer;
  }

  /** How long it lets no other lead than the one that it has just heard. */
  long promiseMs() {
    return settings.promiseMs(agreement);
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

  /** For as long as there is anybody else to hear of. */
  void awaitLeader() {
    if (isOnly(members.latest())) {
      electionDeadlineMs = nowMs;
      return;
    }
    electionDeadlineMs = nowMs + settings.electionTimeoutMs() + jitter(settings.electionJitterMs());
  }

  /**
   * Nobody leads, as all know by now: members try one after the other, the first one as soon as it
   * may.
   *
   * @param gone who led, or null
   */
  void awaitTurn(MemberId gone) {
    long rank =
        members.latest().dataVoters().stream()
            .filter(member -> !member.equals(gone) && member.compareTo(self) < 0)
            .count();
    long stagger = settings.hintStaggerMs();
    long fromMs = Math.max(nowMs, promisedUntilMs());
    electionDeadlineMs = fromMs + rank * stagger + (rank == 0 ? 0 : jitter(stagger / 2));
  }
}
