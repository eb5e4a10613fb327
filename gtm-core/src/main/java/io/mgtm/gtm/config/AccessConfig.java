package io.mgtm.gtm.config;

import io.mgtm.common.AllowList;
import io.mgtm.common.ConfigException;
import io.mgtm.common.HostPort;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Who may do what. Networks are written {@code ADDRESS/BITS}, or as an address alone.
 *
 * @param clients networks that XC clients may come from; null for all, or, where links need a
 *     secret or TLS, for none
 * @param members networks that other members of the group may come from; null for all
 * @param monitorSecretFile its first line is a secret with which operators may only look; or null
 * @param operateSecretFile the same for those who may also transfer and back up
 * @param administerSecretFile the same for those who may do all; null lets {@code links.secretFile}
 *     do so, which else opens links alone
 */
public record AccessConfig(
    List<String> clients,
    List<String> members,
    Path monitorSecretFile,
    Path operateSecretFile,
    Path administerSecretFile) {

  public AccessConfig {
    clients = clients == null ? null : List.copyOf(clients);
    members = members == null ? null : List.copyOf(members);
  }

  /** Only XC clients are told apart. */
  public AccessConfig(List<String> clients) {
    this(clients, null, null, null, null);
  }

  void validate(LinksConfig links, GroupConfig group) throws ConfigException {
    boolean roles =
        monitorSecretFile != null || operateSecretFile != null || administerSecretFile != null;
    if (roles && links.secretFile() == null) {
      throw new ConfigException(
          "access: secrets of roles need links.secretFile, or links would be open without one");
    }
    networks("access.clients", clients);
    AllowList allowed = networks("access.members", members);
    if (members == null) {
      return;
    }
    if (!group.exists()) {
      throw new ConfigException("access.members is set, and there is no group; set group.members");
    }
    if (group.stackFile() != null) {
      throw new ConfigException(
          "access.members is for the built-in stack; group.stackFile has its own means");
    }
    for (Map.Entry<String, HostPort> member : group.memberAddresses().entrySet()) {
      InetSocketAddress address = member.getValue().resolve();
      if (!address.isUnresolved() && !allowed.allows(address)) {
        throw new ConfigException(
            "access.members: member %s at %s comes from none of these networks"
                .formatted(member.getKey(), member.getValue()));
      }
    }
  }

  private static AllowList networks(String key, List<String> networks) throws ConfigException {
    try {
      return new AllowList(networks == null ? List.of() : networks);
    } catch (IllegalArgumentException e) {
      throw new ConfigException(key + ": " + e.getMessage(), e);
    }
  }
}
