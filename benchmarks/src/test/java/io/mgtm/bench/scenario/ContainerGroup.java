package io.mgtm.bench.scenario;

import com.github.dockerjava.api.model.Capability;
import com.github.dockerjava.api.model.ExposedPort;
import com.github.dockerjava.api.model.PortBinding;
import com.github.dockerjava.api.model.Ports;
import io.mgtm.bench.failover.GroupOperator;
import io.mgtm.common.HostPort;
import io.mgtm.gtm.node.admin.NodeStatus;
import io.mgtm.local.LeaderSearch;
import io.mgtm.testing.Await;
import io.mgtm.testing.OwnAddress;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.startupcheck.OneShotStartupCheckStrategy;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.lifecycle.Startables;

/**
 * Three GTMs and a proxy, each in a container, and what is done to them. The images must be there;
 * none is pulled. One thread calls it.
 */
final class ContainerGroup implements AutoCloseable {
  static final int NODES = 3;
  private static final int GTM_PORT = 6666;
  private static final long MEMORY_BYTES = 512L << 20;
  private static final String KEPT = "/var/lib/mgtm";
  private static final String DATA = KEPT + "/gtm";
  private static final String BALLAST = KEPT + "/ballast";

  /** A disk in memory, as small as it may be with a log in small files that is never cut. */
  private static final String SMALL_DISK = "size=64m,mode=0750,uid=10001,gid=10001";

  private static final String SMALL_FILES =
      "echo 'log: {segmentBytes: 1048576, checkpointBytes: 1073741824}' >/tmp/gtm.yaml"
          + " && exec mgtm \"$@\" --config /tmp/gtm.yaml";

  static final String NODE_IMAGE = Containers.image("gtm");

  /** Has the program {@code ip}. */
  private static final String TOOLS_IMAGE = Containers.image("all");

  private final Containers containers;
  private final List<GenericContainer<?>> nodes = new ArrayList<>();
  private final List<HostPort> clients;
  private final GenericContainer<?> proxy;
  private final HostPort proxyAddress;
  private final GroupOperator operator;

  private final boolean smallDisks;

  private ContainerGroup(Containers containers, String image, boolean smallDisks) {
    this.containers = containers;
    this.smallDisks = smallDisks;
    List<HostPort> at = OwnAddress.addresses(NODES + 1).stream().map(HostPort::of).toList();
    clients = at.subList(0, NODES);
    proxyAddress = at.get(NODES);
    operator = new GroupOperator(clients);
    for (int i = 0; i < NODES; i++) {
      nodes.add(node(i, image));
    }
    proxy =
        container(Containers.image("proxy"), "proxy", proxyAddress)
            .withCommand(
                "proxy start --listen 0.0.0.0:6666 --metrics 0.0.0.0:9188"
                    + " --gtm g1:6666,g2:6666,g3:6666 --name proxy")
            .waitingFor(Wait.forLogMessage("Proxy listening.*\\n", 1));
  }

  /** Those that a group is made of and disturbed by. */
  static Stream<String> images() {
    return Stream.of(NODE_IMAGE, Containers.image("proxy"), TOOLS_IMAGE);
  }

  private GenericContainer<?> node(int i, String image) {
    GenericContainer<?> node =
        container(image, name(i), clients.get(i))
            .withCommand(
                "gtm start --data %s --listen 0.0.0.0:6666 --metrics 0.0.0.0:9187 --name %s --members %s"
                    .formatted(DATA, name(i), "g1=g1:7600,g2=g2:7600,g3=g3:7600"))
            .waitingFor(Wait.forLogMessage("GTM listening.*\\n", 1));
    return smallDisks ? onSmallDisk(node) : node;
  }

  /** What it keeps is lost when it ends. */
  private static GenericContainer<?> onSmallDisk(GenericContainer<?> node) {
    return node.withTmpFs(Map.of("/tmp", "exec", KEPT, SMALL_DISK))
        .withCreateContainerCmdModifier(
            command -> {
              command.withEntrypoint("/bin/bash", "-c", SMALL_FILES, "mgtm");
              command.getHostConfig().withBinds();
            });
  }

  /** As docs/containers.md runs them: nothing to write to but the data and /tmp, no capability. */
  private GenericContainer<?> container(String image, String name, HostPort published) {
    return containers
        .container(image, name)
        .withStartupTimeout(Await.PATIENCE)
        .withTmpFs(Map.of("/tmp", "exec"))
        .withCreateContainerCmdModifier(
            command ->
                command
                    .withHostName(name)
                    .getHostConfig()
                    .withReadonlyRootfs(true)
                    .withBinds(containers.data(name))
                    .withCapDrop(Capability.ALL)
                    .withMemory(MEMORY_BYTES)
                    .withPortBindings(
                        new PortBinding(
                            Ports.Binding.bindIpAndPort(published.host(), published.port()),
                            ExposedPort.tcp(GTM_PORT))));
  }

  /**
   * Starts them, and waits until all nodes vote.
   *
   * @param keep as {@link Containers#begin}
   * @param image of the nodes
   */
  static ContainerGroup start(boolean keep, String image) {
    return start(new ContainerGroup(Containers.begin(keep), image, false));
  }

