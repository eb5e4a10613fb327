package io.mgtm.bench.ha;

import com.fasterxml.jackson.databind.JsonNode;
import io.mgtm.bench.ha.Network.Net;
import io.mgtm.bench.volume.Exec;
import io.mgtm.bench.volume.VolumeControl;
import io.mgtm.local.JavaCommand;
import io.mgtm.local.Wait;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;

/**
 * A cluster of HA controllers that keeps a database on a replicated volume in service on one of two
 * machines, {@code a} and {@code b}, with a witness {@code w}, and a machine for clients; each a
 * {@link Machine}. One thread; what is asked while it is closed fails.
 */
final class HaCluster implements AutoCloseable {
  static final List<String> NODES = List.of("a", "b");

  /** Where a controller runs: the nodes, and the witness. */
  static final List<String> CONTROLLERS = List.of("a", "b", "w");

  static final String HIERARCHY = "orders";

  /** What takes longer than this does not come. */
  static final int PATIENCE_SECONDS = 180;

  private static final List<String> HOSTS = List.of("a", "b", "w", "client");
  private static final int EXEC_SECONDS = 120;
  private static final int EVENTS_TOLD = 12;
  private static final String UP_TO_DATE = "up-to-date";
  private static final String NEWEST = "UpToDate";

  private final HaSetup setup;
  private final Map<String, Machine> machines = new ConcurrentHashMap<>();
  private final ControllerApi api;
  private Network network;
  private ServiceWatch watch;
  private boolean closed;

  private HaCluster(HaSetup setup, ControllerApi api) {
    this.setup = setup;
    this.api = api;
  }

  /**
   * Starts one, and waits until its database is in service.
   *
   * @throws IOException when that does not succeed; nothing of it runs then
   */
  static HaCluster start(HaSetup setup) throws IOException, InterruptedException {
    String secret = "6d67746d".repeat(8);
    HaCluster cluster = new HaCluster(setup, new ControllerApi(HIERARCHY, secret));
    try {
      cluster.prepare(secret);
      cluster.fillCopies();
      for (String node : CONTROLLERS) {
        cluster.startController(node);
      }
      cluster.awaitInStep();
      return cluster;
    } catch (IOException | InterruptedException | RuntimeException e) {
      cluster.close();
      throw e;
    }
  }

  private void prepare(String secret) throws IOException, InterruptedException {
    Files.setPosixFilePermissions(setup.folder(), PosixFilePermissions.fromString("rwxr-xr-x"));
    for (String name : List.of("ha.secret", "link.key")) {
      Path file = Files.writeString(setup.folder().resolve(name), secret + "\n");
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    }
    Files.writeString(setup.folder().resolve("ha.yaml"), setup.yaml());
    Files.createDirectories(setup.folder().resolve("mnt"));
    network = Network.make(setup.folder());
    for (String host : HOSTS) {
      Files.createDirectories(setup.folder().resolve(host));
      boot(host);
    }
    watch =
        ServiceWatch.start(
            setup.engine(),
            () -> NODES.stream().map(machines::get).filter(m -> m != null).toList());
  }

  private void boot(String host) throws IOException, InterruptedException {
    Machine machine = Machine.boot(host, setup.folder().resolve(host));
    machines.put(host, machine);
    List<Net> nets =
        switch (host) {
          case "client" -> List.of(Net.CLIENTS);
          case "w" -> List.of(Net.FIRST, Net.SECOND);
          default -> List.of(Net.values());
        };
    network.connect(machine, HOSTS.indexOf(host) + 1, nets);
  }

  /**
   * Makes the database, and has it on both copies. A demotion hands over to the other copy, which
   * is the newest from then on: of the node that is the first to have it in service.
   */
  private void fillCopies() throws IOException, InterruptedException {
    Path image = Files.createDirectories(setup.folder().resolve("image"));
    exec("sh", "-c", setup.engine().creation(image.resolve("data")));
    exec("truncate", "-s", setup.size(), file("b").toString());
    exec("mkfs.ext4", "-q", "-d", image.toString(), file("b").toString());
    exec("rm", "-r", image.toString());
    for (String node : NODES) {
      machines.get(node).start(agent(node), log(node, "agent"));
    }
    Wait.until("the other copy is filled, and the newest", PATIENCE_SECONDS, this::isHandedOver);
    for (String node : NODES) {
      List<ProcessHandle> agents = machines.get(node).processes("java");
      agents.forEach(ProcessHandle::destroy);
      Wait.until(
          "the agent ends", PATIENCE_SECONDS, () -> agents.stream().noneMatch(a -> a.isAlive()));
    }
  }

