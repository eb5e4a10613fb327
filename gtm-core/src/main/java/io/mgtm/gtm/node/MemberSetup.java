package io.mgtm.gtm.node;

import io.mgtm.common.AllowList;
import io.mgtm.common.HostPort;
import io.mgtm.common.SecretFile;
import io.mgtm.group.GroupMode;
import io.mgtm.group.LogException;
import io.mgtm.group.StateMachine;
import io.mgtm.group.core.Configured;
import io.mgtm.group.core.CoreSettings;
import io.mgtm.group.core.Role;
import io.mgtm.group.member.GroupLogs;
import io.mgtm.group.member.GroupSettings;
import io.mgtm.group.member.GroupStatus;
import io.mgtm.group.member.LoneLog;
import io.mgtm.group.member.OpenLog;
import io.mgtm.group.net.GroupSecret;
import io.mgtm.group.net.JGroupsSettings;
import io.mgtm.group.storage.LogSettings;
import io.mgtm.group.total.OrderedLog;
import io.mgtm.group.total.OrderedMachine;
import io.mgtm.group.total.TotalLog;
import io.mgtm.gtm.config.GtmConfig;
import io.mgtm.gtm.node.admin.NodeStatus;
import io.mgtm.gtm.state.GtmState;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens the log of a member, and says what it tells operators. */
final class MemberSetup {
  private static final Logger log = LoggerFactory.getLogger(MemberSetup.class);
  private static final int TAIL_BYTES = 16 << 20;
  private static final int TICK_MS = 10;

  private MemberSetup() {}

  /**
   * Opens the log of a node's folder and joins its group, or leads it alone.
   *
   * @param beginning what waits in the folder for the group to begin with, empty for nothing
   * @param ordered what proposals mean, where every member makes them
   */
  static OpenLog open(
      GtmConfig config,
      String beginning,
      StateMachine machine,
      OrderedMachine ordered,
      ScheduledExecutorService owner,
      OrderedLog.Listener listener) {
    if (!config.group().exists()) {
      return LoneLog.open(config.data(), settings(config, beginning), machine, owner, listener);
    }
    GroupMode mode = config.group().mode();
    GroupSettings settings = settings(config, beginning);
    JGroupsSettings network = network(config);
    return mode == GroupMode.TOTAL
        ? TotalLog.open(config.data(), settings, network, ordered, owner, listener)
        : GroupLogs.open(mode, config.data(), settings, network, machine, owner, listener);
  }

  /** How the members reach each other. */
  static JGroupsSettings network(GtmConfig config) {
    Map<String, HostPort> members = config.group().memberAddresses();
    String name = config.group().name();
    boolean builtIn = config.group().stackFile() == null; // Another one has its own means.
    if (builtIn && !isKnown(members.get(name))) {
      throw new LogException(
          LogException.Category.ACCESS,
          "group.members: %s at %s: the host name is not known; correct it, or give an address"
              .formatted(name, members.get(name)));
    }
    List<InetSocketAddress> hosts = builtIn ? known(members) : List.of();
    List<String> networks = config.access().members();
    return new JGroupsSettings(
        config.group().cluster(),
        members.get(name).resolve(),
        hosts,
        JGroupsSettings.SUSPECT_MS,
        keys(config),
        Optional.ofNullable(config.group().secretFile()).map(GroupSecret::read),
        Optional.ofNullable(config.group().stackFile()),
        new AllowList(networks == null ? List.of() : networks),
        Optional.empty());
  }

  /** One that is gone with its name keeps no other from starting. */
  private static List<InetSocketAddress> known(Map<String, HostPort> members) {
    List<InetSocketAddress> hosts = new ArrayList<>();
    members.forEach(
        (member, address) -> {
          if (isKnown(address)) {
            hosts.add(address.resolve());
          } else {
            log.warn(
                "group.members: {} at {}: the host name is not known, so that member is not looked for; correct it, or restart this one once the name is known",
                member,
                address);
          }
        });
    return hosts;
  }

