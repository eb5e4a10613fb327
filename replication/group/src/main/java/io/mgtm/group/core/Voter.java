package io.mgtm.group.core;

import java.util.List;

/**
 * What this member answers to candidates. Owner thread.
 *
 * <p>Safety depends on this: one vote a term, on disk before it is sent; a vote only for a log that
 * is not behind, and by a member that has a membership, which {@link Bootstrap} gives it.
 */
final class Voter {
  private final CoreState s;

  Voter(CoreState s) {
    this.s = s;
  }

  void onPreVote(MemberId from, Message.PreVote ask) {
    if (s.hasNoMembership()) {
      return;
    }
    boolean granted =
        ask.forTerm() > s.term()
            && !s.hearsLeader()
            && s.nowMs >= s.promisedUntilMs()
            && isGoodEnough(from, ask.lastTerm(), ask.lastIndex());
    boolean behind = !s.isUpToDate(ask.lastTerm(), ask.lastIndex());
    if (behind && s.needsMajority() && s.role == Role.FOLLOWER && !s.hearsLeader()) {
      // It was spared what this member has, which then need not wait for its turn.
      s.electionDeadlineMs = Math.min(s.electionDeadlineMs, s.nowMs);
    }
    s.effects.send(
        List.of(from.name()),
        new Message.PreVoteReply(s.term(), ask.forTerm(), granted, s.record.durabilityState()));
  }

  /** A leader's power cut may have made it forget what a member has that is not counted. */
  private boolean isGoodEnough(MemberId candidate, long lastTerm, long lastIndex) {
    return s.isUpToDate(lastTerm, lastIndex)
        || (!s.needsMajority()
            && !s.isWitness()
            && !s.isVoter()
            && s.members.latest().isVoter(candidate));
  }

  void onVote(MemberId from, Message.Vote ask) {
    if (s.hasNoMembership()) {
      return;
    }
    boolean promised = s.nowMs < s.promisedUntilMs();
    boolean kept = promised || (s.hearsLeader() && (ask.term() > s.term() || s.isLeased()));
    if (kept && !ask.transfer()) {
      // It would cost a leader that works; the candidate was cut off or has not heard it yet.
      return;
    }
    boolean free =
        ask.term() > s.term()
            || (ask.term() == s.term()
                && s.leader == null
                && (s.record.votedFor() == null || s.record.votedFor().equals(from)));
    boolean granted =
        free
            && isGoodEnough(from, ask.lastTerm(), ask.lastIndex())
            && (ask.unclean() || s.record.durabilityState() == DurabilityState.INTACT);
    if (granted && ask.term() == s.term() && from.equals(s.record.votedFor())) {
      reply(from, true);
      return;
    }
    if (granted) {
      s.save(s.record.withVote(ask.term(), from));
      s.verifiedIndex = 0;
      s.highestRound = 0;
      s.follow(ask.term(), null);
      s.awaitLeader();
    } else if (ask.term() > s.term()) {
      s.follow(ask.term(), null);
    } else if (s.role == Role.CANDIDATE && ask.term() == s.term() && s.self.compareTo(from) < 0) {
      s.electionDeadlineMs = s.nowMs; // Two stand at once, so that perhaps none wins: one waits.
    }
    reply(from, granted);
  }

  private void reply(MemberId to, boolean granted) {
    s.effects.send(
        List.of(to.name()), new Message.VoteReply(s.term(), granted, s.record.durabilityState()));
  }
}
