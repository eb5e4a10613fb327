package io.mgtm.query.member;

import io.mgtm.common.AllowList;
import io.mgtm.common.HostPort;
import io.mgtm.common.SecretFile;
import io.mgtm.group.DurabilityMode;
import io.mgtm.group.core.Configured;
import io.mgtm.group.core.CoreSettings;
import io.mgtm.group.member.GroupSettings;
import io.mgtm.group.net.GroupSecret;
import io.mgtm.group.net.JGroupsSettings;
import io.mgtm.group.storage.LogSettings;
import io.mgtm.query.config.GroupConfig;
import io.mgtm.query.config.QueryConfig;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** How a replicator takes part in its group, by its configuration. */
final class GroupMember {
  private static final int TAIL_BYTES = 16 << 20;
  private static final int TICK_MS = 10;

  private GroupMember() {}

  static GroupSettings settings(QueryConfig config) {
    return new GroupSettings(
        config.group().name(),
        new Configured(List.copyOf(config.group().memberAddresses().keySet()), ""),
        DurabilityMode.CRITICAL,
        LogSettings.defaults(),
        CoreSettings.defaults(),
        config.limits().logBytesMax() / 2,
        TAIL_BYTES,
        TICK_MS);
  }

  /**
   * How the members reach each other.
   *
   * @throws IOException when a secret cannot be read
   * @throws io.mgtm.group.LogException the same
   */
  static JGroupsSettings network(QueryConfig config) throws IOException {
    GroupConfig group = config.group();
    Map<String, HostPort> members = group.memberAddresses();
    List<InetSocketAddress> hosts = members.values().stream().map(HostPort::resolve).toList();
    return new JGroupsSettings(
        "query-" + group.cluster(),
        members.get(group.name()).resolve(),
        hosts,
        JGroupsSettings.SUSPECT_MS,
        keys(group),
        Optional.ofNullable(group.secretFile()).map(GroupSecret::read),
        Optional.empty(),
        new AllowList(List.of()),
        Optional.empty());
  }

  private static Optional<JGroupsSettings.Tls> keys(GroupConfig group) throws IOException {
    if (group.keyStore() == null) {
      return Optional.empty();
    }
    String password = SecretFile.firstLine("group.passwordFile", group.passwordFile());
    return Optional.of(new JGroupsSettings.Tls(group.keyStore(), password));
  }
}
