package io.mgtm.group.core;

import io.mgtm.group.Durability;
import io.mgtm.group.DurabilityMode;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.Set;

/**
 * One member's part in the group: what comes in goes to the role that the member has. Owner thread;
 * none of the methods is called from within {@link CoreLog} or {@link Effects}.
 */
public final class GroupCore extends CoreFacts {
  private final Bootstrap bootstrap;
  private final Elections elections;
  private final Voter voter;
  private final FollowerRole follower;
  private final WitnessRole witness;
  private final Foreigners foreigners;

  /** What the core is given when it starts. */
  public record Start(
      CoreSettings settings,
      Agreement agreement,
      MemberId self,
      Configured configured,
      DurabilityMode durability,
      CoreLog log,
      Effects effects,
      MembershipHistory members,
      TermRecord record,
      long seed) {}

  /** A core that follows nobody yet. The record is on disk; the seed is another at every start. */
  public GroupCore(Start start, long nowMs) {
    super(new CoreState(start, nowMs));
    s.nowMs = nowMs;
    s.leaderlessSinceMs = nowMs;
    s.ownMembership = new OwnMembership(s);
    s.awaitLeader();
    bootstrap = new Bootstrap(s);
    elections = new Elections(s);
    voter = new Voter(s);
    follower = new FollowerRole(s);
    witness = new WitnessRole(s);
    foreigners = new Foreigners(s);
  }

  /** To be called every few milliseconds, or after {@link #quietMs}. */
  public void tick(long nowMs) {
    if (!begin(nowMs)) {
      return;
    }
    s.warnings.tick(s.nowMs);
    s.ownMembership.tick();
    bootstrap.tick();
    if (leading != null) {
      leading.tick();
    } else if (elections.tick()) {
      lead();
    }
    end();
  }

  /**
   * For how long nothing needs the time unless something comes in; 0 while anything is under way.
   * Never longer than members of a group that rests do not hear of each other.
   */
  public long quietMs() {
    return Math.min(s.restMs(), leading == null ? s.quietMs() : leading.quietMs());
  }

  private boolean begin(long nowMs) {
    boolean awake = s.isAwake(nowMs);
    long unseenMs = s.look(nowMs);
    if (leading != null) {
      leading.resumed(unseenMs);
    }
    if (!awake && !s.stopped) {
      elections.stoodStill();
      if (leading != null) {
        leading.stoodStill();
      }
    }
    return !s.stopped;
  }

  /** The process may have stood still, which the time that is passed in does not show. */
  public void interrupted() {
    s.interrupted = true;
    if (leading != null) {
      leading.interrupted();
    }
  }

  /** As {@link io.mgtm.group.ReplicatedLog#mayAnswer}. */
  public boolean mayAnswer(long nowMs) {
    return s.isAwake(nowMs) && (leading == null || leading.mayAnswer(nowMs));
  }

  private void end() {
    if (s.role != Role.LEADER) {
      if (leading != null && leading.isFenced()) {
        s.forgetWhoIsGone(); // who has gone since it stood still is not known
      }
      leading = null;
    }
  }

  private void lead() {
    if (!s.log.hasRoom()) {
      s.follow(s.term(), null);
      s.awaitLeader();
      return;
    }
    boolean missing = elections.won();
    leading = new LeaderRole(s, missing, elections.membershipToBegin());
    elections.givenUp().forEach(leading::doNotCount);
  }

  /** The failure detection says that a member is gone; it may be wrong. */
  public void peerDown(long nowMs, String name) {
    if (!begin(nowMs) || (leading != null && leading.isDoubtful(name))) {
      return; // this member stood still, and may be the one that the others have left out
    }
    if (!s.needsMajority() && (s.inStep || leading != null)) {
      s.gone.add(name);
    }
    if (leading != null) {
      leading.memberGone(name);
    } else if (elections.onMemberGone(name)) {
      lead();
    }
    end();
  }

