package io.mgtm.bench.query;

import io.mgtm.common.HostPort;
import io.mgtm.query.local.LocalPostgres;
import io.mgtm.query.local.LocalProgram;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * PostgreSQL servers on loopback, all with the same rows: those of pgbench, and an empty table of
 * numbers. They ask nobody for a password, so that what is before them need not either. One thread.
 */
final class Servers implements AutoCloseable {
  static final String USER = "postgres";
  static final String DATABASE = "postgres";

  private static final List<String> ACCESS =
      List.of("host all all 127.0.0.0/8 trust", "host replication all 127.0.0.0/8 trust");

  private static final String SCHEMA =
      "CREATE TABLE numbered (n bigint PRIMARY KEY); CREATE ROLE mgtm LOGIN; "
          + LocalPostgres.GRANTS;

  private final Path programs;
  private final Path folder;
  private final List<String> settings;
  private final LocalPostgres model;
  private final List<LocalPostgres> running = new ArrayList<>();
  private final Map<LocalPostgres, CpuCap> caps = new HashMap<>();

  private Servers(Path programs, Path folder, int connections) throws IOException {
    this.programs = programs;
    this.folder = folder;
    settings =
        List.of(
            "max_connections=" + connections,
            "shared_buffers=128MB",
            // So that no checkpoint falls into one round and not into another.
            "max_wal_size=8GB",
            "checkpoint_timeout=1h");
    model = new LocalPostgres(programs, folder.resolve("model"), LocalPostgres.free(), ACCESS);
  }

  /**
   * Makes the rows, of a server that does not run.
   *
   * @param scale of pgbench
   * @param connections that each server takes
   */
  static Servers fill(Path folder, int scale, int connections)
      throws IOException, InterruptedException {
    Servers servers = new Servers(LocalPostgres.installed(), folder, connections);
    LocalPostgres model = servers.model;
    model.create("not asked for");
    try (model) {
      model.start(servers.settings);
      servers.program("psql", model.address(), "-Xqc", SCHEMA);
      servers.program("pgbench", model.address(), "-i", "-q", "-s", Integer.toString(scale));
      servers.program("psql", model.address(), "-Xqc", "CHECKPOINT");
      model.stop();
    }
    return servers;
  }

  /**
   * Starts so many more, each a copy.
   *
   * @param more settings than all have, each NAME=VALUE
   */
  List<LocalPostgres> start(int count, String... more) throws IOException, InterruptedException {
    List<LocalPostgres> started = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Path own = folder.resolve("pg" + running.size());
      LocalPostgres one = new LocalPostgres(programs, own, LocalPostgres.free(), ACCESS);
      one.copy(model);
      running.add(one);
      startAgain(one, more);
      started.add(one);
    }
    return started;
  }

  /**
   * From here on each of those that run, and are not bounded yet, has a part of a processor, as if
   * it had a machine of its own; those of a pair each of another processor.
   *
   * @param percent of a processor; 0 for all that there is
   */
  void cap(int percent) throws IOException, InterruptedException {
    for (LocalPostgres one : running) {
      if (percent > 0 && !caps.containsKey(one)) {
        CpuCap cap = CpuCap.make("server" + caps.size(), percent, caps.size());
        caps.put(one, cap);
        cap.add(one.processes());
      }
    }
  }

  /** Starts one more, a copy of one that runs. */
  LocalPostgres startCopyOf(LocalPostgres other, String... more)
      throws IOException, InterruptedException {
    Path own = folder.resolve("pg" + running.size());
    LocalPostgres one = new LocalPostgres(programs, own, LocalPostgres.free(), ACCESS);
    one.copyRunning(other);
    running.add(one);
    startAgain(one, more);
    return one;
  }

  /** Starts one that has ended. */
  void startAgain(LocalPostgres one, String... more) throws IOException, InterruptedException {
    one.start(Stream.concat(settings.stream(), Stream.of(more)).toList());
  }

  /** The command of a client's program at some place. */
  List<String> command(String name, HostPort at, String... arguments) {
    return LocalPostgres.client(programs, name, at, arguments);
  }

  /** Runs a client's program that has to succeed; what it printed. */
  String program(String name, HostPort at, String... arguments)
      throws IOException, InterruptedException {
    return LocalProgram.succeed(folder, Map.of(), command(name, at, arguments));
  }

  @Override
  public void close() throws IOException {
    running.forEach(LocalPostgres::close);
    for (CpuCap cap : caps.values()) {
      cap.close();
    }
  }
}
