package io.mgtm.group.core;

import java.util.List;

/**
 * What a witness does with what a leader sends. Owner thread.
 *
 * <p>A witness is a voter whose log is one position, (last term, last index), on disk before it is
 * acknowledged; it only goes on, and it votes for no log that ends before it. It stands for the
 * part of the leader's log up to there, which the leader has on its own disk, as a follower's copy
 * would. Since leader and witness are a majority, what the position covers is committed as soon as
 * it is stored: every later leader has it, so the position never has to go back.
 *
 * <p>Its answer says how far it was before, by which a leader sees that it has forgotten what it
 * acknowledged: it runs on an older copy of its folder.
 *
 * <p>With the position comes the newest membership, which tells this member its place and decides
 * nothing.
 */
final class WitnessRole {
  private final CoreState s;

  WitnessRole(CoreState s) {
    this.s = s;
  }

  void onPosition(MemberId leader, Message.CheckpointPiece m) {
    if (!m.membership().isWitness(s.self)) {
      warnOfEntries(leader);
      return;
    }
    s.highestRound = Math.max(s.highestRound, m.round());
    if (s.record.votedFor() == null) {
      // It may have been so: a witness on an older copy of its folder has forgotten it.
      s.save(s.record.withVote(s.term(), leader));
    }
    long had = s.log.lastIndex();
    boolean further = isBefore(s.lastTerm(), s.log.lastIndex(), m);
    if (further || !m.membership().equals(s.members.latest())) {
      long index = further ? m.index() : s.log.lastIndex();
      long term = further ? m.checkpointTerm() : s.lastTerm();
      s.log.install(CoreLog.Checkpoint.position(index, term, m.membership()));
      s.members.reset(index, m.membership());
    }
    s.effects.send(
        List.of(leader.name()),
        new Message.AppendReply(
            s.term(),
            s.record.incarnation(),
            s.record.durabilityState(),
            s.highestRound,
            true,
            m.index(),
            m.index(),
            had + 1,
            0,
            0));
  }

  private static boolean isBefore(long term, long index, Message.CheckpointPiece m) {
    return m.checkpointTerm() > term || (m.checkpointTerm() == term && m.index() > index);
  }

  /** A leader takes this member for one that keeps the log; it gets no answer. */
  void warnOfEntries(MemberId leader) {
    s.warnings.warn(
        "entries for a witness",
        "%s leads and takes this member for one that keeps data, and it was started as the witness. Set group.witness to the same name on all members; one that is not the witness begins with an empty folder"
            .formatted(leader.name()));
  }
}
