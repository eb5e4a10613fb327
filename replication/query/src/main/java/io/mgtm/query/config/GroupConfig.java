package io.mgtm.query.config;

import com.fasterxml.jackson.annotation.JsonIgnore;
import io.mgtm.common.ConfigException;
import io.mgtm.common.HostPort;
import io.mgtm.common.Key;
import io.mgtm.common.Members;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** The group of replicators that one is a member of. */
public record GroupConfig(
    @Key("this replicator's name (`--name`); letters, digits, `.`, `_`, `-`") String name,
    @Key(
            value =
                "all replicators of the group, this one too, and where they reach each other (`--members`); the same on every one. Without it the replicator is alone",
            as = "NAME=HOST:PORT,…")
        String members,
    @Key(
            "where clients reach this replicator, and where the others forward theirs; unless set, the host of `group.members` and the port of `listen`")
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
    return Members.parse(members);
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
      Members.refuseWithoutGroup("keyStore", keyStore);
      Members.refuseWithoutGroup("secretFile", secretFile);
      Members.refuseWithoutGroup("advertise", advertise);
      return;
    }
    Map<String, HostPort> addresses;
    try {
      Members.requireName(name);
      Members.requireName(cluster);
      addresses = memberAddresses();
    } catch (IllegalArgumentException e) {
      throw new ConfigException("group: " + e.getMessage(), e);
    }
    Members.requireOneOf(addresses, name);
    Set<String> taken = new HashSet<>();
    for (HostPort address : addresses.values()) {
      if (!taken.add(address.toString().toLowerCase(Locale.ROOT))) {
        throw new ConfigException("group.members: two members would both listen on " + address);
      }
    }
    refuseOwnPort("listen", listen, addresses.get(name));
    refuseOwnPort("admin", admin, addresses.get(name));
  }

  private static void refuseOwnPort(String key, HostPort address, HostPort own)
      throws ConfigException {
    if (Members.isTaken(address, own)) {
      throw new ConfigException(
          "%s: %s is taken: this replicator listens there for the others, as group.members says; choose another port"
              .formatted(key, address));
    }
  }

  /**
   * Where clients reach this replicator, and others that forward theirs.
   *
   * @param port on which it listens for them
   */
  public HostPort advertised(int port) {
    return advertise == null ? new HostPort(memberAddresses().get(name).host(), port) : advertise;
  }
}
