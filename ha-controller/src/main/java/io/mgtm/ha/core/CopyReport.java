package io.mgtm.ha.core;

import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * What a node knows of a resource's replicated data.
 *
 * @param copy what the kit says of this node's own copy: {@code UpToDate}, {@code Outdated}, or
 *     another state, in which it can never be brought in service
 * @param mark on the node that has it in service: of the set that follows; null elsewhere
 * @param inSync on the node that has it in service: all nodes, itself included, whose copies have
 *     everything acknowledged
 * @param guarded whether the primary acknowledges nothing that a copy of {@code inSync} lacks until
 *     it has been told that the state has a mark without that copy
 */
public record CopyReport(String copy, Mark mark, Set<String> inSync, boolean guarded) {

  /** Keeps the set immutable, in an order of its own. */
  public CopyReport {
    inSync = Collections.unmodifiableSet(new TreeSet<>(inSync));
  }

  /**
   * Reads what {@link io.mgtm.ha.kit.Kit#data} says: {@code copy} is {@code UpToDate} or another
   * state; {@code inSync} are the peers, separated by commas; {@code guarded} is {@code true} or
   * not there.
   */
  static CopyReport of(Map<String, String> data, String node, Mark mark) {
    Set<String> inSync = new TreeSet<>();
    if (mark != null) {
      inSync.add(node);
      for (String peer : data.getOrDefault(IN_SYNC, "").split(",", -1)) {
        if (!peer.isBlank()) {
          inSync.add(peer.strip());
        }
      }
    }
    return new CopyReport(
        data.getOrDefault(COPY, UP_TO_DATE), mark, inSync, "true".equals(data.get(GUARDED)));
  }

  /** Keys of {@link io.mgtm.ha.kit.Kit#data}; others are for people. */
  public static final String COPY = "copy";

  public static final String UP_TO_DATE = "UpToDate";

  /** Whole, and its source is gone; only the state's mark tells whether it is the newest. */
  public static final String CONSISTENT = "Consistent";

  public static final String OUTDATED = "Outdated";
  public static final String IN_SYNC = "inSync";
  public static final String GUARDED = "guarded";

  /** Changes whenever the kit's set of copies does; told back by {@link NodeEffects#marked}. */
  public static final String TOKEN = "token";
}
