package io.mgtm.bench.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.github.dockerjava.api.model.Bind;
import com.github.dockerjava.api.model.Capability;
import io.mgtm.bench.ha.Commits;
import io.mgtm.bench.ha.ControllerApi;
import io.mgtm.bench.ha.Engine;
import io.mgtm.bench.ha.LoopDevices;
import io.mgtm.testing.Await;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.images.builder.Transferable;
import org.testcontainers.lifecycle.Startables;

/**
 * PostgreSQL on a replicated volume, kept in service by controllers on one of two nodes, with a
 * witness, each in a container, and a client in that of the witness. One thread calls it.
 */
final class DatabaseContainers implements AutoCloseable {
  private static final String IMAGE = Containers.image("database");
  private static final List<String> NODES = List.of("db1", "db2");
  private static final String WITNESS = "db3";
  private static final String SECRET = "6d67746d".repeat(8);
  private static final int SECRET_MODE = 0600;
  private static final String LOCALHOST = "127.0.0.1";
  private static final int VOLUME_METRICS = 9189;
  private static final Path RUNTIME = Path.of("/tmp/mgtm-ha");

  private static final String CONFIGURATION =
      """
      cluster: scenario
      secretFile: /etc/mgtm/secret
      nodes:
        db1: {addresses: [%1$s11]}
        db2: {addresses: [%1$s12]}
        db3: {addresses: [%1$s13], witness: true}
      hierarchies:
        orders:
          nodes: [db1, db2]
          resources:
            disk:
              kit: volume
              parameters: {volume: v1, file: /var/lib/mgtm/disk/v1, listen: "unix:/tmp/v1.sock", linkKey: /etc/mgtm/secret, copies: "db1=%1$s11:7800, db2=%1$s12:7800"}
            data: {kit: filesystem, on: [disk], parameters: {mount: /srv, nbd: "nbd+unix:///v1?socket=/tmp/v1.sock"}}
            address: {kit: ip, parameters: {address: %1$s100/16, device: eth0}}
            database: {kit: postgresql, on: [data, address], parameters: {data: /srv/data, port: 5432}}
      """;

  /** Makes a copy with a database on it, in the place of an agent that then serves it. */
  private static final String FILL =
      """
      %s
      mkdir -p /var/lib/mgtm/disk
      truncate -s 192M /var/lib/mgtm/disk/v1
      mkfs.ext4 -q -d /tmp/image /var/lib/mgtm/disk/v1
      """;

  private static final String AGENT =
      "mkdir -p /var/lib/mgtm/disk && exec mgtm volume start --name v1 --file /var/lib/mgtm/disk/v1 --size 192M"
          + " --link-key /etc/mgtm/secret --listen unix:/tmp/v1.sock --metrics 127.0.0.1:9189"
          + " --receive %s:7800 --replica %s:7800 --mode sync";

  private static final String BALLAST = "/var/lib/mgtm/disk/ballast";

  /** From here on a copy is on a disk in memory that is soon full, until the container ends. */
  private static final String SMALL_DISK =
      "mkdir /tmp/small && mount -t tmpfs -o size=150m tmpfs /tmp/small"
          + " && cp -a --sparse=always /var/lib/mgtm/disk/. /tmp/small"
          + " && mount --bind /tmp/small /var/lib/mgtm/disk && ";

  /** Started again when its watchdog has ended it, as systemd does it. */
  private static final String CONTROLLER =
      "install -d -o postgres /run/postgresql; while sleep 0.2; do mgtm ha start"
          + " --config /etc/mgtm/ha.yaml --data /var/lib/mgtm/ha --runtime "
          + RUNTIME
          + "; done";

  private final Containers containers;
  private final ControllerApi api = new ControllerApi("orders", SECRET);
  private final Map<String, GenericContainer<?>> controllers = new LinkedHashMap<>();

  private DatabaseContainers(Containers containers) {
    this.containers = containers;
  }

