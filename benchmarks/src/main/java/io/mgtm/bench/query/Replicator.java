package io.mgtm.bench.query;

import com.fasterxml.jackson.databind.JsonNode;
import io.mgtm.bench.volume.Servant;
import io.mgtm.common.Ask;
import io.mgtm.common.HostPort;
import io.mgtm.local.JavaCommand;
import io.mgtm.local.Wait;
import io.mgtm.query.config.QueryConfig;
import io.mgtm.query.local.LocalPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A replicator, in a process of its own. One thread. */
final class Replicator implements AutoCloseable {
  private static final Duration ASK_MAX = Duration.ofMinutes(5);
  private static final int SERVE_SECONDS = 120;
  private static final String LISTENS = "Replicator listening on";

  private final Path jar;
  private final Path folder;
  private final String name;
  private final int transactionsMax;
  private final QueryConfig.Reads reads;
  private final HostPort listen = LocalPostgres.free();
  private final HostPort admin = LocalPostgres.free();
  private final HostPort member = LocalPostgres.free();
  private final Ask ask = new Ask("a replicator", admin, ASK_MAX);
  private Servant process;

  /**
   * One that does not run yet.
   *
   * @param jar {@code mgtm-query.jar}
   * @param transactionsMax that run at the leader at once; 0 for any number
   * @param reads what reads see
   */
  Replicator(Path jar, Path folder, String name, int transactionsMax, QueryConfig.Reads reads)
      throws IOException {
    this.jar = jar;
    this.folder = folder;
    this.name = name;
    this.transactionsMax = transactionsMax;
    this.reads = reads;
  }

  /** Starts one by itself, and waits until it serves. */
  static Replicator start(
      Path jar,
      Path folder,
      String name,
      int transactionsMax,
      QueryConfig.Reads reads,
      List<LocalPostgres> servers)
      throws IOException, InterruptedException {
    Replicator one = new Replicator(jar, folder, name, transactionsMax, reads);
    one.begin(servers, List.of());
    try {
      if (servers.size() > 1) { // before one alone it passes on as soon as it listens
        one.awaitServing();
      }
    } catch (IOException | InterruptedException e) {
      one.close();
      throw e;
    }
    return one;
  }

  /**
   * Starts it; it may not serve yet.
   *
   * @param group all of its group; empty for one by itself
   */
  void begin(List<LocalPostgres> servers, List<Replicator> group)
      throws IOException, InterruptedException {
    Path config = folder.resolve(name + ".yaml");
    Files.writeString(
        config,
        "access: [host all all all trust]\nreads: %s\nlimits: {connectionsMax: 2000, transactionsMax: %d}\n"
            .formatted(reads.name().toLowerCase(Locale.ROOT), transactionsMax));
    List<String> command =
        JavaCommand.of(
            JavaCommand.options(System.getProperty("mgtm.queryJavaOptions", "-XX:+UseSerialGC")));
    command.addAll(List.of("-jar", jar.toString(), "start", "--config", config.toString()));
    command.addAll(List.of("--listen", listen.toString(), "--admin", admin.toString()));
    for (LocalPostgres server : servers) {
      command.addAll(List.of("--server", server.address().toString()));
    }
    if (servers.size() > 1) {
      command.addAll(List.of("--data", folder.resolve(name).toString()));
    }
    if (!group.isEmpty()) {
      List<String> members = new ArrayList<>();
      group.forEach(other -> members.add(other.name + "=" + other.member));
      command.addAll(List.of("--name", name, "--members", String.join(",", members)));
    }
    Path log = folder.resolve(name + ".log");
    Files.deleteIfExists(log);
    process = Servant.start(name, folder, command, () -> Files.readString(log).contains(LISTENS));
  }

  String name() {
    return name;
  }

  HostPort listen() {
    return listen;
  }

  /** Of its process, as {@code /proc/PID/status} has it. */
  long peakBytes() throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/" + process.pid() + "/status"))) {
      if (line.startsWith("VmHWM:")) {
        return Long.parseLong(line.replaceAll("\\D+", "")) << 10;
      }
    }
    throw new IOException(name + " has no memory any more");
  }

  boolean isServing() throws InterruptedException {
    try {
      return ask.get("/serving").has("sessions");
    } catch (IOException e) {
      return false;
    }
  }

  void awaitServing() throws IOException, InterruptedException {
    Wait.until(name + " serves", SERVE_SECONDS, this::isServing);
  }

  /** What it knows of its servers, the one that leads first. */
  JsonNode servers() throws IOException, InterruptedException {
    return ask.get("/servers");
  }

  /** Whether all of these are in. */
  boolean hasAll(List<LocalPostgres> servers) throws IOException, InterruptedException {
    int in = 0;
    for (JsonNode one : servers()) {
      in += one.path("state").asText().equals("out") ? 0 : 1;
    }
    return in == servers.size();
  }

  /** The server that leads. */
  LocalPostgres leader(List<LocalPostgres> servers) throws IOException, InterruptedException {
    for (JsonNode one : servers()) {
      for (LocalPostgres server : servers) {
        if (one.path("state").asText().equals("leader")
            && one.path("server").asText().equals(server.address().toString())) {
          return server;
        }
      }
    }
    throw new IOException("no server leads: " + servers());
  }

  /** Adds a server, which is a copy of another, and waits until it is in. */
  void add(LocalPostgres server) throws IOException, InterruptedException {
    ask.post("/add-server?server=" + Ask.segment(server.address().toString()), Map.of());
  }

  void kill() throws InterruptedException {
    process.kill();
  }

  @Override
  public void close() {
    if (process != null) {
      process.close();
    }
  }
}