  /**
   * A replica that loses its link meanwhile is not handed over to, and filled again: by force, as
   * that of b is the newest copy whoever was told so. Not while the other one may be told just now.
   */
  private boolean isHandedOver() {
    String before = disk("a"); // also of one that follows a primary it is up to date
    JsonNode status = volume("b");
    if (status == null) {
      return false;
    }
    if (status.path("role").asText().equals("primary")) {
      return hasReplica("b") && tell("b", "demote") && disk("a").equals(NEWEST);
    }
    boolean wasPrimary = status.path("disk").asText().equals("Consistent");
    boolean cutOff = status.path("links").path(0).path("state").asText().equals("down");
    if (before.equals(NEWEST)) {
      return true;
    }
    if (!wasPrimary || (cutOff && !List.of("", NEWEST).contains(disk("a")))) {
      tell("b", "promote", true);
    }
    return false;
  }

  /** What a node's agent says of its copy; empty when none answers. */
  private String disk(String node) {
    JsonNode status = volume(node);
    return status == null ? "" : status.path("disk").asText();
  }

  private List<String> agent(String node) {
    int host = HOSTS.indexOf(node) + 1;
    List<String> command = JavaCommand.of(JavaCommand.options(setup.javaOptions()));
    command.addAll(List.of("-jar", setup.volumeJar().toString(), "start", "--name", "v1"));
    command.addAll(List.of("--file", file(node).toString(), "--size", setup.size()));
    command.addAll(List.of("--link-key", setup.folder().resolve("link.key").toString()));
    command.addAll(List.of("--listen", "unix:" + file(node) + ".sock"));
    command.addAll(List.of("--receive", HaSetup.copy(host)));
    command.addAll(List.of("--replica", HaSetup.copy(3 - host), "--mode", setup.mode()));
    return command;
  }

  private static void exec(String... command) throws IOException, InterruptedException {
    Exec.run(EXEC_SECONDS, List.of(command));
  }

  private Path log(String host, String of) {
    return setup.folder().resolve(host).resolve(of + ".log");
  }

  HaSetup setup() {
    return setup;
  }

  ServiceWatch watch() {
    return watch;
  }

  Machine machine(String name) {
    return machines.get(name);
  }

  Network network() {
    return network;
  }

  Path file(String node) {
    return setup.folder().resolve(node).resolve("v1");
  }

  /** Starts a node's controller. */
  void startController(String node) throws IOException, InterruptedException {
    Path own = setup.folder().resolve(node);
    List<String> command = JavaCommand.of(HaJars.controllerOptions(setup.javaOptions()));
    command.addAll(List.of("-jar", setup.haJar().toString(), "start", "--node", node));
    command.addAll(List.of("--config", setup.folder().resolve("ha.yaml").toString()));
    command.addAll(List.of("--data", own.resolve("ha").toString()));
    command.addAll(List.of("--runtime", own.resolve("run").toString()));
    machines.get(node).start(command, log(node, "controller"));
  }

  /** A node's controller; empty when it does not run. */
  Optional<ProcessHandle> controller(String node) {
    return machines.get(node).processes("java").stream()
        .filter(one -> Machine.arguments(one).contains(setup.haJar() + "\0start\0"))
        .findFirst();
  }

  /**
   * As the init system does, starts controllers again that have ended: a watchdog ends its
   * controller when the lease is over with something in service.
   */
  void keepControllers() throws IOException, InterruptedException {
    for (String node : CONTROLLERS) {
      if (machines.containsKey(node) && controller(node).isEmpty()) {
        startController(node);
      }
    }
  }

  /** All processes of a node end at once, and its network is gone. */
  void kill(String node) throws IOException, InterruptedException {
    List<String> loops = loops(node);
    network.kill(machines.get(node));
    machines.remove(node).close();
    LoopDevices.detach(UnaryOperator.identity(), loops);
  }

  /** Boots a node that was killed. */
  void reboot(String node) throws IOException, InterruptedException {
    boot(node);
    startController(node);
  }

  private List<String> loops(String node) throws IOException, InterruptedException {
    Machine machine = machines.get(node);
    return machine == null
        ? List.of()
        : LoopDevices.of(machine::inside, setup.folder().resolve(node));
  }

