package io.mgtm.ha.node;

import io.mgtm.common.ConfigException;
import io.mgtm.ha.config.ClusterFile;
import io.mgtm.ha.core.LeaderEffects.Reply;
import io.mgtm.ha.core.OperatorCommand;
import io.mgtm.ha.core.Report;
import io.mgtm.ha.kit.Processes;
import io.mgtm.ha.kit.ResourceCheck;
import io.mgtm.ha.model.ClusterConfig;
import io.mgtm.testing.Await;
import io.mgtm.testing.OwnAddress;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Controllers of one cluster in this process, on loopback. */
public final class LocalCluster implements AutoCloseable {
  /** So long that a machine whose processors others take keeps its leases. */
  private static final int LEASE_MS = 20_000;

  final FakeKit kit = new FakeKit();
  private final NodeSetup.KitSource kits;
  private final Path folder;
  private final ClusterFile file;
  private final ClusterConfig config;
  private final String yaml;
  private final Map<String, HaNode> running = new LinkedHashMap<>();

  /** With a kit that only remembers. */
  public LocalCluster(Path folder, List<String> nodes, String hierarchies) throws ConfigException {
    this(folder, nodes, hierarchies, null, "", "");
  }

  LocalCluster(Path folder, List<String> nodes, String hierarchies, NodeSetup.KitSource kits)
      throws ConfigException {
    this(folder, nodes, hierarchies, kits, "", "");
  }

  /**
   * With more keys.
   *
   * @param timing of its timing, after a comma
   * @param fence of each node but a witness, after a comma
   */
  LocalCluster(
      Path folder,
      List<String> nodes,
      String hierarchies,
      NodeSetup.KitSource kits,
      String timing,
      String fence)
      throws ConfigException {
    this.folder = folder;
    this.kits = kits == null ? name -> kit : kits;
    StringBuilder yaml = new StringBuilder("cluster: test\n");
    yaml.append("timing: {heartbeatMs: 100, leaseMs: %d%s}\nnodes:\n".formatted(LEASE_MS, timing));
    for (String node : nodes) {
      yaml.append(
          "  %s: {addresses: [%s], ports: {group: %d, heartbeat: %d, api: %d}%s}\n"
              .formatted(
                  node,
                  OwnAddress.HOST,
                  OwnAddress.port(),
                  OwnAddress.port(),
                  OwnAddress.port(),
                  node.equals("w") ? ", witness: true" : fence));
    }
    yaml.append(hierarchies);
    this.yaml = yaml.toString();
    file = ClusterFile.parse("test", this.yaml, ResourceCheck.NONE);
    config = file.config();
  }

  public String yaml() {
    return yaml;
  }

  public ClusterConfig config() {
    return config;
  }

  public void start(String... names) throws IOException {
    start(config, names);
  }

  /** With another file than the cluster's. */
  void start(ClusterConfig own, String... names) throws IOException {
    for (String name : names) {
      Path home = folder.resolve(name);
      running.put(
          name,
          HaNode.start(
              new NodeSetup(
                  name,
                  own,
                  home.resolve("data"),
                  runtime(name),
                  Optional.empty(),
                  "",
                  kits,
                  file.fences())));
    }
  }

  Path runtime(String name) {
    return folder.resolve(name).resolve("run");
  }

  /** What the kit knows of a resource on a node from now on. */
  public void knows(String node, String resource, Map<String, String> facts) {
    kit.knows(node, resource, facts);
  }

  /** A resource fails on a node, and does not come in service there again. */
  public void breaks(String node, String resource, String why) {
    kit.breaks(node, resource, why);
  }

  /** What is in service there is not healthy, which only its next deep check finds. */
  public void ails(String node, String resource, String what) {
    kit.ails(node, resource, what);
  }

  /** It may come in service there again. */
  public void mend(String node, String resource) {
    kit.mend(node, resource);
  }

  void stop(String name) {
    running.remove(name).close();
  }

  public HaNode node(String name) {
    return running.get(name);
  }

  /** The node that leads, as all that run see it. */
  public Optional<String> leader() {
    List<String> leaders =
        running.values().stream().map(node -> node.view().leader()).distinct().toList();
    return leaders.size() == 1 && running.containsKey(leaders.get(0))
        ? Optional.of(leaders.get(0))
        : Optional.empty();
  }

  /** The same, waited for: a busy machine deposes leaders. */
  public String awaitLeader() {
    return Await.present("a leader", this::leader);
  }

  Report.State state(String seenBy, String node, String hierarchy) {
    ClusterView.NodeStatus status = node(seenBy).view().nodes().get(node);
    Report report = status == null ? null : status.reports().get(hierarchy);
    return report == null ? Report.State.UNKNOWN : report.state();
  }

  /** The node that all who run say has it in service. */
  public Optional<String> where(String hierarchy) {
    return config.nodes().keySet().stream()
        .filter(
            node ->
                running.keySet().stream()
                    .allMatch(seenBy -> state(seenBy, node, hierarchy) == Report.State.IN))
        .findFirst();
  }

  /** The same, waited for. */
  public String awaitWhere(String hierarchy) {
    return Await.present(hierarchy + " in service", () -> where(hierarchy));
  }

  long epoch(String seenBy, String hierarchy) {
    return node(seenBy).view().state().placements().get(hierarchy).epoch();
  }

  /** Also while nobody leads, who can come and go at any moment: that is an answer as well. */
  public Reply ask(OperatorCommand command) {
    return leader()
        .map(name -> node(name).ask("test", command).join())
        .orElse(new Reply(Reply.Outcome.NOT_LEADING, "nobody leads"));
  }

  @Override
  public void close() {
    running.values().forEach(HaNode::close);
    // They outlive their controllers, as they must.
    Await.until(
        "the watchdogs are gone",
        () ->
            config.nodes().keySet().stream()
                .map(name -> Processes.real(folder.resolve(name).resolve("run/watchdog")))
                .allMatch(work -> Processes.kill(one -> one.worksIn(work, "java")) == 0));
  }
}
