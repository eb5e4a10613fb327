package io.mgtm.group.core;

import java.util.List;

/**
 * Whose answers a leader needs before it commits what it has appended and answers what it is asked:
 * what {@link Agreement} means for a leader. Owner thread.
 */
interface Quorum {

  /** The read index of a read that has been done. */
  long confirm(long nowMs);

  /** The highest read index that is confirmed. */
  long confirmed();

  /** A round begins; it is sent now or later. */
  void begun(long round);

  /** Sends what is not sent, or lets it wait for a round that has room for it. */
  void flush();

  /** All members were sent a round. */
  void beaten();

  /** A member has answered. */
  void answered(Progress by);

  /** Commits and confirms what may be by now. */
  void advance();

  /** Who is in the group changes, or has changed. */
  void changed();

  /** Looks at the time. */
  void tick();

  /** Whether nothing is waited for. */
  boolean isQuiet();

  /** Whether too few have answered for this member to lead on. */
  boolean isLost();

  /** Whether no other can lead as far as this member knows. */
  boolean mayAnswer(long nowMs);

  /** The clock may have stood still together with this member. */
  void interrupted();

  /** This member stood still, and may have been left out. */
  void stoodStill();

  /** Members that were not heard since this one stood still, and are waited for. */
  List<MemberId> doubtful();

  /** Whether entries wait for a voter: that one may lead when this member is gone. */
  boolean counts(MemberId voter);

  /** Whether a member that has all may lead when this one is gone. */
  boolean mayLead(Progress other);
}
