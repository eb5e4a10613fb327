package io.mgtm.bench.ha;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.mgtm.bench.ha.Network.Net;
import io.mgtm.bench.volume.Exec;
import io.mgtm.local.JavaCommand;
import io.mgtm.local.Wait;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A Postgres-XC cluster that three HA controllers keep: a GTM of a group on each of {@code a},
 * {@code b} and {@code c}, and on {@code a} a proxy, a datanode and a coordinator; and a machine
 * for clients. One thread.
 */
final class XcCluster implements AutoCloseable {
  static final String COORDINATOR = "c1";
  static final int COORDINATOR_PORT = Engine.POSTGRESQL.port();

  /** Where the proxy, the datanode and the coordinator are. */
  static final String NODE = "a";

  private static final List<String> NODES = List.of(NODE, "b", "c");
  private static final List<String> HOSTS = List.of(NODE, "b", "c", "client");
  private static final String DATANODE = "d1";
  private static final int DATANODE_PORT = COORDINATOR_PORT + 1;
  private static final int EXEC_SECONDS = 120;

  private static final String YAML =
      """
      cluster: xc
      secretFile: %1$s/ha.secret
      timing: {leaseMs: %2$d}
      nodes:
        a: {addresses: [10.77.1.1, 10.77.2.1]}
        b: {addresses: [10.77.1.2, 10.77.2.2]}
        c: {addresses: [10.77.1.3, 10.77.2.3]}
      hierarchies:
      %3$s
        xc:
          nodes: [a]
          policy: {localRecoveries: 1000}
          resources:
            proxy: {kit: proxy, parameters: {metrics: "127.0.0.1:9191", arguments: "--name p1 --listen 127.0.0.1:6666 --gtm 10.77.1.1:6666,10.77.1.2:6666,10.77.1.3:6666"}}
            d1: {kit: xc-node, on: [proxy], parameters: {role: datanode, data: %1$s/a/d1, bin: %4$s}}
            c1: {kit: xc-node, on: [d1], parameters: {role: coordinator, data: %1$s/a/c1, bin: %4$s}}
      """;

  private static final String GTM =
      """
        gtm-%1$s:
          nodes: [%1$s]
          policy: {localRecoveries: 1000}
          resources:
            gtm: {kit: gtm, parameters: {metrics: "127.0.0.1:9190", arguments: "--name %1$s --listen 10.77.1.%2$d:6666 --members a=10.77.1.1:7666,b=10.77.1.2:7666,c=10.77.1.3:7666 --data %3$s/%1$s/gtm"}}
      """;

  private static final String ASK_GTM =
      "exec 3<>/dev/tcp/127.0.0.1/9190; printf 'GET /status HTTP/1.0\\r\\n\\r\\n' >&3; cat <&3";

  private static final ObjectMapper JSON = new ObjectMapper();

  /** What a node of Postgres-XC is told beside its name. */
  private static final String CONF =
      """
      port = %d
      pooler_port = %d
      listen_addresses = '*'
      unix_socket_directories = '/run/postgresql'
      gtm_host = '127.0.0.1'
      gtm_port = 6666
      """;

  private final Path folder;
  private final Path programs;
  private final int leaseMs;
  private final ControllerApi api;
  private final Map<String, Machine> machines = new LinkedHashMap<>();
  private Network network;

  private XcCluster(Path folder, Path programs, int leaseMs, ControllerApi api) {
    this.folder = folder;
    this.programs = programs;
    this.leaseMs = leaseMs;
    this.api = api;
  }

  /**
   * Why there can be none here; empty when there can.
   *
   * @param programs the folder of Postgres-XC's, null when none was named
   */
  static Optional<String> missing(Path programs) {
    if (programs == null) {
      return Optional.of("--xc or the environment's XC names no folder of Postgres-XC's programs");
    }
    for (String program : List.of("initdb", "pg_ctl", "postgres", "psql")) {
      if (!Files.isExecutable(programs.resolve(program))) {
        return Optional.of("there is no " + program + " in " + programs);
      }
    }
    return Machine.missing().or(() -> Exec.has("psql") ? Optional.empty() : noPsql());
  }

  private static Optional<String> noPsql() {
    return Optional.of("psql is not installed");
  }

  /**
   * Starts one, and waits until it answers.
   *
   * @param folder an empty one, that the user postgres gets through
   * @throws IOException when that does not succeed; nothing of it runs then
   */
  static XcCluster start(Path folder, Path programs, int leaseMs)
      throws IOException, InterruptedException {
    String secret = "6d67746d".repeat(8);
    XcCluster cluster = new XcCluster(folder, programs, leaseMs, new ControllerApi("xc", secret));
    try {
      cluster.prepare(secret);
      for (String node : NODES) {
        cluster.startController(node);
      }
      cluster.awaitWhole();
      cluster.meet();
      return cluster;
    } catch (IOException | InterruptedException | RuntimeException e) {
      cluster.close();
      throw e;
    }
  }

