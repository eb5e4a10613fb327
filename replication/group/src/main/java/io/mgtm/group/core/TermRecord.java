package io.mgtm.group.core;

import java.util.UUID;

/**
 * What a member must not forget, on disk before anyone hears of it.
 *
 * @param term the highest term that it has acknowledged
 * @param votedFor whom it voted for in that term, null when for nobody
 * @param incarnation how often it was started, from 1; with {@link Agreement#CONNECTED} a follower
 *     that stood still counts as restarted
 * @param initial the membership that it heard when it met the group, {@link Membership#NONE} when
 *     it has not, or came later
 * @param founding the identity of the founding membership whose leader it has followed, or led as;
 *     null as long as it has not, and on a folder of an older format that came later
 * @param synced whether all that others may count on was synced before they heard of it, and will
 *     be until this is stored otherwise
 */
public record TermRecord(
    long term,
    MemberId votedFor,
    long incarnation,
    DurabilityState durabilityState,
    Membership initial,
    UUID founding,
    boolean synced) {

  /** The record of a new folder at its first start. */
  public static TermRecord fresh() {
    return new TermRecord(0, null, 1, DurabilityState.INTACT, Membership.NONE, null, false);
  }

  /**
   * At a start.
   *
   * @param unsyncedMayBeLost whether the machine may have lost what it had not synced
   */
  public TermRecord started(boolean unsyncedMayBeLost) {
    return new TermRecord(
        term,
        votedFor,
        incarnation + 1,
        unsyncedMayBeLost && !synced && durabilityState == DurabilityState.INTACT
            ? DurabilityState.SYNCED_ONLY
            : durabilityState,
        initial,
        founding,
        synced);
  }

  TermRecord withNextIncarnation() {
    return new TermRecord(
        term, votedFor, incarnation + 1, durabilityState, initial, founding, synced);
  }

  /**
   * The folder is an older copy. In the term of the leader that says so nobody else gets its vote,
   * which it may have forgotten to have given.
   *
   * @param known the latest incarnation that was heard of
   */
  TermRecord ofOlderCopy(MemberId leader, long known) {
    long next = Math.max(incarnation, known) + 1;
    return new TermRecord(term, leader, next, DurabilityState.OLDER_COPY, initial, founding, false);
  }

  TermRecord withTerm(long higher) {
    return new TermRecord(higher, null, incarnation, durabilityState, initial, founding, synced);
  }

  TermRecord withVote(long in, MemberId candidate) {
    return new TermRecord(in, candidate, incarnation, durabilityState, initial, founding, synced);
  }

  TermRecord withDurabilityState(DurabilityState now) {
    return new TermRecord(term, votedFor, incarnation, now, initial, founding, synced);
  }

  TermRecord withInitial(Membership heard) {
    return new TermRecord(term, votedFor, incarnation, durabilityState, heard, founding, synced);
  }

  /** From here on it belongs to a group that has had a leader; another founding is forgotten. */
  public TermRecord withFounding(UUID of) {
    Membership kept = of.equals(initial.founding()) ? initial : Membership.NONE;
    return new TermRecord(term, votedFor, incarnation, durabilityState, kept, of, synced);
  }

  TermRecord withSynced(boolean now) {
    return new TermRecord(term, votedFor, incarnation, durabilityState, initial, founding, now);
  }
}
