package io.mgtm.bench.failover;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.mgtm.gtm.client.AdminClient;
import io.mgtm.gtm.net.LocalSocket;
import io.mgtm.gtm.node.admin.NodeStatus;
import io.mgtm.local.LocalInstallation;
import io.mgtm.local.LocalSettings;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import javax.net.SocketFactory;

/** Asks the nodes of an installation what an operator would. One thread at a time calls it. */
public final class GroupOperator {
  private static final AdminClient.Settings ASK =
      new AdminClient.Settings(10_000, null, SocketFactory.getDefault());

  /** More than a member lags that follows, and less than one that is gone for a while. */
  private static final int LAG_ENTRIES_MAX = 2_000;

  private static final ObjectMapper JSON = new ObjectMapper();

  private final LocalInstallation group;

  public GroupOperator(LocalInstallation group) {
    this.group = group;
  }

  /** What a node tells. */
  public NodeStatus status(int node) throws IOException {
    try (AdminClient client = connect(node)) {
      return JSON.readValue(client.ask("status", "").bytes(), NodeStatus.class);
    }
  }

  /** Whether a node says that it takes commands. */
  public boolean serves(int node) throws IOException {
    try (AdminClient client = connect(node)) {
      return client.leadership().leading();
    }
  }

  private AdminClient connect(int node) throws IOException {
    return AdminClient.connect(group.settings().clients().get(node).resolve(), ASK);
  }

  /** How many members vote and follow, or lead, as a node that leads knows it. */
  public long voters(int leader) throws IOException {
    return status(leader).members().stream()
        .filter(member -> member.voter() && follows(member))
        .count();
  }

  /** Not one that is away, nor the identity that a member had before its folder was emptied. */
  private static boolean follows(NodeStatus.MemberStatus member) {
    boolean near = member.lagEntries() >= 0 && member.lagEntries() <= LAG_ENTRIES_MAX;
    return member.connected() && (member.witness() || near);
  }

  /** Asks a leader to let another member lead; what it says. */
  public AdminClient.Answer transfer(int leader, String to) throws IOException {
    try (AdminClient client = AdminClient.connect(socketOf(leader), ASK)) {
      return client.ask("transfer", to);
    }
  }

  /** Where operators of the machine ask; members may have a network of their own. */
  private UnixDomainSocketAddress socketOf(int node) {
    LocalSettings settings = group.settings();
    return UnixDomainSocketAddress.of(
        settings.folder().resolve(settings.name(node)).resolve(LocalSocket.NAME));
  }
}
