package io.mgtm.group.raft;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jgroups.Address;
import org.jgroups.raft.util.CommitTable;

/**
 * How far a leader knows each member's log to be its own, and what is on its way to those that lack
 * entries.
 *
 * <p>A member that lacks entries refuses each message of a busy leader. Its refusal tells how far
 * its log matches, and the leader sends it a piece from there, once: what it refuses while that is
 * on its way was sent before. (jgroups-raft 1.1.4 falls back to one entry per interval with each
 * refusal, and a busy leader gets one after the other.)
 *
 * <p>jgroups-raft's thread, as long as a leader leads; what {@link CommitTable} has may be read by
 * any.
 */
final class RaftProgress extends CommitTable {
  /**
   * Entries on their way to a member.
   *
   * @param to the member as it was in the view at that time
   * @param from the first one
   * @param through the last one
   * @param more whether the leader had more behind them
   */
  private record Piece(Entry to, long from, long through, boolean more) {}

  /**
   * What was seen of a member that lacks entries.
   *
   * @param match how far it had got
   * @param looks how often in a row, after the first time
   */
  private record Seen(long match, int looks) {}

  private static final int STUCK_LOOKS = 1;

  /** JGroups loses nothing, so a piece is given up only for one that had no room for it. */
  private static final int PIECE_LOST_LOOKS = 10;

  private final Map<Address, Piece> pieces = new HashMap<>();
  private final Map<Address, Seen> seen = new HashMap<>();

  /** Those that are to be sent entries as soon as their answer is dealt with. */
  private final Set<Address> due = new HashSet<>();

  RaftProgress(List<Address> members, long nextIndex) {
    super(members, nextIndex);
  }

  /**
   * Notes a member's answer: OK, or that it refuses ({@code singleResend}) what does not follow on
   * its log, or what contradicts it ({@code overwrite} too).
   */
  @Override
  public CommitTable update(
      Address member,
      long matchIndex,
      long nextIndex,
      long commitIndex,
      boolean singleResend,
      boolean overwrite) {
    Entry entry = get(member);
    if (entry == null) {
      return this;
    }
    boolean less = matchIndex < entry.matchIndex();
    if (less && !singleResend) {
      // An answer that a later one has overtaken.
      entry.commitIndex(Math.max(entry.commitIndex(), commitIndex));
      return this;
    }
    if (less) {
      // Its log contradicts what was believed of it, or, with the same address, it was started
      // anew:
      // it has compared less, and may have to be told of commits again.
      pieces.remove(member);
      entry.commitIndex(Math.min(entry.commitIndex(), matchIndex));
    }
    super.update(member, matchIndex, nextIndex, commitIndex, overwrite, less || overwrite);
    if (isDue(member, entry, singleResend)) {
      due.add(member);
    }
    return this;
  }

  private boolean isDue(Address member, Entry entry, boolean refused) {
    Piece piece = pieceOf(member, entry);
    if (piece == null) {
      return refused;
    }
    boolean cannotFollow = refused && entry.matchIndex() + 1 < piece.from;
    if (!cannotFollow && entry.matchIndex() < piece.through) {
      return false;
    }
    pieces.remove(member);
    return piece.more || refused;
  }

  private Piece pieceOf(Address member, Entry entry) {
    Piece piece = pieces.get(member);
    return piece == null || piece.to != entry ? null : piece;
  }

  /** Whether a member's answers say that it is to be sent entries at once. Asked once. */
  boolean takeDue(Address member) {
    return due.remove(member);
  }

  /**
   * Entries are on their way to a member.
   *
   * @param more whether the leader has more behind them
   */
  void sent(Address member, long from, long through, boolean more) {
    Entry entry = get(member);
    if (entry != null) {
      pieces.put(member, new Piece(entry, from, through, more));
    }
  }

  /**
   * Whether a member is to be sent something though no answer of it asks for that. For looks at
   * regular times.
   *
   * @param entry the member's, which may have left the view
   * @param last the leader's last entry
   * @param commit how far the leader has committed
   */
  boolean isStuck(Address member, Entry entry, long last, long commit) {
    long match = entry.matchIndex();
    if (match >= last) {
      seen.remove(member);
      return entry.commitIndex() < commit;
    }
    Seen before = seen.get(member);
    int looks = before == null || before.match != match ? 0 : before.looks + 1;
    boolean stuck = looks >= (pieceOf(member, entry) == null ? STUCK_LOOKS : PIECE_LOST_LOOKS);
    seen.put(member, new Seen(match, stuck ? 0 : looks));
    return stuck;
  }

  /** Forgets those that have left the view. */
  void forgetOthers() {
    seen.keySet().retainAll(keys());
    pieces.keySet().retainAll(keys());
    due.retainAll(keys());
  }
}
