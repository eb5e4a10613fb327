package io.mgtm.gtm.config;

import io.mgtm.common.AllowList;
import io.mgtm.common.ConfigException;
import io.mgtm.common.HostPort;
import io.mgtm.common.Key;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Who may do what. Networks are written {@code ADDRESS/BITS}, or as an address alone. */
public record AccessConfig(
    @Key(
            value =
                "networks that XC clients may come from; unless set, all, or, with `links.secretFile` or `links.tlsOnly`, none: an XC client cannot show who it is, so it then comes through a proxy",
            as = "ADDRESS/BITS")
        List<String> clients,
    @Key(
            value =
                "networks that other members may come from; unless set, all. Not with `group.stackFile`",
            as = "ADDRESS/BITS")
        List<String> members,
    @Key(
            "its first line is a secret, of 16 characters and more, with which operators may look: `status`; a second line as in `links.secretFile`. Needs `links.secretFile`; see docs/operating-a-group.md")
        Path monitorSecretFile,
    @Key("the same for who may also `transfer` and `backup`") Path operateSecretFile,
    @Key("the same for who may do everything; unless set, the secret of `links.secretFile` may")
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
