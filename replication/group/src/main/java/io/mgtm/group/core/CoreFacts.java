package io.mgtm.group.core;

import java.util.List;
import java.util.Set;
import java.util.UUID;

/** What a core tells of itself and its group. Owner thread. */
public abstract class CoreFacts {
  final CoreState s;

  /** Not null exactly while this member leads. */
  LeaderRole leading;

  CoreFacts(CoreState state) {
    s = state;
  }

  /** Whether this member leads and its term start is committed. */
  public final boolean isServing() {
    return leading != null && leading.isServing();
  }

  /** Whether a transfer of the leadership is under way. */
  public final boolean isTransferring() {
    return leading != null && leading.changes().isTransferring();
  }

  public final long commitIndex() {
    return s.commitIndex;
  }

  /** Up to here entries are committed and cannot be lost with this member. */
  public final long stableIndex() {
    return s.stableIndex;
  }

  /** Of a leader: behind {@link #stableIndex} while no other member is there. */
  public final long sharedIndex() {
    return s.sharedIndex;
  }

  public final long lastIndex() {
    return s.log.lastIndex();
  }

  public final Role role() {
    return s.role;
  }

  public final long term() {
    return s.term();
  }

  /** The leader of the current term as far as known, or null. */
  public final MemberId leader() {
    return s.leader;
  }

  /** Whether a leader is at work as far as this member can tell. */
  public final boolean hearsLeader() {
    return s.hearsLeader();
  }

  /**
   * Why this member has no place in the group, as a voter or a learner, in words that follow its
   * name; empty when it has one or there is no group.
   */
  public final String outside() {
    return s.ownMembership.outside();
  }

  /** The names of those that may join and have not been let in yet. */
  public final Set<String> awaited() {
    return leading == null ? Set.of() : leading.changes().wanted();
  }

  /** What an operator should know of, a sentence each. */
  public final List<String> warnings() {
    return s.warnings.sentences();
  }

  /** How often this member was started on its folder, as it tells others. */
  public final long incarnation() {
    return s.record.incarnation();
  }

  /** The identity of the group that this member belongs to; null until it has had a leader. */
  public final UUID founding() {
    return s.record.founding();
  }

  public final DurabilityState durabilityState() {
    return s.record.durabilityState();
  }

  /** The newest membership in the log. */
  public final Membership membership() {
    return s.members.latest();
  }

  /** The membership as of a committed index that is not before the newest checkpoint. */
  public final Membership membershipAt(long index) {
    return s.members.at(index);
  }

  /** How far another member's log matches, as a leader knows it; -1 when it does not know. */
  public final long matchedIndex(MemberId member) {
    Progress progress = leading == null ? null : leading.progress(member);
    return progress == null ? -1 : progress.match;
  }

  /** Of a leader: whether nothing of a member was heard since the last connection to it broke. */
  public final boolean isUnheard(MemberId member) {
    Progress progress = leading == null ? null : leading.progress(member);
    return progress != null && progress.hinted;
  }

  /** With {@link Agreement#CONNECTED}: whether this member may lead without those that are gone. */
  public final boolean isInStep() {
    return s.inStep && s.isVoter();
  }
}
