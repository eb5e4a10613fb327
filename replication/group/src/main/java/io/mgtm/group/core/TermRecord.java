package io.mgtm.group.core;

/**
 * What a member must not forget, on disk before anyone hears of it.
 *
 * @param term the highest term that it has acknowledged
 * @param votedFor whom it voted for in that term, null when for nobody
 * @param incarnation how often it was started, from 1
 * @param initial the membership that it heard when it met the group, {@link Membership#NONE} when
 *     it has not, or came later
 */
public record TermRecord(
    long term, MemberId votedFor, long incarnation, Standing standing, Membership initial) {

  /** The record of a new folder at its first start. */
  public static TermRecord fresh() {
    return new TermRecord(0, null, 1, Standing.INTACT, Membership.NONE);
  }

  /** At a start. */
  public TermRecord started(boolean unforcedMayBeLost) {
    return new TermRecord(
        term,
        votedFor,
        incarnation + 1,
        unforcedMayBeLost ? Standing.FORCED_ONLY : standing,
        initial);
  }

  TermRecord withTerm(long higher) {
    return new TermRecord(higher, null, incarnation, standing, initial);
  }

  TermRecord withVote(long in, MemberId candidate) {
    return new TermRecord(in, candidate, incarnation, standing, initial);
  }

  TermRecord withStanding(Standing now) {
    return new TermRecord(term, votedFor, incarnation, now, initial);
  }

  TermRecord withInitial(Membership heard) {
    return new TermRecord(term, votedFor, incarnation, standing, heard);
  }
}
