package io.mgtm.ha.core;

import java.util.Arrays;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * What a node knows of a resource's replicated data.
 *
 * @param copy what the kit says of this node's own copy: {@code UpToDate}, {@code Outdated}, or
 *     another state, in which it can never be brought in service
 * @param mark on the node that has it in service: of the sets that follow; null elsewhere
 * @param inSync on the node that has it in service: all nodes, itself included, whose copies have
 *     everything acknowledged. It acknowledges nothing that one of them lacks before its kit has
 *     been told that the state has a mark without that copy
 * @param following nodes whose copies are asynchronous and connected: they have all but the end of
 *     what was acknowledged
 */
public record CopyReport(String copy, Mark mark, Set<String> inSync, Set<String> following) {

  /** Keeps the sets immutable, in an order of their own. */
  public CopyReport {
    inSync = Collections.unmodifiableSet(new TreeSet<>(inSync));
    following = Collections.unmodifiableSet(new TreeSet<>(following));
  }

  /**
   * Reads what {@link io.mgtm.ha.kit.Kit#data} says: {@code copy} is {@code UpToDate} or another
   * state; {@code inSync} and {@code following} are peers, separated by commas.
   */
  static CopyReport of(Map<String, String> data, String node, Mark mark) {
    Set<String> inSync = mark == null ? Set.of() : nodes(data, IN_SYNC);
    Set<String> following = mark == null ? Set.of() : nodes(data, FOLLOWING);
    if (mark != null) {
      inSync.add(node);
    }
    return new CopyReport(data.getOrDefault(COPY, UP_TO_DATE), mark, inSync, following);
  }

  private static Set<String> nodes(Map<String, String> data, String key) {
    return Arrays.stream(data.getOrDefault(key, "").split(",", -1))
        .map(String::strip)
        .filter(peer -> !peer.isEmpty())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** Keys of {@link io.mgtm.ha.kit.Kit#data}; others are for people. */
  public static final String COPY = "copy";

  public static final String UP_TO_DATE = "UpToDate";

  /** Whole, and its source is gone; only the state's mark tells whether it is the newest. */
  public static final String CONSISTENT = "Consistent";

  public static final String OUTDATED = "Outdated";
  public static final String IN_SYNC = "inSync";
  public static final String FOLLOWING = "following";

  /** Names what the primary waits for: that the state has the sets it stands beside. */
  public static final String TOKEN = "token";

  /** All that a copy is judged by. */
  static final Set<String> KEYS = Set.of(COPY, IN_SYNC, FOLLOWING, TOKEN);

  // What kits are told, as parameters of a call.

  /** With a check: the token of a word that the state has. */
  public static final String NOTED = "noted";

  /** With a check: nobody has said yet what shall be, and the configuration may be an older one. */
  public static final String LOOKS = "looks";

  /** To come in service: the state says that the copy has everything acknowledged. */
  public static final String VOUCHED = "vouched";

  /** To come in service: what the copy lacks may be lost. */
  public static final String ACCEPT_LOSS = "acceptLoss";
}
