package io.mgtm.query.cli;

import io.mgtm.common.ConfigException;
import io.mgtm.common.HostPort;
import io.mgtm.query.config.QueryConfig;
import io.mgtm.query.local.LocalPostgres;
import io.mgtm.query.local.LocalProgram;
import io.mgtm.query.member.QueryServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code mgtm query demo}: a server dies under pgbench, and nobody notices. */
@Command(
    name = "demo",
    description = {
      "Starts two PostgreSQL servers and a replicator, runs pgbench through it, kills the server"
          + " that leads, starts it again under load, and compares the tables when it has come back.",
      "Exit status 1 when pgbench saw a failure or a row differs."
    },
    sortOptions = false,
    mixinStandardHelpOptions = true)
final class DemoCommand implements Callable<Integer> {
  /** A killed server breaks its connections; one on a busy machine may take its time. */
  private static final int SILENT_MS = 60_000;

  private static final long END_S = 120;
  private static final long LOOK_MS = 100;

  @Spec private CommandSpec spec;

  @Option(
      names = "--clients",
      paramLabel = "N",
      defaultValue = "8",
      description = "Of pgbench. Default: ${DEFAULT-VALUE}.")
  private int clients;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "6",
      description = "How long pgbench runs each time, 2 to 600. Default: ${DEFAULT-VALUE}.")
  private int seconds;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description = "Where data and logs stay. Default: a new folder among the temporary ones.")
  private Path data;

  @Option(
      names = "--programs",
      paramLabel = "DIR",
      description = "Where initdb and pgbench (15 or newer) are. Default: Debian's newest.")
  private Path programs;

  private final String password = UUID.randomUUID().toString();
  private final List<LocalPostgres> servers = new ArrayList<>();
  private PrintWriter out;

  @Override
  public Integer call() throws IOException, InterruptedException, ConfigException {
    out = spec.commandLine().getOut();
    if (clients < 1 || clients > 50 || seconds < 2 || seconds > 600) {
      throw new ConfigException("--clients: expected 1 to 50; --seconds: expected 2 to 600");
    }
    programs = programs == null ? LocalPostgres.installed() : programs;
    Path folder = data == null ? Files.createTempDirectory("mgtm-query-demo") : data;
    Files.createDirectories(folder);
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    Thread atExit = new Thread(this::stop, "mgtm-stop");
    Runtime.getRuntime().addShutdownHook(atExit);
    try {
      return demonstrate(folder.toAbsolutePath());
    } finally {
      stop();
      Runtime.getRuntime().removeShutdownHook(atExit);
    }
  }

  private void stop() {
    servers.forEach(LocalPostgres::close);
  }

  private int demonstrate(Path folder) throws IOException, InterruptedException, ConfigException {
    say("Starting 2 PostgreSQL servers and a replicator; data and logs in %s", folder);
    makeServers(folder);
    QueryConfig config = config(folder);
    try (QueryServer replicator = started(config)) {
      say("%s leads; %d clients of pgbench run through the replicator", first(), clients);
      Load before = runWhile(replicator, this::killFirst);
      ask("servers", replicator);
      say("pgbench runs again");
      Load after = runWhile(replicator, this::startFirst);
      awaitAll(replicator);
      ask("servers", replicator);
      say("");
      say("transactions                  %,d", before.transactions() + after.transactions());
      say("repeated by pgbench (40001)   %,d", before.retried() + after.retried());
      say("failed                        %d", before.failed() + after.failed());
      int different = ask("verify", replicator);
      return before.isClean() && after.isClean() && different == 0 ? 0 : 1;
    }
  }

  /** A replicator that has found the servers equal. */
  private QueryServer started(QueryConfig config) throws IOException, ConfigException {
    QueryServer replicator = QueryServer.start(config);
    if (replicator.serversIn().size() < servers.size()) {
      ask("servers", replicator);
      replicator.close();
      throw new IOException("not all servers are in; the table says why");
    }
    return replicator;
  }

  private HostPort first() {
    return servers.get(0).address();
  }

  private void makeServers(Path folder) throws IOException, InterruptedException {
    List<String> access =
        List.of(
            "host all all 127.0.0.1/32 scram-sha-256",
            "host replication all 127.0.0.1/32 scram-sha-256");
    for (String name : List.of("pg1", "pg2")) {
      servers.add(new LocalPostgres(programs, folder.resolve(name), LocalPostgres.free(), access));
    }
    LocalPostgres one = servers.get(0);
    one.create(password);
    one.start(List.of());
    String role = "CREATE ROLE mgtm LOGIN PASSWORD '%s'; " + LocalPostgres.GRANTS;
    program(folder, "psql", one.address(), "-Xqc", role.formatted(password));
    program(folder, "pgbench", one.address(), "-i", "-q", "-s", Integer.toString(clients));
    one.stop();
    servers.get(1).copy(one);
    one.start(List.of());
    servers.get(1).start(List.of());
  }

  private QueryConfig config(Path folder) throws IOException, ConfigException {
    QueryConfig d = QueryConfig.DEFAULTS;
    Path file = folder.resolve("mgtm.password");
    Files.deleteIfExists(file);
    Files.createFile(
        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.writeString(file, password + "\n");
    return new QueryConfig(
            LocalPostgres.free(),
            servers.stream().map(LocalPostgres::address).toList(),
            1,
            d.reads(),
            folder.resolve("replicator"),
            LocalPostgres.free(),
            d.access(),
            d.group(),
            new QueryConfig.Role("mgtm", "postgres", file),
            d.tls(),
            d.serverTls(),
            d.threads(),
            d.drainMs(),
            d.limits(),
            new QueryConfig.Timeouts(
                d.timeouts().startupMs(),
                d.timeouts().connectMs(),
                SILENT_MS,
                d.timeouts().applyMs()))
        .validated();
  }

  private String program(Path folder, String name, HostPort at, String... arguments)
      throws IOException, InterruptedException {
    return LocalProgram.succeed(
        folder,
        Map.of("PGPASSWORD", password),
        LocalPostgres.client(programs, name, at, arguments));
  }

  /** What happens meanwhile. */
  private interface Fault {
    void happen() throws IOException, InterruptedException;
  }

  /** What pgbench counted. */
  private record Load(int status, long transactions, long retried, long failed) {
    static Load of(int status, String said) {
      return new Load(
          status,
          number(said, "number of transactions actually processed: "),
          number(said, "number of transactions retried: "),
          number(said, "number of failed transactions: "));
    }

    private static long number(String said, String name) {
      return said.lines()
          .filter(line -> line.startsWith(name))
          .mapToLong(line -> Long.parseLong(line.substring(name.length()).replaceAll("\\D.*", "")))
          .findFirst()
          .orElse(0);
    }

    boolean isClean() {
      return status == 0 && failed == 0 && transactions > 0;
    }
  }

  private Load runWhile(QueryServer replicator, Fault fault)
      throws IOException, InterruptedException {
    List<String> command =
        LocalPostgres.client(
            programs,
            "pgbench",
            HostPort.of(replicator.address()),
            "-n",
            "-P",
            "1",
            "-T",
            Integer.toString(seconds),
            "-c",
            Integer.toString(clients),
            "--max-tries=100");
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("PGPASSWORD", password);
    Process pgbench = builder.start();
    try {
      CompletableFuture<String> said = CompletableFuture.supplyAsync(() -> relay(pgbench));
      if (!pgbench.waitFor(1_000L * seconds / 2, TimeUnit.MILLISECONDS)) {
        fault.happen();
      }
      if (!pgbench.waitFor(seconds + END_S, TimeUnit.SECONDS)) {
        throw new IOException("pgbench has not ended " + END_S + " s after its time");
      }
      Load load = Load.of(pgbench.exitValue(), said.join());
      if (load.status() != 0) {
        say("pgbench ended with status %d", load.status());
      }
      return load;
    } finally {
      pgbench.destroyForcibly();
    }
  }

  /** Shows how pgbench gets on; returns all that it printed. */
  private String relay(Process pgbench) {
    StringBuilder said = new StringBuilder();
    pgbench
        .inputReader()
        .lines()
        .forEach(
            line -> {
              said.append(line).append('\n');
              if (line.matches("progress: .*|pgbench: error: .*")) {
                say("  %s", line);
              }
            });
    return said.toString();
  }

  private void killFirst() throws IOException, InterruptedException {
    servers.get(0).kill();
    say("killed all processes of %s with kill -9", first());
  }

  private void startFirst() throws IOException, InterruptedException {
    servers.get(0).start(List.of());
    say("started %s again; it is given what it misses, and comes back by itself", first());
  }

  private void awaitAll(QueryServer replicator) throws IOException, InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(END_S);
    while (replicator.serversIn().size() < servers.size()) {
      if (System.nanoTime() - end > 0) {
        ask("servers", replicator);
        throw new IOException(
            "%s has not come back in %d s; the table says why".formatted(first(), END_S));
      }
      TimeUnit.MILLISECONDS.sleep(LOOK_MS);
    }
    say("%s is back", first());
  }

  /** Runs a command that operators run; its status. */
  private int ask(String command, QueryServer replicator) {
    say("$ mgtm query %s --at %s", command, replicator.admin());
    return spec.parent().commandLine().execute(command, "--at", replicator.admin().toString());
  }

  private synchronized void say(String format, Object... values) {
    out.printf(Locale.ROOT, format + "%n", values);
    out.flush();
  }
}
