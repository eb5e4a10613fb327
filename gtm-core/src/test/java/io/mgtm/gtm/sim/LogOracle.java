package io.mgtm.gtm.sim;

import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Compares what the members' logs and states are: one leader a term, one history, one state at each
 * place of it; and what is missing of the history was told of, and was not acknowledged as forced.
 */
final class LogOracle {
  private final World world;
  private final Runnable lost;
  private final Map<Long, String> leaders = new HashMap<>();

  /** What the history is up to an entry that some member has committed. */
  private final TreeMap<Long, Long> history = new TreeMap<>();

  /** Histories that were lost; when power fails again, a member that has one may lead. */
  private final Set<Long> lostHistories = new HashSet<>();

  private final TreeMap<Long, byte[]> states = new TreeMap<>();
  private boolean lossAllowed;
  private long forced;
  private long servedTerm;
  private long answeredTerm;
  private int losses;
  private boolean told;
  private String stoppedForLoss = "";
  private String lastLeader = "";

  /**
   * An oracle that has seen nothing.
   *
   * @param lost told when entries were lost, as they may be
   */
  LogOracle(World world, Runnable lost) {
    this.world = world;
    this.lost = lost;
  }

  void allowLoss() {
    lossAllowed = true;
  }

  int losses() {
    return losses;
  }

  long committed() {
    return history.isEmpty() ? 0 : history.lastKey();
  }

  /** A member is told that entries may be missing; nobody's session goes on then. */
  void told(String member) {
    world.check(
        lossAllowed, "%s is told that entries may be missing, and no majority lost power", member);
    told = true;
    lost.run();
  }

  /** A member has stopped because the group has lost what it knows as committed. */
  void expectLoss(String member) {
    stoppedForLoss = member;
  }

  /** The group has come to rest. */
  void atRest() {
    world.check(
        told || stoppedForLoss.isEmpty(),
        "%s has stopped for a loss that the group was never told of",
        stoppedForLoss);
  }

  /** Whether anybody has led yet. */
  boolean everLed() {
    return !leaders.isEmpty();
  }

  boolean isTold() {
    return told;
  }

  /** A member says that it leads. */
  void leads(String member, long term) {
    String other = leaders.putIfAbsent(term, member);
    if (other == null && !lastLeader.isEmpty() && !lastLeader.equals(member)) {
      world.note(Happening.LEADER_CHANGED);
    }
    lastLeader = member;
    world.check(
        other == null || other.equals(member), "%s and %s lead in term %d", other, member, term);
  }

  /** A leader of a mode in which at most one answers takes itself for that one. */
  void answers(String member, long term) {
    world.check(
        term >= answeredTerm,
        "%s answers as leader of term %d, and that of term %d has answered",
        member,
        term,
        answeredTerm);
    answeredTerm = Math.max(answeredTerm, term);
  }

  /** A member's entry that asked to be forced is acknowledged. */
  void forced(long index) {
    forced = Math.max(forced, index);
  }

  /** A member says that its log up to an index is committed. */
  void committed(StateTrace member, long index) {
    reconcile(member, index);
    long from = member.comparedTo(losses);
    if (from >= index) {
      return; // while its state is built anew it has less for a while
    }
    if (committed() < member.base()) {
      history.put(member.base(), member.baseHash()); // nobody has told of what came before it
    }
    member.history().subMap(from, false, index, true).forEach(history::putIfAbsent);
    member.compared(index, losses);
  }

  /** Looks at what a member has of the history, and what it lacks. */
  private void reconcile(StateTrace member, long index) {
    long first = isBaseKnown(member) ? firstDifference(member, index) : member.base();
    if (first == Long.MAX_VALUE) {
      return;
    }
    Long here = member.history().get(first);
    if (here == null || !lossAllowed || !lostHistories.contains(here)) {
      world.check(
          lossAllowed && member.lossToldAt() >= first,
          "%s has another history from entry %d on, where %d are committed (told at %d, allowed"
              + " %s, applied %d)",
          member.name(),
          first,
          committed(),
          member.lossToldAt(),
          lossAllowed,
          member.applied());
      world.check(
          first > forced,
          "%s leads without entry %d, and entry %d was acknowledged as forced",
          member.name(),
          first,
          forced);
    }
    lose(first);
  }

  private boolean isBaseKnown(StateTrace member) {
    if (member.comparedTo(losses) > member.base() || committed() < member.base()) {
      return true;
    }
    Map.Entry<Long, Long> base = history.floorEntry(member.base());
    return member.baseHash() == (base == null ? StateTrace.NOTHING : base.getValue());
  }

  /** Where both are known and are not the same. */
  private long firstDifference(StateTrace member, long index) {
    long from = member.comparedTo(losses);
    if (from >= index) {
      return Long.MAX_VALUE;
    }
    long first = Long.MAX_VALUE;
    for (Map.Entry<Long, Long> entry : history.subMap(from, false, index, true).entrySet()) {
      if (!entry.getValue().equals(member.history().get(entry.getKey()))) {
        first = entry.getKey();
        break;
      }
    }
    long both = Math.min(Math.min(index, committed()), first);
    if (from < both) {
      for (long entry : member.history().subMap(from, false, both, true).keySet()) {
        if (!history.containsKey(entry)) {
          return entry;
        }
      }
    }
    return first;
  }

  /**
   * A member begins to lead with all that its log holds. One that was paused may learn late that it
   * was elected: it lacks what a later leader has, and may have something else in its place, which
   * it commits no more.
   *
   * @param committed what it knows as committed
   */
  void begins(StateTrace member, long term, long last, long committed) {
    servedTerm = Math.max(servedTerm, term);
    reconcile(member, term == servedTerm ? Math.max(last, committed()) : committed);
  }

  private void lose(long from) {
    losses++;
    world.trace("entries from %d on are lost", from);
    world.note(Happening.ENTRIES_LOST);
    lostHistories.addAll(history.tailMap(from, true).values());
    history.tailMap(from, true).clear();
    states.tailMap(from, true).clear();
    lost.run();
  }

  /** A member's state at a place of the history. */
  void state(String member, long index, byte[] state) {
    byte[] other = states.putIfAbsent(index, state);
    world.check(
        other == null || Arrays.equals(other, state),
        "%s has another state than the group after entry %d, from byte %d",
        member,
        index,
        other == null ? 0 : Arrays.mismatch(other, state));
  }
}
