package io.mgtm.group.core;

import java.util.List;
import java.util.Optional;

/**
 * Candidacies of this member. Owner thread.
 *
 * <p>Safety depends on how others vote, see {@link Voter}, and on a majority of votes by members
 * that have everything they ever acknowledged, or else a term start which says that entries may be
 * missing.
 */
final class Elections {
  private static final int SLOWER_MAX = 8;

  /** How soon after a refusal it is asked again whether this member would be elected. */
  private static final int ASK_AGAIN_MS = 20;

  private final CoreState s;
  private final Ballot ballot;
  private final VoterWatch watch;
  private long askedTerm;

  /**
   * The highest term in which others may have been asked for their votes. The process before may
   * have died between asking for the term after that of its record and storing it, and what others
   * have answered to it may come yet, though this one's log may be another.
   */
  private long candidateTerm;

  private boolean unclean;
  private boolean needsAll;
  private boolean lossAccepted;
  private List<MemberId> givenUp = List.of();
  private int tries;

  /**
   * Beside a witness of {@link Agreement#CONNECTED}: who votes from now on, since an operator has
   * accepted a loss; empty when that was not needed.
   */
  private List<MemberId> agreed = List.of();

  /** When those who have refused are asked again, in a candidacy that is asked for. */
  private long askAgainMs;

  Elections(CoreState s) {
    this.s = s;
    this.ballot = new Ballot(s);
    this.watch = new VoterWatch(s, ballot);
    this.candidateTerm = s.term() + 1;
  }

  /** Ends a candidacy; whether it was won with votes of members that may have lost entries. */
  boolean won() {
    watch.end();
    givenUp = s.needsMajority() || s.isLeased() || !lossAccepted ? List.of() : ballot.silent();
    boolean all =
        agreed.isEmpty() ? ballot.isGrantedByData(true, false) : ballot.isGrantedByAllIntact();
    lossAccepted = false;
    return s.needsMajority() ? unclean : !all;
  }

  /** The membership that a leader begins with who has just won. */
  Membership membershipToBegin() {
    Membership latest = s.members.latest();
    return agreed.isEmpty() ? latest : latest.withVoters(agreed);
  }

  /**
   * With {@link Agreement#CONNECTED}: for whom an operator did not want this candidacy to wait. The
   * failure detection tells only of those who go, and these may never have been there.
   */
  List<MemberId> givenUp() {
    return givenUp;
  }

  /** Acts when time is up; the answer is whether this member has just won. */
  boolean tick() {
    if (s.role == Role.FOLLOWER && s.leader != null) {
      tries = 0;
      lossAccepted = false;
      watch.end();
    }
    if (s.nowMs < Math.max(s.electionDeadlineMs, s.promisedUntilMs())) {
      if (s.role == Role.PRE_CANDIDATE && s.nowMs >= askAgainMs) {
        askOthers();
      }
      return false;
    }
    if (s.role == Role.PRE_CANDIDATE && mayBeUnclean()) {
      needsAll = false;
      return campaign(true, false);
    }
    return ask();
  }

  private boolean follows(String leader) {
    return s.role == Role.FOLLOWER
        && s.leader != null
        && s.leader.name().equals(leader)
        && s.isVoter();
  }

  /**
   * Where votes are counted the worst that comes of a wrong hint is a question to the others that
   * they refuse, since they hear the leader. With {@link Agreement#CONNECTED} only the view says
   * who is gone. The answer is whether this member has just won.
   */
  boolean onConnectionBroken(String name) {
    return s.needsMajority() && follows(name) && onLeaderHint();
  }

  /** The leader seems to be gone. */
  private boolean onLeaderHint() {
    MemberId gone = s.leader;
    s.follow(s.term(), null);
    s.awaitTurn(gone);
    return tick();
  }

  /**
   * Somebody went away: the leader, or one whose vote is then not waited for. The answer is whether
   * this member has just won.
   */
  boolean onMemberGone(String name) {
    if (follows(name)) {
      return onLeaderHint();
    }
    if (!s.needsMajority() && s.leader == null) {
      s.electionDeadlineMs = Math.min(s.electionDeadlineMs, s.nowMs + s.settings.hintStaggerMs());
    }
    return false;
  }

