package io.mgtm.group.raft;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * A leadership of this member, from the moment that jgroups-raft has given it. Owner thread.
 *
 * <p>Reads are confirmed by the commit of an entry that was appended after they came. That is the
 * next command, if there is one in the same turn, else an entry made for it.
 */
final class RaftLeadership {
  /** The reads up to a ticket are confirmed with a command. */
  private record Covered(long command, long ticket) {}

  private final long id;
  private final long term;
  private final Deque<Covered> covers = new ArrayDeque<>();
  private boolean serving;
  private long tickets;
  private long covered;
  private long confirmed;

  /**
   * Begins; it serves after its term start is committed.
   *
   * @param id drawn at random
   * @param term jgroups-raft's
   */
  RaftLeadership(long id, long term) {
    this.id = id;
    this.term = term;
  }

  long id() {
    return id;
  }

  long term() {
    return term;
  }

  boolean isServing() {
    return serving;
  }

  void serve() {
    serving = true;
  }

  /** The ticket of a read. */
  long confirm() {
    return ++tickets;
  }

  void appended(long command) {
    if (tickets > covered) {
      covered = tickets;
      covers.addLast(new Covered(command, tickets));
    }
  }

  /** The ticket that an entry must be appended for, or 0; it counts as appended then. */
  long roundDue() {
    if (tickets == covered) {
      return 0;
    }
    covered = tickets;
    return tickets;
  }

  void committed(long command) {
    while (!covers.isEmpty() && covers.peekFirst().command() <= command) {
      confirmedTo(covers.removeFirst().ticket());
    }
  }

  void confirmedTo(long ticket) {
    confirmed = Math.max(confirmed, ticket);
  }

  long confirmedTicket() {
    return confirmed;
  }
}
