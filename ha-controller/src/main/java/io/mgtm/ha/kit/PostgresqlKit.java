package io.mgtm.ha.kit;

import io.mgtm.ha.kit.Processes.Proc;
import io.mgtm.ha.kit.Programs.Ended;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A PostgreSQL server, by its own {@code pg_ctl}. Its processes are known by their program and
 * their working folder, which is the data folder, so that a {@code postmaster.pid} of another
 * machine or of before a crash deceives nobody.
 */
class PostgresqlKit implements Kit {
  static final Parameter DATA = new Parameter("data", true, "", "the data folder");

  private static final String PID_FILE = "postmaster.pid";

  /** Lines of {@code postmaster.pid}, as miscadmin.h of PostgreSQL says. */
  private static final int PORT_LINE = 3;

  private static final int SOCKET_LINE = 4;
  private static final int ADDRESS_LINE = 5;
  private static final int STATUS_LINE = 7;

  private static final double FAST = 0.5;
  private static final double IMMEDIATE = 0.5;

  /** In one statement string it is one transaction; old versions know no upsert. */
  private static final String WRITE =
      "delete from mgtm_ha_check; insert into mgtm_ha_check values (1, now())";

  private static final String TABLE =
      "create table if not exists mgtm_ha_check (id integer, at timestamp with time zone)";

  @Override
  public String name() {
    return "postgresql";
  }

  @Override
  public List<Parameter> parameters() {
    return List.of(
        DATA,
        new Parameter("port", false, "", "the port, where postgresql.conf does not say it"),
        new Parameter("user", false, "", "whom it runs as; by default the data folder's owner"),
        new Parameter("bin", false, "", "the folder of pg_ctl and psql; by default it is found"),
        new Parameter("config", false, "", "postgresql.conf, where it is not in the data folder"),
        new Parameter("options", false, "", "more options of the server, as pg_ctl -o takes them"),
        new Parameter("database", false, "postgres", "where the deep check writes"));
  }

  /** What {@code pg_ctl start} is told beside what all are told. */
  List<String> startArguments(KitContext context) {
    return List.of();
  }

  static Path folder(KitContext context) {
    return Path.of(context.parameters().get("data"));
  }

  static String parameter(KitContext context, String name, String otherwise) {
    return context.parameters().getOrDefault(name, otherwise);
  }

  Daemon server(KitContext context) {
    return new Daemon(context, folder(context), "postgres");
  }

  @Override
  public void inService(KitContext context) throws KitException, InterruptedException {
    Deadline deadline = Deadline.of(context);
    Path data = folder(context);
    if (!Files.exists(data.resolve("PG_VERSION"))) {
      throw new KitException(
          "%s is no data folder of PostgreSQL: it has no PG_VERSION; is its file system mounted?"
              .formatted(data));
    }
    Daemon server = server(context);
    if (!server.isRunning()) {
      forgetStalePid(data);
      start(context, server, deadline);
    }
    if (!deadline.await(() -> !server.isRunning() || isReady(data))) {
      throw new KitException(
          "PostgreSQL in %s does not accept connections yet%s".formatted(data, server.said()));
    }
    if (!server.isRunning()) {
      throw new KitException("PostgreSQL in %s has ended%s".formatted(data, server.said()));
    }
  }

