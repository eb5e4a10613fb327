package io.mgtm.query.fleet;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which PostgreSQL a server is, and what of it is not the same in all versions. Immutable.
 *
 * @param number its version, as server_version_num has it
 * @param settings the names of those that it knows, in lower case
 */
public record ServerKind(int number, Set<String> settings) {
  /** One that was not asked yet. */
  static final ServerKind UNKNOWN = new ServerKind(0, Set.of());

  /** Answers whether it is a standby, and then what {@link #of} reads. */
  public static final String SQL =
      "SELECT pg_is_in_recovery(), current_setting('server_version_num'),"
          + " (SELECT string_agg(lower(name), ' ') FROM pg_settings)";

  /** Older ones do not let a role be granted a setting, nor ask whether it was. */
  static final int OLDEST = 15;

  /** What newer ones do was not tried. */
  static final int NEWEST = 18;

  /** By this PostgreSQL 17 and newer end a transaction, also one that is decided. */
  public static final String TRANSACTION_TIMEOUT = "transaction_timeout";

  private static final int NUMBERS_TO_A_MAJOR = 10_000;

  public ServerKind {
    settings = Set.copyOf(settings);
  }

  /** What a row of {@link #SQL} tells. */
  public static ServerKind of(List<String> row) {
    return new ServerKind(Integer.parseInt(row.get(1)), Set.of(row.get(2).split(" ")));
  }

  /** The major version of one that stands as in server_version_num. */
  public static int major(String number) {
    return Integer.parseInt(number) / NUMBERS_TO_A_MAJOR;
  }

  /** Its major version; 0 for one that was not asked. */
  public int major() {
    return number / NUMBERS_TO_A_MAJOR;
  }

  /** Why a server of a major version is none of the servers, or null. */
  public static String refusal(int major) {
    return major < OLDEST
        ? "it is PostgreSQL %d, and %d and newer ones are served".formatted(major, OLDEST)
        : null;
  }

  /** Whether one of the servers is of an older major version than the leader, if it is not in. */
  public static boolean leadsOlder(Node leader, List<Node> all) {
    return all.stream()
        .mapToInt(node -> node.kind().major())
        .anyMatch(major -> major > 0 && major < leader.kind().major());
  }

  /** Whether there are servers of several major versions. */
  public static boolean isMixed(List<Node> all) {
    return all.stream()
            .mapToInt(node -> node.kind().major())
            .filter(major -> major > 0)
            .distinct()
            .count()
        > 1;
  }

  /** Whether it is newer than what was tried. */
  public boolean isUntried() {
    return major() > NEWEST;
  }

  /** As people write it; empty for one that was not asked. */
  public String version() {
    return number == 0 ? "" : major() + "." + number % NUMBERS_TO_A_MAJOR;
  }

  /** Whether it knows a setting, whose name is in lower case. */
  public boolean knows(String setting) {
    return settings.contains(setting);
  }

  /** What a session there is begun with. */
  public Map<String, String> begins(Map<String, String> parameters) {
    if (!knows(TRANSACTION_TIMEOUT)) {
      return parameters;
    }
    Map<String, String> all = new LinkedHashMap<>(parameters);
    all.put(TRANSACTION_TIMEOUT, "0");
    return all;
  }
}
