package io.mgtm.bench.failover;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.mgtm.common.HostPort;
import io.mgtm.gtm.client.AdminClient;
import io.mgtm.gtm.net.LocalSocket;
import io.mgtm.gtm.node.admin.NodeStatus;
import io.mgtm.gtm.wire.link.AdminReplyKind;
import io.mgtm.local.LocalInstallation;
import io.mgtm.local.LocalSettings;
import java.io.IOException;
import java.io.OutputStream;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import javax.net.SocketFactory;

/** Asks the nodes of a group what an operator would. One thread at a time calls it. */
public final class GroupOperator {
  private static final AdminClient.Settings ASK =
      new AdminClient.Settings(10_000, null, SocketFactory.getDefault());

  /** For what takes longer, as a backup does. */
  private static final AdminClient.Settings ASK_LONG =
      new AdminClient.Settings(60_000, null, SocketFactory.getDefault());

  /** More than a member lags that follows, and less than one that is gone for a while. */
  private static final int LAG_ENTRIES_MAX = 2_000;

  private static final ObjectMapper JSON = new ObjectMapper();

  private final List<HostPort> clients;
  private final List<Path> folders;

  /** Of nodes that are asked where clients connect, wherever they run. */
  public GroupOperator(List<HostPort> clients) {
    this(clients, List.of());
  }

  /** Of an installation of this machine. */
  public GroupOperator(LocalInstallation group) {
    this(group.settings().clients(), folders(group.settings()));
  }

  private GroupOperator(List<HostPort> clients, List<Path> folders) {
    this.clients = clients;
    this.folders = folders;
  }

  private static List<Path> folders(LocalSettings settings) {
    return IntStream.range(0, settings.nodes())
        .mapToObj(node -> settings.folder().resolve(settings.name(node)))
        .toList();
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

  /** Has a node take a backup. */
  public void backup(int node, OutputStream into) throws IOException {
    try (AdminClient client = AdminClient.connect(clients.get(node).resolve(), ASK_LONG)) {
      AdminClient.Answer answer = client.ask("backup", "", into);
      if (answer.kind() != AdminReplyKind.DONE) {
        throw new IOException("backup at %s: %s".formatted(clients.get(node), answer.text()));
      }
    }
  }

  private AdminClient connect(int node) throws IOException {
    return AdminClient.connect(clients.get(node).resolve(), ASK);
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

  /** Asks a leader of an installation to let another member lead; what it says. */
  public AdminClient.Answer transfer(int leader, String to) throws IOException {
    try (AdminClient client = AdminClient.connect(socketOf(leader), ASK)) {
      return client.ask("transfer", to);
    }
  }

  /** Where operators of the machine ask; members may have a network of their own. */
  private UnixDomainSocketAddress socketOf(int node) {
    return UnixDomainSocketAddress.of(folders.get(node).resolve(LocalSocket.NAME));
  }
}