  private static boolean isKnown(HostPort address) {
    return !address.resolve().isUnresolved();
  }

  private static Optional<JGroupsSettings.Tls> keys(GtmConfig config) {
    if (config.group().keyStore() == null) {
      return Optional.empty();
    }
    try {
      String password = SecretFile.firstLine("group.passwordFile", config.group().passwordFile());
      return Optional.of(new JGroupsSettings.Tls(config.group().keyStore(), password));
    } catch (IOException e) {
      throw new LogException(LogException.Category.ACCESS, e.getMessage(), e);
    }
  }

  /** How the member takes part. */
  private static GroupSettings settings(GtmConfig config, String beginning) {
    LogSettings base = LogSettings.defaults();
    LogSettings segments =
        new LogSettings(
            config.log().segmentBytes(),
            base.sparesAhead(),
            base.sparesMax(),
            base.roomWaitMs(),
            base.roomRetryMs());
    if (!config.group().exists()) {
      return GroupSettings.alone(config.durability(), segments, config.log().checkpointBytes());
    }
    return new GroupSettings(
        config.group().name(),
        new Configured(
            List.copyOf(config.group().memberAddresses().keySet()),
            Objects.requireNonNullElse(config.group().witness(), ""),
            beginning),
        config.durability(),
        segments,
        CoreSettings.defaults().withQueryLeaseMs(config.group().queryLeaseMs()),
        config.log().checkpointBytes(),
        TAIL_BYTES,
        TICK_MS);
  }

  /** What a member tells operators; its trouble is why it has no place in the group. */
  static NodeStatus status(GtmConfig config, GroupStatus s, boolean serving, GtmState state) {
    boolean alone = !config.group().exists();
    String name = config.group().name();
    String leader = alone ? name : s.leader();
    Map<String, String> addresses = new HashMap<>(state.memberAddresses());
    addresses.putIfAbsent(name, config.advertised(config.listen().port()).toString());
    Map<String, HostPort> members = alone ? Map.of() : config.group().memberAddresses();
    return new NodeStatus(
        name,
        alone ? "single" : config.group().mode().label(),
        role(config, s),
        serving,
        s.transferring(),
        s.term(),
        leader,
        addresses.getOrDefault(leader, ""),
        s.lastIndex(),
        s.committedIndex(),
        s.appliedIndex(),
        s.durability().label(),
        state.counts().sessions(),
        s.members().stream()
            .filter(member -> !alone)
            .map(member -> status(s, member, addresses, members))
            .sorted(Comparator.comparing(NodeStatus.MemberStatus::name))
            .toList(),
        s.warnings(),
        s.outside().isEmpty() ? "" : name + " " + s.outside());
  }

  private static String role(GtmConfig config, GroupStatus s) {
    if (!s.outside().isEmpty()) {
      return "outsider";
    }
    if (config.group().isWitness()) {
      return "witness";
    }
    return switch (s.role()) {
      case LEADER -> "leader";
      case FOLLOWER -> "follower";
      case PRE_CANDIDATE, CANDIDATE -> "candidate";
    };
  }

  private static NodeStatus.MemberStatus status(
      GroupStatus s,
      GroupStatus.Member member,
      Map<String, String> addresses,
      Map<String, HostPort> members) {
    HostPort groupAddress = members.get(member.name());
    boolean witness = member.name().equals(s.witness());
    boolean known = s.role() == Role.LEADER && member.matchedIndex() >= 0 && !witness;
    return new NodeStatus.MemberStatus(
        member.name(),
        member.voter(),
        witness,
        member.connected(),
        known ? member.matchedIndex() : -1,
        known ? Math.max(0, s.lastIndex() - member.matchedIndex()) : -1,
        addresses.getOrDefault(member.name(), ""),
        groupAddress == null ? "" : groupAddress.toString());
  }
}
