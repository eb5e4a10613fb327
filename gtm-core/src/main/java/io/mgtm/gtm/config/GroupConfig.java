package io.mgtm.gtm.config;

import com.fasterxml.jackson.annotation.JsonIgnore;
import io.mgtm.common.ConfigException;
import io.mgtm.common.HostPort;
import io.mgtm.common.Key;
import io.mgtm.common.Members;
import io.mgtm.group.GroupMode;
import io.mgtm.group.core.CoreSettings;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/** The group that a node is a member of. */
public record GroupConfig(
    @Key("this member's name; letters, digits, `.`, `_`, `-`") String name,
    @Key(
            value =
                "all members of the group, this one too, and where they reach each other. No two members of one host share a port, nor `listen` and `metrics` with this member's. A member does not start when its own host name is not known; another one whose name is not known is a warning in the log, and is not looked for until the next start. The same on every member. Without it the node serves alone, and does not start when `group.witness`, a `group.mode` other than `fifo`, `group.keyStore`, `group.secretFile`, `group.stackFile` or `access.members` is set",
            as = "NAME=HOST:PORT,…")
        String members,
    @Key(
            "the one of three `group.members` that votes and keeps no data, with the other two as a pair; in modes `fifo` and `lazy`. The same on every member; see docs/operating-a-group.md#a-pair-with-a-witness")
        String witness,
    @Key("how the group replicates, the same on every member; see docs/replication.md")
        GroupMode mode,
    @Key(
            "where proxies and other members reach this node's `listen`; unless set, the host of `group.members` and the port of `listen`")
        HostPort advertise,
    @Key("tells groups apart that share a network") String cluster,
    @Key(
            "PKCS #12: this member's key, its certificate and those it trusts, for TLS between the members; see docs/operating-a-group.md")
        Path keyStore,
    @Key("its first line is the password of `group.keyStore`") Path passwordFile,
    @Key(
            "its first line is a secret of 32 characters and more that all members share, instead of `group.keyStore`; see docs/operating-a-group.md")
        Path secretFile,
    @Key("a JGroups stack in XML instead of the built-in one, for `DNS_PING` or `KUBE_PING`")
        Path stackFile,
    @Key(
            value =
                "in mode `lazy`: how long a new leader waits for proxies that may know more than it does",
            min = 0,
            max = 60_000)
        int recoveryWaitMs,
    @Key(
            value =
                "in modes `fifo` and `causal`: how long a member that has answered a leader lets no other lead, so that this one answers queries meanwhile without asking; 0 for not at all, else 20 and more. The next leader may come so much later, and machines' clocks must go on: see docs/replication.md#query-leases first. The same on every member",
            min = 0,
            max = 350)
        int queryLeaseMs) {
  private static final int RECOVERY_WAIT_MS = 2_000;

  /** A group whose members' traffic is in the clear. */
  public GroupConfig(
      String name, String members, GroupMode mode, HostPort advertise, String cluster) {
    this(name, members, null, mode, advertise, cluster);
  }

  /** A group with a witness, whose members' traffic is in the clear. */
  public GroupConfig(
      String name,
      String members,
      String witness,
      GroupMode mode,
      HostPort advertise,
      String cluster) {
    this(
        name,
        members,
        witness,
        mode,
        advertise,
        cluster,
        null,
        null,
        null,
        null,
        RECOVERY_WAIT_MS,
        0);
  }

  /** Whether this member is the witness. */
  @JsonIgnore
  public boolean isWitness() {
    return name.equals(witness);
  }

  /** Whether the node is a member of a group. */
  @JsonIgnore
  public boolean exists() {
    return members != null;
  }

  /**
   * Where the members reach each other, in the order given.
   *
   * @throws IllegalArgumentException when {@code members} is not written as it should be
   */
  @JsonIgnore
  public Map<String, HostPort> memberAddresses() {
    return Members.parse(members);
  }

  void validate() throws ConfigException {
    try {
      Members.requireName(name);
      Members.requireName(cluster);
    } catch (IllegalArgumentException e) {
      throw new ConfigException("group: " + e.getMessage(), e);
    }
    if ((keyStore == null) != (passwordFile == null)) {
      throw new ConfigException(
          "group.keyStore and group.passwordFile are set together, or neither is");
    }
    if (secretFile != null && (keyStore != null || stackFile != null)) {
      throw new ConfigException(
          "group.secretFile is set beside %s: choose one way to encrypt"
              .formatted(keyStore != null ? "group.keyStore" : "group.stackFile"));
    }
    if (!exists()) {
      Members.refuseWithoutGroup("witness", witness);
      Members.refuseWithoutGroup("mode", mode == GroupMode.FIFO ? null : mode.label());
      Members.refuseWithoutGroup("queryLeaseMs", queryLeaseMs == 0 ? null : queryLeaseMs);
      Members.refuseWithoutGroup("keyStore", keyStore);
      Members.refuseWithoutGroup("secretFile", secretFile);
      Members.refuseWithoutGroup("stackFile", stackFile);
      return;
    }
    Map<String, HostPort> addresses;
    try {
      addresses = memberAddresses();
    } catch (IllegalArgumentException e) {
      throw new ConfigException("group.members: " + e.getMessage(), e);
    }
    Members.requireOneOf(addresses, name);
    validateWitness(addresses.keySet());
    validateQueryLease();
    if (stackFile == null) {
      refuseSharedPorts(addresses);
    }
  }

  private static void refuseSharedPorts(Map<String, HostPort> addresses) throws ConfigException {
    Map<HostPort, String> taken = new HashMap<>();
    for (Map.Entry<String, HostPort> member : addresses.entrySet()) {
      String name = member.getKey();
      HostPort address = member.getValue();
      String other =
          taken.putIfAbsent(
              new HostPort(address.host().toLowerCase(Locale.ROOT), address.port()), name);
      if (other != null) {
        throw new ConfigException(
            "group.members: %s and %s would both listen on %s; give one of them another port"
                .formatted(other, name, address));
      }
    }
  }

  /**
   * Looks whether a server of this node would listen where its member does.
   *
   * @param key the server's, whose {@code address} may be null
   */
  void refuseOwnPort(String key, HostPort address) throws ConfigException {
    if (exists() && stackFile == null && Members.isTaken(address, memberAddresses().get(name))) {
      throw new ConfigException(
          "%s: %s is taken: this member listens there for the others, as group.members says; choose another port"
              .formatted(key, address));
    }
  }

  private void validateWitness(Collection<String> names) throws ConfigException {
    if (witness == null) {
      return;
    }
    requireWitness(
        !names.contains(witness), "expected one of the members " + String.join(", ", names));
    requireWitness(
        mode != GroupMode.FIFO && mode != GroupMode.LAZY,
        "in mode %s all members keep data; a group of mode fifo or lazy can have a witness"
            .formatted(mode.label()));
    requireWitness(
        names.size() != 3,
        "a witness goes with two members that keep data, and group.members names %s"
            .formatted(String.join(", ", names)));
  }

  private void validateQueryLease() throws ConfigException {
    if (queryLeaseMs == 0) {
      return;
    }
    if (queryLeaseMs < CoreSettings.QUERY_LEASE_MIN_MS) {
      throw new ConfigException(
          "group.queryLeaseMs: %d is not allowed, expected 0, or %d and more"
              .formatted(queryLeaseMs, CoreSettings.QUERY_LEASE_MIN_MS));
    }
    if (mode == GroupMode.LAZY || mode == GroupMode.TOTAL) {
      throw new ConfigException(
          "group.queryLeaseMs: %d is not allowed, in mode %s no leader asks others before it answers queries; leave it out"
              .formatted(queryLeaseMs, mode.label()));
    }
  }

  private void requireWitness(boolean wrong, String sentence) throws ConfigException {
    if (wrong) {
      throw new ConfigException(
          "group.witness: %s is not allowed, %s".formatted(witness, sentence));
    }
  }
}
