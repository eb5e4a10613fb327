package io.mgtm.query.member;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.mgtm.common.HostPort;
import io.mgtm.common.Signals;
import io.mgtm.testing.Await;
import io.mgtm.testing.ClassArchive;
import io.mgtm.testing.OwnAddress;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Several replicators, each a process of its own, before the servers of a cluster. */
final class Replicators {
  private final Cluster cluster;
  private final List<HostPort> clients;
  private final List<HostPort> admins;
  private final String members;
  private final Process[] processes;
  private final boolean[] unreachable;
  private final BiFunction<Integer, List<String>, List<String>> placed;
  private final HttpClient http = HttpClient.newHttpClient();

  Replicators(Cluster cluster, int count) {
    this(cluster, Collections.nCopies(count, OwnAddress.HOST), (number, command) -> command);
  }

  /** Each at an address, and in a network, of its own. */
  Replicators(Cluster cluster, QueryNetwork network) {
    this(cluster, network.replicatorHosts(), network::place);
  }

  private Replicators(
      Cluster cluster, List<String> hosts, BiFunction<Integer, List<String>, List<String>> placed) {
    int count = hosts.size();
    this.cluster = cluster;
    this.placed = placed;
    this.clients = addresses(hosts);
    this.admins = addresses(hosts);
    List<HostPort> group = addresses(hosts);
    this.members =
        IntStream.range(0, count)
            .mapToObj(i -> name(i) + "=" + group.get(i))
            .collect(Collectors.joining(","));
    this.processes = new Process[count];
    this.unreachable = new boolean[count];
  }

  private static List<HostPort> addresses(List<String> hosts) {
    return hosts.stream().map(host -> new HostPort(host, OwnAddress.port())).toList();
  }

  private static String name(int number) {
    return "q" + (number + 1);
  }

  /** Where clients connect, of each. */
  List<HostPort> clients() {
    return clients;
  }

  HostPort admin(int number) {
    return admins.get(number);
  }

  /** Starts all, and waits until one serves. */
  void startAll() throws Exception {
    for (int i = 0; i < processes.length; i++) {
      start(i);
    }
    awaitServing();
  }