  /** The one machine on which the database runs; empty when it runs on none or on two. */
  Optional<String> primary() {
    List<Machine> now = watch.now();
    return now.size() == 1 ? Optional.of(now.get(0).name()) : Optional.empty();
  }

  static String other(String node) {
    return node.equals("a") ? "b" : "a";
  }

  /** What a node's agent says; null when none answers. */
  JsonNode volume(String node) {
    try {
      return VolumeControl.ask(file(node), "{\"command\":\"status\"}");
    } catch (IOException e) {
      return null;
    }
  }

  /** Has a node's agent do something; whether it has. */
  boolean tell(String node, String command) {
    return tell(node, command, false);
  }

  private boolean tell(String node, String command, boolean force) {
    try {
      String line = "{\"command\":\"%s\",\"volume\":\"v1\",\"force\":%b}".formatted(command, force);
      return VolumeControl.ask(file(node), line).path("ok").asBoolean();
    } catch (IOException e) {
      return false;
    }
  }

  /** Whether the copy of a node is primary, and the other one has everything. */
  boolean hasReplica(String node) {
    JsonNode status = volume(node);
    return status != null
        && status.path("role").asText().equals("primary")
        && status.path("links").path(0).path("state").asText().equals(UP_TO_DATE);
  }

  /** Asks the controller of a node; a missing node when it does not answer. */
  JsonNode ask(String node, String method, String path, String body)
      throws IOException, InterruptedException {
    String host = Net.FIRST.address(HOSTS.indexOf(node) + 1);
    return api.ask(machines.get(node)::network, host, method, path, body);
  }

  JsonNode status(String node) throws IOException, InterruptedException {
    return ask(node, "GET", "/v1/status", "");
  }

  /** What a node's controller says of the hierarchy, for messages. */
  String told(String node) throws IOException, InterruptedException {
    JsonNode status = status(node);
    long before = status.path("state").path("lastEvent").asLong() - EVENTS_TOLD;
    return "leader '%s', warnings %s; %s; %s; %s; %s"
        .formatted(
            status.path("leader").asText(),
            status.path("warnings"),
            status.path("state").path("placements").path(HIERARCHY),
            status.path("state").path("copies").path(HIERARCHY),
            status.path("nodes"),
            events(node, before));
  }

  /** Events since the one with this number. */
  JsonNode events(String node, long after) throws IOException, InterruptedException {
    return ask(node, "GET", "/v1/events?after=" + after, "");
  }

  long lastEvent(String node) throws IOException, InterruptedException {
    return status(node).path("state").path("lastEvent").asLong();
  }

  /** Asks for a move to a node, as an operator does. */
  void switchover(String to) throws IOException, InterruptedException {
    String body = "{\"node\":\"" + to + "\",\"acceptLoss\":false}";
    Wait.until(
        "the controllers take the switchover",
        PATIENCE_SECONDS,
        () -> {
          for (String node : NODES) {
            if (ask(node, "POST", "/v1/hierarchies/" + HIERARCHY + "/switchover", body)
                .isObject()) {
              return true;
            }
          }
          return false;
        });
  }

  /** Waits until the database is in service, and the other node could take it over. */
  void awaitInStep() throws IOException, InterruptedException {
    try {
      Wait.until(
          "the database is in service and the other node could take it over",
          PATIENCE_SECONDS,
          this::isInStep);
    } catch (IOException e) {
      throw new IOException(
          "%s; %s; see the logs in %s".formatted(e.getMessage(), told("a"), setup.folder()), e);
    }
  }

  private boolean isInStep() throws IOException, InterruptedException {
    keepControllers();
    Optional<String> primary = primary();
    if (primary.isEmpty() || !hasReplica(primary.get())) {
      return false;
    }
    return api.inStep(status(primary.get()), primary.get(), NODES);
  }

  /** Ends all of it. */
  @Override
  public synchronized void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    if (watch != null) {
      watch.close();
    }
    List<String> loops = new ArrayList<>();
    try {
      for (String node : NODES) {
        loops.addAll(loops(node));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      stopAll();
    }
    try {
      LoopDevices.detach(UnaryOperator.identity(), loops);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void stopAll() throws IOException {
    for (Machine machine : machines.values()) {
      machine.close();
    }
    machines.clear();
    if (network != null) {
      network.close();
    }
  }
}
