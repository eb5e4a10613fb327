package io.mgtm.common;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** Members of a group as people write them: {@code NAME=HOST:PORT,…}. */
public final class Members {
  /** So many there may be. */
  public static final int MAX = 7;

  private static final Set<String> ANY_HOST = Set.of("0.0.0.0", "::");
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,63}");

  private Members() {}

  /**
   * Where the members reach each other, in the order given.
   *
   * @throws IllegalArgumentException when {@code text} is not written as it should be
   */
  public static Map<String, HostPort> parse(String text) {
    Map<String, HostPort> addresses = new LinkedHashMap<>();
    for (String member : text.split(",", -1)) {
      int equals = member.indexOf('=');
      if (equals < 0) {
        throw new IllegalArgumentException(
            "\"" + member + "\" is no member: expected NAME=HOST:PORT");
      }
      String of = member.substring(0, equals).strip();
      requireName(of);
      HostPort address = HostPort.parse(member.substring(equals + 1).strip());
      if (address.port() == 0) {
        throw new IllegalArgumentException("member " + of + " needs a port");
      }
      if (addresses.put(of, address) != null) {
        throw new IllegalArgumentException("member " + of + " stands there twice");
      }
    }
    return addresses;
  }

  /**
   * Looks at the name of a member, or of a group.
   *
   * @throws IllegalArgumentException when it is none; the message says what is expected
   */
  public static void requireName(String name) {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "\"" + name + "\" is no name: expected 1 to 63 letters, digits, and . _ -");
    }
  }

  /**
   * Looks at how many there are, and whether a member is one of them.
   *
   * @throws ConfigException when there are more than {@link #MAX}, or it is none
   */
  public static void requireOneOf(Map<String, HostPort> addresses, String name)
      throws ConfigException {
    if (addresses.size() > MAX) {
      throw new ConfigException(
          "group.members: %d members are not allowed, expected up to %d"
              .formatted(addresses.size(), MAX));
    }
    if (!addresses.containsKey(name)) {
      throw new ConfigException(
          "group.name: %s is not allowed, expected one of %s"
              .formatted(name, String.join(", ", addresses.keySet())));
    }
  }

  /** Whether a server, or null, would listen where its member does. */
  public static boolean isTaken(HostPort server, HostPort member) {
    return server != null
        && member.port() == server.port()
        && (ANY_HOST.contains(server.host()) || server.host().equalsIgnoreCase(member.host()));
  }

  /**
   * Looks at a key that means a group where there is none: one that serves alone instead would lose
   * all with its disk.
   *
   * @throws ConfigException when it is set
   */
  public static void refuseWithoutGroup(String key, Object value) throws ConfigException {
    if (value != null) {
      throw new ConfigException(
          "group.%s: %s is not allowed, there is no group; set group.members"
              .formatted(key, value));
    }
  }
}