  void start(int number) throws Exception {
    Path folder = cluster.folder;
    Path password = folder.resolve("mgtm.password");
    Files.writeString(password, Postgres.PASSWORD + "\n");
    Path config = folder.resolve("query.yaml");
    // Others may take the processors for seconds, and a server that is well is not to be out.
    Files.writeString(
        config,
        "role:\n  passwordFile: %s\ndrainMs: 1000\nreads: %s\ntimeouts:\n  silentMs: 10000\n"
            .formatted(password, cluster.reads.name().toLowerCase(Locale.ROOT)));
    List<String> command =
        query(
            "start",
            "--config=" + config,
            "--name=" + name(number),
            "--members=" + members,
            "--data=" + folder.resolve(name(number)),
            "--listen=" + clients.get(number),
            "--admin=" + admins.get(number));
    cluster.servers.forEach(one -> command.add("--server=" + one.address));
    processes[number] =
        new ProcessBuilder(placed.apply(number, command))
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(out(number).toFile()))
            .start();
  }

  /** A command of {@code mgtm query}, for a process of its own. */
  static List<String> query(String... arguments) {
    List<String> command = ClassArchive.command(Path.of(System.getProperty("mgtm.jar")));
    command.addAll(List.of(arguments));
    return command;
  }

  /** One of {@code mgtm query}. */
  Tools.Result command(String... arguments) throws Exception {
    return Tools.run(cluster.folder, Map.of(), query(arguments));
  }

  /** Whether one of them has printed something. */
  boolean anySays(String what) throws IOException {
    for (int i = 0; i < processes.length; i++) {
      if (Files.readString(out(i)).contains(what)) {
        return true;
      }
    }
    return false;
  }

  /** Its log is gone, of one that does not run. */
  void loseData(int number) throws IOException {
    try (Stream<Path> all = Files.walk(cluster.folder.resolve(name(number)))) {
      for (Path one : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(one);
      }
    }
  }

  /** What it has printed. */
  Path out(int number) {
    return cluster.folder.resolve(name(number) + ".out");
  }

  private HttpResponse<String> get(int number, String path)
      throws IOException, InterruptedException {
    return http.send(
        HttpRequest.newBuilder(URI.create("http://" + admins.get(number) + path))
            .timeout(Duration.ofSeconds(60))
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  /** A statement by libpq, which finds the one that serves. */
  Tools.Result psql(String sql) throws Exception {
    Map<String, String> environment =
        Map.of(
            "PGHOST",
            clients.stream().map(HostPort::host).collect(Collectors.joining(",")),
            "PGPORT",
            clients.stream().map(c -> Integer.toString(c.port())).collect(Collectors.joining(",")),
            "PGUSER",
            "alice",
            "PGDATABASE",
            "app",
            "PGPASSWORD",
            Postgres.PASSWORD);
    List<String> command = List.of(Tools.PROGRAMS + "/psql", "-A", "-t", "-c", sql);
    return Tools.run(cluster.folder, environment, command);
  }

  /** What one tells operators. */
  JsonNode ask(int number, String path) throws IOException, InterruptedException {
    return Tools.ask(admins.get(number), path);
  }

  /** The number of the one that serves, or -1. */
  int serving() throws InterruptedException {
    for (int i = 0; i < processes.length; i++) {
      try {
        if (processes[i] != null && !unreachable[i] && get(i, "/serving").statusCode() == 200) {
          return i;
        }
      } catch (IOException e) {
        // It is not there yet, or any more.
      }
    }
    return -1;
  }

  int awaitServing() {
    return Await.present(
        "a replicator that serves", () -> Optional.of(serving()).filter(number -> number >= 0));
  }

  /** All servers are in at the one that serves. */
  void awaitServersIn() {
    Await.until(
        "all servers to be in",
        () -> {
          int now = serving();
          return now >= 0
              && ask(now, "/status").path("serversIn").asInt() == cluster.servers.size();
        });
  }

  /** Every member has its place, and is connected with all others. */
  void awaitWhole() {
    Await.until(
        "the group to be whole",
        () -> {
          for (int i = 0; i < processes.length; i++) {
            if (!isWhole(i)) {
              return false;
            }
          }
          return serving() >= 0;
        });
  }

  private boolean isWhole(int number) throws InterruptedException {
    try {
      JsonNode group = ask(number, "/status").path("group");
      for (JsonNode member : group.path("members")) {
        if (!member.path("connected").asBoolean() || !member.path("voter").asBoolean()) {
          return false;
        }
      }
      return group.path("members").size() == processes.length
          && List.of("leader", "follower").contains(group.path("role").asText());
    } catch (IOException e) {
      return false;
    }
  }

  boolean runs(int number) {
    return processes[number] != null;
  }

  void kill(int number) throws InterruptedException {
    processes[number].destroyForcibly().waitFor(180, TimeUnit.SECONDS);
    processes[number] = null;
  }

  void shutDown(int number) throws InterruptedException {
    processes[number].destroy();
    assertThat(processes[number].waitFor(180, TimeUnit.SECONDS)).isTrue();
    processes[number] = null;
  }

  /** It stands still. */
  void pause(int number) throws Exception {
    Signals.send(processes[number].pid(), "STOP");
    setReachable(number, false);
  }

  /** Whether anybody can reach it; it is not asked while nobody can. */
  void setReachable(int number, boolean reachable) {
    unreachable[number] = !reachable;
  }

  /** It goes on. */
  void resume(int number) throws Exception {
    setReachable(number, true);
    Signals.send(processes[number].pid(), "CONT");
  }

  void close() throws InterruptedException {
    for (Process process : processes) {
      if (process != null) {
        process.destroyForcibly().waitFor(180, TimeUnit.SECONDS);
      }
    }
  }
}