  /** The same of the present image, on disks that are soon full; no node of it may end. */
  static ContainerGroup startOnSmallDisks(boolean keep) {
    return start(new ContainerGroup(Containers.begin(keep), NODE_IMAGE, true));
  }

  private static ContainerGroup start(ContainerGroup group) {
    try {
      Startables.deepStart(group.nodes).join();
      group.proxy.start();
      group.awaitAllVote();
      return group;
    } catch (RuntimeException | Error e) {
      group.close();
      throw e;
    }
  }

  static String name(int node) {
    return "g" + (node + 1);
  }

  HostPort proxyAddress() {
    return proxyAddress;
  }

  /** For people: each container's name, and where it is reached. */
  String describe() {
    StringBuilder text = new StringBuilder("%nThey run on:%n".formatted());
    for (int i = 0; i < NODES; i++) {
      text.append(
          "%s %s at %s%n"
              .formatted(name(i), nodes.get(i).getContainerName().substring(1), clients.get(i)));
    }
    return text.append(
            "proxy %s at %s%n".formatted(proxy.getContainerName().substring(1), proxyAddress))
        .toString();
  }

  /** The node that leads, from 0; waits for one. */
  int leader() {
    LeaderSearch search = new LeaderSearch(clients);
    int[] found = {-1};
    Await.until("a node leads", () -> (found[0] = search.find()) >= 0);
    return found[0];
  }

  /** Waits until another node leads. */
  void awaitLeaderOtherThan(int node) {
    Await.until(
        "another node than " + name(node) + " leads",
        () -> {
          int leader = new LeaderSearch(clients).find();
          return leader >= 0 && leader != node;
        });
  }

  /** Whether a node says that it takes commands; false as well when it does not answer. */
  boolean serves(int node) {
    try {
      return operator.serves(node);
    } catch (IOException e) {
      return false;
    }
  }

  /** Waits until all nodes follow or lead, and each knows that all vote. */
  void awaitAllVote() {
    Await.until("all nodes vote", this::allVote);
  }

  private boolean allVote() {
    try {
      for (int i = 0; i < NODES; i++) {
        if (operator.status(i).members().stream().filter(NodeStatus.MemberStatus::voter).count()
            != NODES) {
          return false;
        }
      }
      int leader = new LeaderSearch(clients).find();
      return leader >= 0 && operator.voters(leader) == NODES;
    } catch (IOException e) {
      return false; // Who was asked is not there now, which is what is waited for.
    }
  }

  void kill(int node) {
    containers.kill(nodes.get(node));
  }

  void killProxy() {
    containers.kill(proxy);
  }

  void startProxy() {
    containers.start(proxy);
  }

  /** By SIGTERM, and waits for its end. */
  void stop(int node) {
    containers.stop(nodes.get(node));
  }

  void start(int node) {
    containers.start(nodes.get(node));
  }

  void pause(int node) {
    containers.pause(nodes.get(node));
  }

  void resume(int node) {
    containers.resume(nodes.get(node));
  }

  /** Takes what room there is on a node's small disk. */
  void fillDisk(int node) {
    containers.fillDisk(nodes.get(node), BALLAST);
  }

  /** There is room again. */
  void emptyDisk(int node) {
    containers.emptyDisk(nodes.get(node), BALLAST);
  }

  /** Stops a node, and recreates its container from another image, on the same data. */
  void replace(int node, String image) {
    stop(node);
    nodes.get(node).close();
    nodes.set(node, node(node, image));
    nodes.get(node).start();
  }

  /** Whom a node is cut off from. */
  enum Others {
    MEMBERS,
    MEMBERS_AND_PROXY
  }

  /** What a node sends to these is dropped, so that no connection between them lives. */
  void cut(int node, Others others) {
    route(node, "add", others);
  }

  /** They are reached again. */
  void heal(int node, Others others) {
    route(node, "del", others);
  }

  /** By a container in the node's network, since the node's own may do nothing of the kind. */
  private void route(int node, String verb, Others others) {
    List<GenericContainer<?>> from = new ArrayList<>(nodes);
    from.remove(node);
    if (others == Others.MEMBERS_AND_PROXY) {
      from.add(proxy);
    }
    String commands =
        from.stream()
            .map(other -> "ip route " + verb + " blackhole " + address(other))
            .collect(Collectors.joining(" && "));
    try (GenericContainer<?> tool = Containers.plain(TOOLS_IMAGE)) {
      tool.withNetworkMode("container:" + nodes.get(node).getContainerId())
          .withCreateContainerCmdModifier(
              command ->
                  command
                      .withUser("0:0")
                      .withEntrypoint("/bin/sh", "-c", commands)
                      .getHostConfig()
                      .withCapAdd(Capability.NET_ADMIN))
          .withStartupCheckStrategy(new OneShotStartupCheckStrategy().withTimeout(Await.PATIENCE))
          .start();
    }
  }

  /** A container that was started again may have another than before. */
  private static String address(GenericContainer<?> container) {
    return container.getCurrentContainerInfo().getNetworkSettings().getNetworks().values().stream()
        .findFirst()
        .orElseThrow()
        .getIpAddress();
  }

  @Override
  public void close() {
    if (containers.kept()) {
      return;
    }
    proxy.close();
    nodes.forEach(GenericContainer::close);
    containers.close();
  }
}