  /** A member's connection has ended, which may be nobody's death. */
  public void connectionBroken(long nowMs, String name) {
    if (begin(nowMs)) {
      if (leading != null) {
        leading.connectionBroken(name);
      } else if (elections.onConnectionBroken(name)) {
        lead();
      }
    }
    end();
  }

  /** A member that was gone is there again, or another process of its name. */
  public void peerUp(long nowMs, String name) {
    if (begin(nowMs)) {
      s.gone.remove(name);
      bootstrap.peerUp();
    }
  }

  /** Another process of this member's name is there, at a place; or none, when that is empty. */
  public void rival(String place) {
    s.ownMembership.rival(place);
  }

  /** Of a witness: a leader is at work that another speaks with, so that no other is elected. */
  public void leaderSeen(long nowMs, MemberId leader, long term) {
    if (begin(nowMs) && term == s.term() && (s.leader == null || s.leader.equals(leader))) {
      s.follow(term, leader);
      s.awaitLeader();
    }
    end();
  }

  /** A message of another member. */
  public void receive(long nowMs, MemberId from, Message message) {
    if (!begin(nowMs) || from.equals(s.self)) {
      return;
    }
    if (message instanceof Message.Foreign m) {
      foreigners.onForeign(from, m);
    } else if (foreigners.refuses(from, message)) {
      return;
    } else if (message instanceof Message.Hello m) {
      bootstrap.onHello(from, m);
      s.ownMembership.tell(from);
      elections.onHello(from);
      if (leading != null) {
        leading.changes().onHello(from);
      }
    } else if (message instanceof Message.HelloReply m) {
      bootstrap.onReply(from, m);
    } else if (message instanceof Message.NotAMember m) {
      s.ownMembership.onTold(m);
    } else if (message instanceof Message.PreVote m) {
      voter.onPreVote(from, m);
      s.ownMembership.tell(from);
    } else if (message instanceof Message.Vote m) {
      if (leading != null && m.transfer() && m.term() > s.term()) {
        leading.changes().yieldTo(from);
      }
      voter.onVote(from, m);
      s.ownMembership.tell(from);
    } else {
      receiveOfTerm(from, message);
    }
    end();
  }

  /** Messages after which this member is never behind the sender's term. */
  private void receiveOfTerm(MemberId from, Message message) {
    boolean ofLeader = Foreigners.isOfLeader(message);
    if (message.term() < s.term()) {
      if (ofLeader) {
        follower.refuseOldTerm(from);
      } else if (message instanceof Message.PreVoteReply) {
        receiveOfElection(from, message);
      }
      return;
    }
    if (ofLeader) {
      if (s.role == Role.LEADER && message.term() == s.term()) {
        s.fail(
            "Two members lead in term %d, %s and this one; stop the group and report it"
                .formatted(s.term(), from));
        return;
      }
      s.settle(message.founding());
      s.follow(message.term(), from);
      s.awaitLeader();
    } else if (message.term() > s.term()) {
      s.follow(message.term(), null);
    }
    end();
    if (ofLeader) {
      store(from, message);
    } else if (message instanceof Message.CaughtUp m) {
      follower.onCaughtUp(m);
    } else if (message instanceof Message.OlderCopy m) {
      follower.onOlderCopy(from, m);
    } else if (message instanceof Message.Diverged m) {
      follower.onDiverged(m);
    } else if (message instanceof Message.AppendReply m && leading != null) {
      leading.onReply(from, m);
    } else if (message instanceof Message.NoRoom m && leading != null) {
      leading.onNoRoom(from, m);
    } else if (message instanceof Message.CheckpointReply m && leading != null) {
      leading.onCheckpointReply(from, m);
    } else {
      receiveOfElection(from, message);
    }
  }

  private void store(MemberId leader, Message message) {
    Message.CheckpointPiece piece = message instanceof Message.CheckpointPiece m ? m : null;
    if (s.isWitness()) {
      if (piece == null) {
        witness.warnOfEntries(leader);
      } else {
        witness.onPosition(leader, piece);
      }
    } else if (piece != null) {
      follower.onPiece(leader, piece);
    } else {
      follower.onAppend(leader, (Message.Append) message);
    }
  }

