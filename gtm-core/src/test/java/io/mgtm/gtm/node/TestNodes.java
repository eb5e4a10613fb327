package io.mgtm.gtm.node;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.mgtm.common.HostPort;
import io.mgtm.group.DurabilityMode;
import io.mgtm.group.GroupMode;
import io.mgtm.gtm.client.AdminClient;
import io.mgtm.gtm.config.GroupConfig;
import io.mgtm.gtm.config.GtmConfig;
import io.mgtm.gtm.config.LinksConfig;
import io.mgtm.gtm.net.LocalSocket;
import io.mgtm.gtm.node.admin.NodeStatus;
import io.mgtm.gtm.node.backup.Takeover;
import io.mgtm.gtm.wire.link.AdminReplyKind;
import io.mgtm.testing.Await;
import io.mgtm.testing.OwnAddress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import javax.net.SocketFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The nodes of a group in this process, on free loopback ports. */
public final class TestNodes implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TestNodes.class);
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Path folder;
  private final GroupMode mode;

  /** The one that keeps no data, or null. */
  private final String witness;

  private final Map<String, Integer> groupPorts = new TreeMap<>();
  private final Map<String, Integer> ports = new TreeMap<>();
  private final Map<String, GtmServer> running = new TreeMap<>();
  private final Map<String, LinksConfig> links = new TreeMap<>();

  private TestNodes(Path folder, GroupMode mode, String witness, List<String> names) {
    this.folder = folder;
    this.mode = mode;
    this.witness = witness;
    for (String name : names) {
      addNode(name);
    }
  }

  /** Three nodes; they are not started. */
  public static TestNodes three(Path folder) {
    return three(folder, GroupMode.FIFO);
  }

  /** Three nodes of a group in a mode. */
  public static TestNodes three(Path folder, GroupMode mode) {
    return new TestNodes(folder, mode, null, List.of("g1", "g2", "g3"));
  }

  /** Two nodes that keep data, and the witness g3. */
  public static TestNodes pairWithWitness(Path folder, GroupMode mode) {
    return new TestNodes(folder, mode, "g3", List.of("g1", "g2", "g3"));
  }

  /** A further node, to be started with all that are known by then as its members. */
  void addNode(String name) {
    groupPorts.put(name, OwnAddress.port());
    ports.put(name, OwnAddress.port());
  }

  /** How a node takes links from its next start on; operators then come by its own socket. */
  void links(String name, LinksConfig of) {
    links.put(name, of);
  }

  /** The ports at which clients and links reach the nodes, by name. */
  Map<String, Integer> ports() {
    return ports;
  }

  /** Where a node keeps its log, and listens at its own socket. */
  public Path data(String name) {
    return folder.resolve(name);
  }

  private GtmConfig config(String name) {
    GtmConfig d = GtmConfig.DEFAULTS;
    String members =
        groupPorts.entrySet().stream()
            .map(e -> e.getKey() + "=" + OwnAddress.HOST + ":" + e.getValue())
            .collect(Collectors.joining(","));
    return new GtmConfig(
        data(name),
        new HostPort(OwnAddress.HOST, ports.get(name)),
        null,
        DurabilityMode.CRITICAL,
        1,
        new GtmConfig.Log(1024 * 1024, 1024 * 1024),
        d.gxid(),
        d.limits(),
        d.timeouts(),
        new GroupConfig(name, members, witness, mode, null, "test"),
        links.getOrDefault(name, d.links()),
        d.access());
  }

  public TestNodes startAll() throws IOException {
    return startAll(null);
  }

  public void start(String name) throws IOException {
    start(name, null);
  }

  /** Starts every node with the same import. */
  TestNodes startAll(Takeover takeover) throws IOException {
    for (String name : ports.keySet()) {
      start(name, takeover);
    }
    return this;
  }

  void start(String name, Takeover takeover) throws IOException {
    running.put(name, GtmServer.start(config(name), takeover));
  }

  /** Stops a node in order: it hands the leadership over. */
  public void stop(String name) {
    running.remove(name).close();
  }

  /** Stops a node at once. */
  void kill(String name) {
    running.remove(name).closeAtOnce();
  }

  void killAll() {
    List.copyOf(running.keySet()).forEach(this::kill);
  }

  public GtmServer server(String name) {
    return running.get(name);
  }

  /** What a node tells operators. */
  public NodeStatus status(String name) {
    try (AdminClient client = admin(name)) {
      AdminClient.Answer answer = client.ask("status", "");
      assertThat(answer.kind()).isEqualTo(AdminReplyKind.DONE);
      return JSON.readValue(answer.bytes(), NodeStatus.class);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  AdminClient admin(String name) throws IOException {
    return AdminClient.connect(
        links.containsKey(name)
            ? UnixDomainSocketAddress.of(data(name).resolve(LocalSocket.NAME))
            : running.get(name).address(),
        new AdminClient.Settings(60_000, null, SocketFactory.getDefault()));
  }

  /** The name of the node that leads and serves. */
  public String leader() {
    return leading().member();
  }

  /** What the node says that leads and serves. */
  private NodeStatus leading() {
    AtomicReference<List<NodeStatus>> leaders = new AtomicReference<>();
    Await.until(
        "a leader",
        () -> {
          leaders.set(leaders());
          return leaders.get().size() == 1;
        });
    return leaders.get().get(0);
  }

  private List<NodeStatus> leaders() {
    return running.keySet().stream().map(this::status).filter(TestNodes::leads).toList();
  }

  /** What is asked of the leader. */
  interface AtLeader<T> {
    T ask(NodeStatus leader) throws Exception;
  }

  /**
   * Asks the node that leads, and the next one when that was deposed meanwhile: a busy machine
   * deposes leaders. What fails while one node leads is an error.
   */
  <T> T atLeader(AtLeader<T> asked) throws Exception {
    while (true) {
      NodeStatus leader = leading();
      try {
        return asked.ask(leader);
      } catch (AssertionError | IOException e) {
        NodeStatus now = leading();
        if (now.member().equals(leader.member()) && now.term() == leader.term()) {
          throw e;
        }
      }
    }
  }

  /** In mode total the others serve as well. */
  private static boolean leads(NodeStatus status) {
    return status.serving() && status.role().equals("leader");
  }

  /** Waits until each node that runs serves. */
  void awaitAllServe() {
    Await.until(
        "all nodes to serve",
        () -> running.keySet().stream().allMatch(name -> status(name).serving()));
  }

  /** One that runs and does not lead. */
  public String follower() {
    String leader = leader();
    return running.keySet().stream().filter(n -> !n.equals(leader)).findFirst().orElseThrow();
  }

  /**
   * Waits until the leader may hand over to another node: it serves the group itself, which in mode
   * total is more than to serve clients, and the other votes and has all that the leader has.
   */
  public void awaitInStep(String name) {
    Await.until(name + " to be in step with the leader", () -> isInStep(status(leader()), name));
  }

  /** Waits until a node votes and has what the leader had when this was called. */
  void awaitCaughtUp(String name) {
    long all = leading().lastIndex();
    Await.until(
        name + " to catch up",
        () ->
            leading().members().stream()
                .anyMatch(m -> m.name().equals(name) && m.voter() && m.matchedIndex() >= all));
  }

  private static boolean isInStep(NodeStatus leader, String name) {
    return !leader.transferring()
        && leader.committedIndex() == leader.lastIndex()
        && leader.members().stream()
            .anyMatch(m -> m.name().equals(name) && m.voter() && m.lagEntries() == 0);
  }

  /**
   * Lets a node lead, which it does on return. Asks again: what a leader has granted may come to
   * nothing on a busy machine.
   */
  void transfer(String to) {
    Await.until(
        to + " to lead",
        () -> {
          NodeStatus leader = leading();
          if (!leader.member().equals(to) && isInStep(leader, to)) {
            askToTransfer(leader.member(), to);
          }
          return leader.member().equals(to);
        });
  }

  private void askToTransfer(String leader, String to) {
    try {
      AdminClient.Answer answer = ask(leader, "transfer", to);
      LOG.info("{} is asked to let {} lead: {}", leader, to, answer.text());
    } catch (IOException e) {
      LOG.info("{} is asked to let {} lead and does not answer: {}", leader, to, e.getMessage());
    }
  }

  /** What a node answers an operator. */
  AdminClient.Answer ask(String node, String verb, String argument) throws IOException {
    try (AdminClient admin = admin(node)) {
      return admin.ask(verb, argument);
    }
  }

  LinkClient link(String node, String gateway) throws IOException {
    return LinkClient.connect(running.get(node).address(), gateway);
  }

  @Override
  public void close() {
    List.copyOf(running.values()).forEach(GtmServer::closeAtOnce);
  }
}