  /**
   * This member stood still. It may lead only when a leader counts it anew, and what waits to be
   * read is old: its next incarnation keeps it from believing that it is in step.
   */
  void stoodStill() {
    s.inStep = false;
    s.save(s.record.withNextIncarnation());
    if (s.role != Role.LEADER) {
      s.forgetWhoIsGone();
    }
    if (s.role == Role.PRE_CANDIDATE || s.role == Role.CANDIDATE) {
      s.follow(s.term(), null);
      s.awaitLeader();
    }
  }

  private boolean ask() {
    s.follow(s.term(), null);
    if (s.isWitness() || !s.isVoter() || s.ownMembership.isLost() || !s.log.hasRoom()) {
      s.awaitLeader();
      return false;
    }
    watch.tell();
    agreed = List.of();
    s.role = Role.PRE_CANDIDATE;
    askedTerm = nextTerm();
    begin();
    askOthers();
    return evaluateAsked();
  }

  private void askOthers() {
    askAgainMs = Long.MAX_VALUE;
    List<String> others = namesOfOthers();
    if (!others.isEmpty()) {
      s.effects.send(
          others,
          new Message.PreVote(s.term(), s.founding(), askedTerm, s.lastTerm(), s.log.lastIndex()));
    }
  }

  /** Somebody has no place, though perhaps the name of one that has. */
  void onHello(MemberId from) {
    watch.onHello(from);
  }

  private void begin() {
    ballot.begin();
    tries = Math.min(tries + 1, SLOWER_MAX);
    // Sooner than a leader's silence would tell, and slower each time: disks may be slow.
    s.electionDeadlineMs =
        s.nowMs
            + s.settings.electionTimeoutMs() * tries / 4
            + s.jitter(s.settings.electionTimeoutMs() / 4);
  }

  /** In which this member would stand next. */
  private long nextTerm() {
    return s.othersAsked().isEmpty() ? s.term() + 1 : Math.max(s.term(), candidateTerm) + 1;
  }

  private List<String> namesOfOthers() {
    return s.othersAsked().stream().map(MemberId::name).toList();
  }

  boolean onPreVoteReply(MemberId from, Message.PreVoteReply reply) {
    if (s.role != Role.PRE_CANDIDATE || reply.forTerm() != askedTerm) {
      return false;
    }
    ballot.note(from, reply.granted(), reply.durabilityState());
    if (!reply.granted() && askAgainMs == Long.MAX_VALUE) {
      askAgainMs = s.nowMs + ASK_AGAIN_MS; // it may not have seen yet that the leader is gone
    }
    return evaluateAsked();
  }

  private boolean evaluateAsked() {
    if (!s.needsMajority()) {
      return isGrantedByConnected() && campaign(true, false);
    }
    int majority = s.members.latest().majority();
    if (ballot.granted(true, lossAccepted) >= majority) {
      return campaign(false, false);
    }
    if (ballot.granted(false, lossAccepted) == s.members.latest().voters().size()) {
      // Nobody is left who could know more. Until all have voted one of them may learn more.
      needsAll = true;
      return campaign(true, false);
    }
    return false;
  }

  /**
   * Whether all have granted but those that were seen to go away, or that an operator gives up. A
   * member that was not in step with a leader since its start has seen nobody go away.
   */
  private boolean isGrantedByConnected() {
    if (s.isLeased()) {
      return agreed.isEmpty()
          ? (isGrantedBesideWitness() || isAgreed())
          : ballot.granting().containsAll(agreed);
    }
    for (MemberId voter : s.members.latest().voters()) {
      Ballot.Answer answer = ballot.of(voter);
      boolean silent = answer == null || (!lossAccepted && answer.isOlderCopy());
      boolean letGo = s.isLetGo(voter) || (lossAccepted && hadTimeToAnswer());
      if (silent ? !letGo : !answer.granted()) {
        return false;
      }
    }
    return true;
  }

  /**
   * The witness votes for nobody who was left out. Of those that were not, one that was in step has
   * all but what a leader has acknowledged of what was on its way.
   */
  private boolean isGrantedBesideWitness() {
    return ballot.granted(false, false) >= s.members.latest().majority()
        && (s.inStep || ballot.isGrantedByData(false, false));
  }

  /**
   * An operator has accepted a loss, and two of the three are for this member: the other member, as
   * when the leader has left it out and the witness was lost before it has stored that; or the
   * witness, though its disk was lost and it does not vote yet. Two cannot be for another member
   * beside it, whoever comes back; and who is there and has more is not given up.
   */
  private boolean isAgreed() {
    return s.isLeased()
        && s.role == Role.PRE_CANDIDATE
        && lossAccepted
        && hadTimeToAnswer()
        && !ballot.isRefused()
        && ballot.granting().size() >= s.members.latest().majority();
  }