  private void receiveOfElection(MemberId from, Message message) {
    boolean won =
        (message instanceof Message.PreVoteReply asked && elections.onPreVoteReply(from, asked))
            || (message instanceof Message.VoteReply vote && elections.onVoteReply(from, vote))
            || (message instanceof Message.TransferNow now && elections.onTransfer(now));
    if (won) {
      lead();
    }
  }

  /** More of the log is on disk. */
  public void synced(long nowMs) {
    if (!begin(nowMs)) {
      return;
    }
    s.synced();
    if (leading != null) {
      leading.advance();
    } else {
      follower.synced();
    }
    end();
  }

  /**
   * What {@link CoreLog#receive} was given is stored up to an offset, 0 when it could not be; or,
   * when {@code ready}, all of it may be installed.
   */
  public void received(long nowMs, CoreLog.Checkpoint of, long offset, boolean ready) {
    if (begin(nowMs)) {
      follower.received(of, offset, ready);
      end();
    }
  }

  /**
   * Appends a command of the state machine; sent by the next {@link #flush}.
   *
   * @param asked what the group's durability may raise
   * @return its index
   * @throws IllegalStateException when this member does not serve as leader
   */
  public long append(ByteBuffer payload, Durability asked) {
    if (!isServing()) {
      throw new IllegalStateException("append on a member that does not lead");
    }
    return leading.append(new Entry(s.term(), EntryKind.COMMAND, leading.synced(asked), payload));
  }

  /**
   * Asks for confirmation that this member still leads, but under a lease; sent by {@link #flush}.
   *
   * @param nowMs a look at the clock after the state was read
   * @return a read index, confirmed once {@link #confirmedReadIndex} has reached it
   * @throws IllegalStateException when this member does not serve as leader
   */
  public long confirm(long nowMs) {
    if (!isServing()) {
      throw new IllegalStateException("a read on a member that does not lead");
    }
    return leading.confirm(nowMs);
  }

  public long confirmedReadIndex() {
    return leading == null ? 0 : leading.confirmed();
  }

  /** Commits what needs nobody's answer. */
  public void advance() {
    if (leading != null) {
      leading.advance();
    }
  }

  /** Sends what was appended and asked for. */
  public void flush(long nowMs) {
    if (begin(nowMs) && leading != null) {
      leading.flush();
    }
    end();
  }

  /**
   * Hands the leadership to another member, when that has everything.
   *
   * @return why not, empty when it has begun
   */
  public Optional<String> transfer(long nowMs, String name) {
    begin(nowMs);
    return leading == null ? s.notLeading() : leading.changes().transfer(name);
  }

  /**
   * Lets a member of a new name join as soon as it says hello; says why not, or is empty.
   *
   * @param asWitness whether it keeps no data
   */
  public Optional<String> add(String name, boolean asWitness) {
    return leading == null ? s.notLeading() : leading.changes().add(name, asWitness);
  }

  /** The same, as what this member was started with says of that name. */
  public Optional<String> add(String name) {
    return add(name, s.configured.isWitness(name));
  }

  /** Takes a member out; says why not, or is empty. */
  public Optional<String> remove(String name) {
    return leading == null ? s.notLeading() : leading.changes().remove(name);
  }

  /** Lets the group force more or less from now on; says why not, or is empty. */
  public Optional<String> durability(DurabilityMode mode) {
    return leading == null ? s.notLeading() : leading.changes().durability(mode);
  }

  /**
   * An operator decides that the group goes on although members that may know acknowledged entries
   * do not come back. Holds until this member hears a leader, or leads. The answer is why not.
   */
  public Optional<String> acceptLoss() {
    return leading == null ? elections.acceptLoss() : leading.acceptLoss();
  }

  /** Members that may be away: while this member leads, that they do not answer is not told. */
  public void excuse(Set<String> names) {
    if (leading != null) {
      leading.excuse(names);
    }
  }

  /** Notes that a checkpoint of an index is on disk: older memberships are not asked for again. */
  public void compacted(long index) {
    s.members.compacted(index);
  }
}
