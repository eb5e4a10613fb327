package io.mgtm.query.config;

import com.fasterxml.jackson.annotation.JsonIgnore;
import io.mgtm.common.ConfigException;
import io.mgtm.common.HostPort;
import io.mgtm.common.Key;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** The group of replicators that one is a member of. */
public record GroupConfig(
    @Key("this replicator's name (`--name`); letters, digits, `.`, `_`, `-`") String name,
    @Key(
            value =
                "all replicators of the group, this one too, and where they reach each other (`--members`); the same on every one. Without it the replicator is alone",
            as = "NAME=HOST:PORT,…")
        String members,
    @Key(
            "where clients reach this replicator, which others tell them; unless set, the host of `group.members` and the port of `listen`")
        HostPort advertise,
    @Key("tells groups apart that share a network") String cluster,
    @Key(
            "PKCS #12: this member's key, its certificate and those it trusts, for TLS between the replicators; see docs/operating-a-group.md")
        Path keyStore,
    @Key("its first line is the password of `group.keyStore`") Path passwordFile,
    @Key(
            "its first line is a secret of 32 characters and more that all members share, instead of `group.keyStore`; see docs/operating-a-group.md")
        Path secretFile) {
  static final GroupConfig NONE = new GroupConfig("query", null, null, "mgtm", null, null, null);

  private static final int MEMBERS_MAX = 7;
  private static final Set<String> ANY_HOST = Set.of("0.0.0.0", "::");
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,63}");

  /** Whether there are several replicators. */
  @JsonIgnore
  public boolean exists() {
    return members != null;
  }

  /**
   * Where the replicators reach each other, in the order given.
   *
   * @throws IllegalArgumentException when {@code members} is not written as it should be
   */
  @JsonIgnore
  public Map<String, HostPort> memberAddresses() {
    Map<String, HostPort> addresses = new LinkedHashMap<>();
    for (String member : members.split(",", -1)) {
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

  private static void requireName(String name) {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "\"" + name + "\" is no name: expected 1 to 63 letters, digits, and . _ -");
    }
  }

  void validate(HostPort listen, HostPort admin) throws ConfigException {
    if ((keyStore == null) != (passwordFile == null)) {
      throw new ConfigException(
          "group.keyStore and group.passwordFile are set together, or neither is");
    }
    if (secretFile != null && keyStore != null) {
      throw new ConfigException(
          "group.secretFile is set beside group.keyStore: choose one way to encrypt");
    }
    if (!exists()) {
      refuseWithoutGroup("keyStore", keyStore);
      refuseWithoutGroup("secretFile", secretFile);
      refuseWithoutGroup("advertise", advertise);
      return;
    }
    Map<String, HostPort> addresses;
    try {
      requireName(name);
      requireName(cluster);
      addresses = memberAddresses();
    } catch (IllegalArgumentException e) {
      throw new ConfigException("group: " + e.getMessage(), e);
    }
    if (addresses.size() > MEMBERS_MAX) {
      throw new ConfigException(
          "group.members: %d members are not allowed, expected up to %d"
              .formatted(addresses.size(), MEMBERS_MAX));
    }
    if (!addresses.containsKey(name)) {
      throw new ConfigException(
          "group.name: %s is not allowed, expected one of %s"
              .formatted(name, String.join(", ", addresses.keySet())));
    }
    Set<String> taken = new HashSet<>();
    for (HostPort address : addresses.values()) {
      if (!taken.add(address.toString().toLowerCase(Locale.ROOT))) {
        throw new ConfigException("group.members: two members would both listen on " + address);
      }
    }
    refuseOwnPort("listen", listen, addresses.get(name));
    refuseOwnPort("admin", admin, addresses.get(name));
  }

  private static void refuseWithoutGroup(String key, Object value) throws ConfigException {
    if (value != null) {
      throw new ConfigException(
          "group.%s: %s is not allowed, there is no group; set group.members"
              .formatted(key, value));
    }
  }

  private static void refuseOwnPort(String key, HostPort address, HostPort own)
      throws ConfigException {
    if (address != null
        && own.port() == address.port()
        && (ANY_HOST.contains(address.host()) || address.host().equalsIgnoreCase(own.host()))) {
      throw new ConfigException(
          "%s: %s is taken: this replicator listens there for the others, as group.members says; choose another port"
              .formatted(key, address));
    }
  }

  /**
   * Where clients reach this replicator.
   *
   * @param port on which it listens for them
   */
  public HostPort advertised(int port) {
    return advertise == null ? new HostPort(memberAddresses().get(name).host(), port) : advertise;
  }
}