  private void start(KitContext context, Daemon server, Deadline deadline)
      throws KitException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(program(context, "pg_ctl"), "-D"));
    command.add(folder(context).toString());
    command.addAll(startArguments(context));
    command.addAll(List.of("-w", "-t", seconds(deadline)));
    String options = options(context);
    if (!options.isEmpty()) {
      command.addAll(List.of("-o", options));
    }
    command.add("start");
    Program start = Program.of(deadline, command).as(user(context));
    Program whole = Program.of(deadline, server.joining(start.command()));
    Ended ended = Programs.run(whole);
    if (ended.status() != 0) {
      throw new KitException(
          "%s ended with status %d%s".formatted(start, ended.status(), server.said()));
    }
  }

  private static String options(KitContext context) {
    List<String> options = new ArrayList<>();
    String config = parameter(context, "config", "");
    if (!config.isEmpty()) {
      options.add("-c config_file=" + config);
    }
    String port = parameter(context, "port", "");
    if (!port.isEmpty()) {
      options.add("-p " + port);
    }
    options.add(parameter(context, "options", ""));
    return String.join(" ", options).strip();
  }

  private static String seconds(Deadline deadline) {
    return Long.toString(Math.max(1, deadline.leftMs() / 1000));
  }

  /**
   * PostgreSQL does so by itself, unless another process has that pid by now, or the one that was
   * killed has not been waited for by its parent.
   */
  private static void forgetStalePid(Path data) throws KitException {
    List<String> lines = pidFile(data);
    Path lock = Path.of(line(lines, SOCKET_LINE), ".s.PGSQL." + line(lines, PORT_LINE) + ".lock");
    try {
      if (Files.exists(lock) && line(Files.readAllLines(lock), 1).equals(data.toString())) {
        Files.delete(lock);
      }
      Files.deleteIfExists(data.resolve(PID_FILE));
    } catch (IOException e) {
      throw new KitException(
          "%s or %s is stale and cannot be removed: %s"
              .formatted(data.resolve(PID_FILE), lock, e.getMessage()),
          e);
    }
  }

  @Override
  public void outOfService(KitContext context) throws KitException, InterruptedException {
    Deadline deadline = Deadline.of(context);
    Daemon server = server(context);
    stop(context, server, "fast", deadline.part(FAST));
    stop(context, server, "immediate", deadline.part(IMMEDIATE));
    server.kill(deadline);
    Cgroup.remove(context);
  }

  /** Whether it helped is seen by the processes; a hung server does not hear of it. */
  private void stop(KitContext context, Daemon server, String mode, Deadline deadline)
      throws KitException, InterruptedException {
    Optional<Proc> postmaster = postmaster(context, server);
    if (postmaster.isEmpty() || postmaster.get().isStopped()) {
      return;
    }
    String pgCtl = program(context, "pg_ctl");
    String data = folder(context).toString();
    String wait = Long.toString(Math.max(1, deadline.leftMs() / 1000 - 1));
    Program stop = Program.of(deadline, pgCtl, "-D", data, "-m", mode, "-w", "-t", wait, "stop");
    try {
      Programs.run(stop.as(user(context)));
    } catch (KitException e) {
      return; // harder means follow
    }
    deadline.await(() -> !server.isRunning());
  }

  @Override
  public Health quickCheck(KitContext context) {
    Path data = folder(context);
    Daemon server = server(context);
    Optional<Proc> postmaster = postmaster(context, server);
    if (postmaster.isEmpty()) {
      if (server.isRunning()) {
        return Health.failed("the postmaster has ended, and left processes that use " + data);
      }
      return Health.out(
          Files.exists(data.resolve(PID_FILE))
              ? "not running; it did not end in order"
              : "not running");
    }
    long pid = postmaster.get().pid();
    if (postmaster.get().isStopped()) {
      return Health.failed("process %d was stopped by a signal".formatted(pid));
    }
    return isReady(data)
        ? Health.in("process %d".formatted(pid))
        : Health.failed("process %d accepts no connections: %s".formatted(pid, status(data)));
  }

  @Override
  public Health deepCheck(KitContext context) throws KitException, InterruptedException {
    Health quick = quickCheck(context);
    if (quick.state() != Health.State.IN_SERVICE) {
      return quick;
    }
    Deadline deadline = Deadline.of(context);
    Ended written = sql(context, deadline, WRITE);
    if (written.status() != 0 && written.output().contains("does not exist")) {
      sql(context, deadline, TABLE);
      written = sql(context, deadline, WRITE);
    }
    return written.status() == 0
        ? Health.in(quick.detail() + ", wrote a row")
        : Health.failed("a write failed" + Programs.said(written.output()));
  }

  /** One statement string, which is one transaction. */
  Ended sql(KitContext context, Deadline deadline, String statements)
      throws KitException, InterruptedException {
    List<String> lines = pidFile(folder(context));
    String socket = line(lines, SOCKET_LINE);
    Program psql =
        Program.of(
            deadline,
            program(context, "psql"),
            "-XAtq",
            "-v",
            "ON_ERROR_STOP=1",
            "-h",
            socket.isEmpty() ? line(lines, ADDRESS_LINE) : socket,
            "-p",
            line(lines, PORT_LINE),
            "-d",
            parameter(context, "database", "postgres"),
            "-c",
            statements);
    String timeout = Long.toString(Math.max(1, deadline.leftMs()));
    return Programs.run(
        psql.as(user(context))
            .with(
                Map.of(
                    "PGAPPNAME",
                    "mgtm-ha",
                    "PGCONNECT_TIMEOUT",
                    seconds(deadline),
                    "PGOPTIONS",
                    "-c statement_timeout=" + timeout + " -c synchronous_commit=local")));
  }

  private static Optional<Proc> postmaster(KitContext context, Daemon server) {
    String pid = line(pidFile(folder(context)), 0);
    return server.processes().stream()
        .filter(one -> Long.toString(one.pid()).equals(pid))
        .findFirst();
  }

  /** Versions before 10 write no status: only {@code pg_ctl} waits for them. */
  private static boolean isReady(Path data) {
    String status = status(data);
    return status.equals("ready")
        || status.equals("standby")
        || (status.isEmpty() && !pidFile(data).isEmpty() && version(data).contains("."));
  }

  private static String status(Path data) {
    return line(pidFile(data), STATUS_LINE);
  }

  private static List<String> pidFile(Path data) {
    try {
      return Files.readAllLines(data.resolve(PID_FILE));
    } catch (IOException e) {
      return List.of();
    }
  }

  /** Such as {@code 15} or {@code 9.6}; empty when it is not known. */
  private static String version(Path data) {
    try {
      return Files.readString(data.resolve("PG_VERSION")).strip();
    } catch (IOException e) {
      return "";
    }
  }

  private static String line(List<String> lines, int number) {
    return number < lines.size() ? lines.get(number).strip() : "";
  }

  static String user(KitContext context) throws KitException {
    String given = parameter(context, "user", "");
    try {
      return given.isEmpty() ? Files.getOwner(folder(context)).getName() : given;
    } catch (IOException e) {
      throw new KitException(
          "the owner of %s cannot be found: %s".formatted(folder(context), e.getMessage()), e);
    }
  }

  /** The path of one of PostgreSQL's programs of the data folder's version. */
  String program(KitContext context, String program) {
    String given = parameter(context, "bin", "");
    if (!given.isEmpty()) {
      return Path.of(given, program).toString();
    }
    String version = version(folder(context));
    return Stream.of("/usr/lib/postgresql/%s/bin", "/usr/pgsql-%s/bin", "/usr/local/pgsql/bin")
        .map(folder -> Path.of(folder.formatted(version), program))
        .filter(Files::isExecutable)
        .map(Path::toString)
        .findFirst()
        .orElse(program);
  }

  @Override
  public List<GuardStep> guard(KitContext context) {
    return server(context).guard();
  }
}