  private boolean hadTimeToAnswer() {
    return s.role == Role.CANDIDATE || s.nowMs >= s.electionDeadlineMs;
  }

  private boolean mayBeUnclean() {
    if (!s.needsMajority()) {
      return lossAccepted && isGrantedByConnected();
    }
    long waitMs = s.settings.uncleanElectionWaitMs();
    boolean waited = waitMs > 0 && s.nowMs - s.leaderlessSinceMs >= waitMs;
    // Who is there and refuses has more, so that nothing needs to be lost: that one can lead.
    return (waited || lossAccepted)
        && !ballot.isRefused()
        && ballot.granted(false, lossAccepted) >= s.members.latest().majority();
  }

  /** An operator does not want to wait for members that may know more. */
  Optional<String> acceptLoss() {
    if (s.leader != null) {
      return Optional.of("%s leads, and waits for nobody".formatted(s.leader.name()));
    }
    if (s.ownMembership.isOutside()) {
      return Optional.of(
          "%s has no place in the group now, and could not lead it; its status says why. Ask a member that has one"
              .formatted(s.self.name()));
    }
    if (s.isWitness()) {
      return Optional.of(
          "%s is the witness, which cannot lead; ask a member that keeps data"
              .formatted(s.self.name()));
    }
    if (!s.isVoter()) {
      return Optional.of(whyNotWithoutVote());
    }
    if (watch.areTooFew()) {
      return Optional.of(
          "Accepting a loss would not help: without more of the members %s nobody may lead; its status says who is missing"
              .formatted(
                  String.join(
                      ", ", s.members.latest().voters().stream().map(MemberId::name).toList())));
    }
    lossAccepted = true;
    return Optional.empty();
  }

  /** It may lack what was acknowledged before it came, and nobody else could tell. */
  private String whyNotWithoutVote() {
    List<String> data = s.members.latest().dataVoters().stream().map(MemberId::name).toList();
    return data.isEmpty()
        ? "%s is new and knows of no group, so it cannot lead. Start a member that has its folder; if all those are lost, restore a backup into an empty folder of each member: ./mgtm gtm restore --from FILE --data DIR"
            .formatted(s.self.name())
        : "%s has not caught up and does not vote, so it cannot lead. Start %s again; if that folder is lost for good, stop all members and restore a backup into an empty folder of each: ./mgtm gtm restore --from FILE --data DIR"
            .formatted(s.self.name(), String.join(" or ", data));
  }

  /** The leader asks this member to take over, which is in step with it then. */
  boolean onTransfer(Message.TransferNow now) {
    s.inStep |= now.incarnation() == s.record.incarnation();
    if (s.isWitness() || !s.isVoter() || !s.log.hasRoom()) {
      return false;
    }
    s.follow(s.term(), null);
    return campaign(false, true);
  }

  private boolean campaign(boolean mayMissEntries, boolean transfer) {
    unclean = mayMissEntries;
    agreed = !transfer && isAgreed() && !isGrantedBesideWitness() ? ballot.granting() : List.of();
    candidateTerm = nextTerm();
    List<String> others = namesOfOthers();
    if (!others.isEmpty()) {
      // The others store their votes while this one stores its own, and then counts.
      s.effects.sendNow(
          others,
          new Message.Vote(
              candidateTerm, s.founding(), s.lastTerm(), s.log.lastIndex(), unclean, transfer));
    }
    s.save(s.record.withVote(candidateTerm, s.self));
    s.verifiedIndex = 0;
    s.highestRound = 0;
    s.role = Role.CANDIDATE;
    begin();
    return isWon();
  }

  private boolean isWon() {
    if (!s.needsMajority()) {
      return isGrantedByConnected();
    }
    return (unclean && needsAll)
        ? ballot.granted(false, lossAccepted) == s.members.latest().voters().size()
        : ballot.granted(!unclean, lossAccepted) >= s.members.latest().majority();
  }

  boolean onVoteReply(MemberId from, Message.VoteReply reply) {
    if (s.role != Role.CANDIDATE || reply.term() != s.term()) {
      return false;
    }
    ballot.note(from, reply.granted(), reply.durabilityState());
    return isWon();
  }
}