  /** Those that it is made of. */
  static Stream<String> images() {
    return Stream.of(IMAGE);
  }

  /**
   * Starts them, and waits until the database is in service and either node could have it.
   *
   * @param keep as {@link Containers#begin}
   */
  static DatabaseContainers start(boolean keep) throws IOException, InterruptedException {
    return start(keep, "");
  }

  /** The same on disks that are soon full; no container of it may end. */
  static DatabaseContainers startOnSmallDisks(boolean keep)
      throws IOException, InterruptedException {
    return start(keep, SMALL_DISK);
  }

  private static DatabaseContainers start(boolean keep, String before)
      throws IOException, InterruptedException {
    DatabaseContainers started = new DatabaseContainers(Containers.beginWithAddresses(keep));
    try {
      started.fillCopies();
      for (String node : List.of("db1", "db2", WITNESS)) {
        String first = node.equals(WITNESS) ? "" : before;
        started.controllers.put(node, started.container(node, first + CONTROLLER));
      }
      Startables.deepStart(started.controllers.values()).join();
      started.awaitInStep();
      return started;
    } catch (IOException | InterruptedException | RuntimeException | Error e) {
      started.close();
      throw e;
    }
  }

  /**
   * Root, and what kits need: to mount, with the devices of FUSE and of loops, to set an address,
   * and to look where processes of another user work.
   */
  private GenericContainer<?> container(String name, String commands) {
    int host = name.charAt(name.length() - 1) - '0';
    return containers
        .container(IMAGE, name)
        .withCommand("-c", commands)
        .withStartupTimeout(Await.PATIENCE)
        .withTmpFs(Map.of("/tmp", "exec", "/run", "exec"))
        .withCopyToContainer(Transferable.of(SECRET + "\n", SECRET_MODE), "/etc/mgtm/secret")
        .withCopyToContainer(
            Transferable.of(CONFIGURATION.formatted(containers.addresses())), "/etc/mgtm/ha.yaml")
        .withCreateContainerCmdModifier(
            command -> {
              command.withHostName(name).withUser("0:0").withEntrypoint("first", "bash");
              command.withIpv4Address(containers.addresses() + (10 + host));
              command
                  .getHostConfig()
                  .withCapAdd(
                      Capability.SYS_ADMIN,
                      Capability.SYS_PTRACE,
                      Capability.NET_ADMIN,
                      Capability.NET_RAW)
                  .withSecurityOpts(List.of("apparmor=unconfined"))
                  .withDeviceCgroupRules(List.of("c 10:229 rw", "c 10:237 rw", "b 7:* rw"))
                  .withBinds(containers.data(name), Bind.parse("/dev:/dev"));
            });
  }

  /**
   * As docs/ha.md has it done: both copies are filled before the controllers run. A demotion hands
   * over to the other copy, that of the node that is the first to have it in service.
   */
  private void fillCopies() throws IOException, InterruptedException {
    String create = FILL.formatted(Engine.POSTGRESQL.creation(Path.of("/tmp/image/data")));
    try (GenericContainer<?> first = container("db2", create + AGENT.formatted("db2", "db1"));
        GenericContainer<?> second = container("db1", AGENT.formatted("db1", "db2"))) {
      Startables.deepStart(
              Stream.of(first, second)
                  .map(agent -> agent.waitingFor(Wait.forLogMessage(".*NBD at.*\\n", 1))))
          .join();
      await(first, "a copy is promoted", "mgtm", "volume", "promote", "--name", "v1");
      await(first, "the other copy is filled", "healthy", "" + VOLUME_METRICS);
      await(first, "it is demoted", "mgtm", "volume", "demote", "--name", "v1");
      containers.stop(first);
      containers.stop(second);
    }
  }

  private static void await(GenericContainer<?> container, String what, String... command) {
    Await.until(what, () -> container.execInContainer(command).getExitCode() == 0);
  }

