package io.mgtm.group.member;

import io.mgtm.group.GroupMode;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Assumptions;

/** What a mode may promise; the table says which mode promises what. */
enum Promise {
  /** All members apply the same entries in one order without gaps, and have the same state. */
  ORDER,
  /** What was acknowledged with a force is there after the leader was killed. */
  SURVIVES_A_KILLED_LEADER,
  SURVIVES_KILLED_MEMBERS,
  /** A member that was away gets what it lacks, by entries or by a checkpoint. */
  CATCHES_UP,
  /** A member whose folder was emptied joins again. */
  EMPTIED_REJOINS,
  /** The log of each member, whoever leads, is cut by checkpoints. */
  BOUNDED_LOG,
  /** A leader without a majority acknowledges nothing and confirms no read. */
  NOTHING_WITHOUT_A_MAJORITY,
  /** What a deposed leader had applied and nobody else has is gone from its state. */
  UNACKNOWLEDGED_IS_UNDONE,
  /** Members are added and removed while the group runs. */
  MEMBERS_CHANGE,
  /** Entries of several hundred kilobytes. */
  BIG_ENTRIES;

  private static final Map<GroupMode, Set<Promise>> NOT_PROMISED = new EnumMap<>(GroupMode.class);

  static {
    NOT_PROMISED.put(GroupMode.FIFO, EnumSet.noneOf(Promise.class));
    NOT_PROMISED.put(GroupMode.CAUSAL, EnumSet.noneOf(Promise.class));
    // Undone as well, and then repeated by the member that accepted it: TotalModeIT.
    NOT_PROMISED.put(GroupMode.TOTAL, EnumSet.of(UNACKNOWLEDGED_IS_UNDONE));
    NOT_PROMISED.put(
        GroupMode.LAZY, EnumSet.of(NOTHING_WITHOUT_A_MAJORITY, UNACKNOWLEDGED_IS_UNDONE));
  }

  /** The promises that a mode does not make, by the table; fails for a mode without a row. */
  static Set<Promise> notMadeBy(GroupMode mode) {
    Set<Promise> not = NOT_PROMISED.get(mode);
    if (not == null) {
      throw new AssertionError("mode " + mode.label() + " has no row in the table of promises");
    }
    return not;
  }

  /** Skips a test where the mode does not promise this. */
  void assumeMadeBy(GroupMode mode) {
    Assumptions.assumeFalse(
        notMadeBy(mode).contains(this), () -> "mode " + mode.label() + " does not promise " + this);
  }
}
