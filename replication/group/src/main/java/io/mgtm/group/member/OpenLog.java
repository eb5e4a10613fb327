package io.mgtm.group.member;

import io.mgtm.group.storage.LogStats;
import java.util.Optional;

/**
 * A member's open log, whatever the group's mode, and whether it keeps the log or is the witness.
 * What is applied and answered goes through {@link MemberLog} where one leads, through {@link
 * io.mgtm.group.total.OrderedLog} where all propose. Owner thread.
 */
public interface OpenLog extends AutoCloseable {

  /** Takes what operators want to be changed. */
  GroupAdmin admin();

  /** What this member knows of the group. */
  GroupStatus status();

  /** Whether this member leads, or makes the order. */
  boolean isLeading();

  /**
   * Has another member lead, the one whose log is farthest of those that can; which, and empty when
   * there is none. This one leads until that one has what it has.
   */
  default Optional<String> handOver() {
    return status().successors().filter(name -> admin().transfer(name).isEmpty()).findFirst();
  }

  /** Whether its disk has room for an entry of that size. */
  boolean hasRoom(int bytes);

  /** Why {@link #hasRoom} last said no; a sentence for an operator. */
  String noRoomReason();

  /**
   * Forces everything, marks the log as cleanly closed, and stops its threads. The listener hears
   * nothing more.
   *
   * @throws io.mgtm.group.LogException when it could not be closed cleanly; it is closed all the
   *     same
   */
  @Override
  void close();

  /** Where the log stands and what it has done. Any thread. */
  LogStats stats();
}