  /** Such a command runs in a node's container, with the same input. */
  private List<String> inside(String node, List<String> command) {
    List<String> whole = new ArrayList<>(List.of("docker", "exec", "-i"));
    whole.add(controllers.get(node).getContainerId());
    whole.addAll(command);
    return whole;
  }

  /** By the first that answers; a witness knows nothing of it. */
  private JsonNode status() throws IOException, InterruptedException {
    JsonNode status = MissingNode.getInstance();
    for (String node : NODES) {
      if (status.isMissingNode()) {
        status = api.status(command -> inside(node, command), LOCALHOST);
      }
    }
    return status;
  }

  /** The node that has the database in service; empty when none has. */
  String primary() throws IOException, InterruptedException {
    return api.primary(status());
  }

  void awaitInStep() {
    Await.until(
        "the database is in service, and the other node could have it",
        () -> {
          JsonNode status = status();
          return api.inStep(status, api.primary(status), NODES);
        });
  }

  /** A client that commits rows, until it is closed. */
  Commits commit(Path log) throws IOException, InterruptedException {
    String address = containers.addresses() + "100";
    return Commits.start(Engine.POSTGRESQL, command -> inside(WITNESS, command), address, log);
  }

  /**
   * Kills the container of the node that has the database in service, with all that runs in it.
   *
   * @return the node, to be started again
   */
  String killPrimary() throws IOException, InterruptedException {
    String primary = primary();
    assertThat(NODES).contains(primary);
    List<String> loops = loops(primary);
    containers.kill(controllers.get(primary));
    // A machine that dies takes its loop devices along; those of a container are the kernel's.
    LoopDevices.detach(command -> inside(WITNESS, command), loops);
    return primary;
  }

  private List<String> loops(String node) throws IOException, InterruptedException {
    return LoopDevices.of(command -> inside(node, command), RUNTIME);
  }

  /** Takes what room there is on the disk of a node's copy. */
  void fillDisk(String node) {
    containers.fillDisk(controllers.get(node), BALLAST);
  }

  /** There is room again. */
  void emptyDisk(String node) {
    containers.emptyDisk(controllers.get(node), BALLAST);
  }

  /** Whether a node's copy has failed, so that it serves what the other has. */
  boolean diskless(String node) {
    return containers
        .output(controllers.get(node), "mgtm", "volume", "status", "--name", "v1")
        .contains("DISKLESS");
  }

  /** As an operator does it, from one node to the other. */
  void switchOver(String from) {
    String to = NODES.get(1 - NODES.indexOf(from));
    await(
        controllers.get(WITNESS),
        "the switchover to " + to + " begins",
        ("mgtm ha switchover orders --secret-file /etc/mgtm/secret --to " + to).split(" "));
    awaitPrimaryOtherThan(from);
  }

  void awaitPrimaryOtherThan(String node) {
    Await.until(
        "another node than " + node + " has it in service",
        () -> {
          String primary = primary();
          return !primary.isEmpty() && !primary.equals(node);
        });
  }

  void start(String node) {
    containers.start(controllers.get(node));
  }

  /** For people: each container's name. */
  String describe() {
    StringBuilder text = new StringBuilder();
    controllers.forEach(
        (node, container) ->
            text.append("%s %s%n".formatted(node, container.getContainerName().substring(1))));
    return text.toString();
  }

  @Override
  public void close() throws IOException {
    if (containers.kept()) {
      return;
    }
    try {
      closeNodes();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      controllers.values().forEach(GenericContainer::close);
      containers.close();
    }
  }

  /** While there is a witness to let their loop devices go. */
  private void closeNodes() throws IOException, InterruptedException {
    List<String> loops = new ArrayList<>();
    for (String node : NODES) {
      GenericContainer<?> container = controllers.get(node);
      if (container != null && container.isRunning()) {
        loops.addAll(loops(node));
        container.close();
      }
    }
    if (!loops.isEmpty()) {
      LoopDevices.detach(command -> inside(WITNESS, command), loops);
    }
  }
}