  private void prepare(String secret) throws IOException, InterruptedException {
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    Path file = Files.writeString(folder.resolve("ha.secret"), secret + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    StringBuilder gtms = new StringBuilder();
    for (String node : NODES) {
      gtms.append(GTM.formatted(node, NODES.indexOf(node) + 1, folder));
    }
    Files.writeString(
        folder.resolve("ha.yaml"),
        YAML.formatted(folder, leaseMs, gtms.toString().stripTrailing(), programs));
    network = Network.make(folder);
    for (String host : HOSTS) {
      Files.createDirectories(folder.resolve(host));
      Machine machine = Machine.boot(host, folder.resolve(host));
      machines.put(host, machine);
      network.connect(machine, HOSTS.indexOf(host) + 1, List.of(Net.values()));
    }
    init(COORDINATOR, COORDINATOR_PORT);
    init(DATANODE, DATANODE_PORT);
  }

  private void init(String node, int port) throws IOException, InterruptedException {
    Path data = folder.resolve(NODE).resolve(node);
    exec("install", "-d", "-o", "postgres", "-m", "700", data.toString());
    exec(
        "runuser",
        "-u",
        "postgres",
        "--",
        programs.resolve("initdb").toString(),
        "-U",
        "postgres",
        "--locale=C",
        "-D",
        data.toString(),
        "--nodename",
        node);
    append(data.resolve("postgresql.conf"), CONF.formatted(port, port + 1_000));
    append(data.resolve("pg_hba.conf"), "host all all 10.77.0.0/24 trust\n");
  }

  private static void append(Path file, String text) throws IOException {
    Files.writeString(file, text, StandardOpenOption.APPEND);
  }

  private static void exec(String... command) throws IOException, InterruptedException {
    Exec.run(EXEC_SECONDS, List.of(command));
  }

  private void startController(String node) throws IOException, InterruptedException {
    Path own = folder.resolve(node);
    List<String> command = JavaCommand.of(HaJars.controllerOptions(HaJars.JAVA_OPTIONS));
    command.addAll(List.of("-jar", HaJars.found().controller().toString(), "start"));
    command.addAll(List.of("--node", node, "--config", folder.resolve("ha.yaml").toString()));
    command.addAll(List.of("--data", own.resolve("ha").toString()));
    command.addAll(List.of("--runtime", own.resolve("run").toString()));
    machines.get(node).start(command, own.resolve("controller.log"));
  }

  /** The coordinator has to know its datanode. */
  private void meet() throws IOException, InterruptedException {
    String statements =
        """
        alter node c1 with (host = '127.0.0.1', port = %d);
        create node d1 with (type = 'datanode', host = '127.0.0.1', port = %d);
        select pgxc_pool_reload();
        """
            .formatted(COORDINATOR_PORT, DATANODE_PORT);
    for (String statement : statements.strip().split("\n", -1)) {
      List<String> session = new ArrayList<>(Engine.POSTGRESQL.session(coordinator()));
      session.addAll(List.of("-c", statement));
      Exec.run(EXEC_SECONDS, machines.get("client").network(session));
    }
  }

  /** Where clients find the coordinator. */
  static String coordinator() {
    return Net.CLIENTS.address(HOSTS.indexOf(NODE) + 1);
  }

  Machine client() {
    return machines.get("client");
  }

  /** The process of the GTM that leads. */
  Optional<ProcessHandle> leader() throws IOException, InterruptedException {
    for (String node : NODES) {
      if (leaderAsKnownBy(node).equals(node)) {
        return java(node, "mgtm-gtm.jar");
      }
    }
    return Optional.empty();
  }

  Optional<ProcessHandle> proxy() {
    return java(NODE, "mgtm-proxy.jar");
  }

  private Optional<ProcessHandle> java(String node, String jar) {
    return machines.get(node).processes("java").stream()
        .filter(one -> Machine.arguments(one).contains("/" + jar + "\0start\0"))
        .findFirst();
  }

  /** The coordinator's own process, which began the others. */
  Optional<ProcessHandle> postmaster() {
    String data = folder.resolve(NODE).resolve(COORDINATOR).toString();
    return machines.get(NODE).processes("postgres").stream()
        .filter(one -> Machine.arguments(one).contains("\0" + data + "\0"))
        .findFirst();
  }

  private JsonNode status() throws IOException, InterruptedException {
    return api.status(client()::network, Net.FIRST.address(1));
  }

  /** Empty when the GTM of a node does not answer, or knows of none. */
  private String leaderAsKnownBy(String node) throws IOException, InterruptedException {
    List<String> command = machines.get(node).network(List.of("bash", "-c", ASK_GTM));
    try {
      String answer = Exec.run(EXEC_SECONDS, command);
      int end = answer.indexOf("\r\n\r\n");
      return end < 0
          ? ""
          : JSON.readTree(answer.substring(end)).path("status").path("leader").asText();
    } catch (IOException e) {
      return "";
    }
  }

  /** Waits until all of it is in service, and each GTM follows one leader. */
  void awaitWhole() throws IOException, InterruptedException {
    try {
      Wait.until(
          "all of the Postgres-XC cluster is in service",
          HaCluster.PATIENCE_SECONDS,
          this::isWhole);
    } catch (IOException e) {
      throw new IOException(
          "%s; %s; see the logs in %s".formatted(e.getMessage(), status().path("nodes"), folder),
          e);
    }
  }

  private boolean isWhole() throws IOException, InterruptedException {
    String leader = leaderAsKnownBy(NODE);
    JsonNode nodes = status().path("nodes");
    for (String node : NODES) {
      if (!isIn(nodes, node, "gtm-" + node) || !leaderAsKnownBy(node).equals(leader)) {
        return false;
      }
    }
    return !leader.isEmpty() && isIn(nodes, NODE, "xc");
  }

  private static boolean isIn(JsonNode nodes, String node, String hierarchy) {
    return nodes.path(node).path("reports").path(hierarchy).path("state").asText().equals("IN");
  }

  /** Ends all of it. */
  @Override
  public void close() throws IOException {
    for (Machine machine : machines.values()) {
      machine.close();
    }
    machines.clear();
    if (network != null) {
      network.close();
      network = null;
    }
  }
}
