package io.mgtm.ha.kit;

import io.mgtm.ha.kit.Processes.Proc;
import io.mgtm.ha.kit.Programs.Ended;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A MariaDB server, known by its program and its working folder, which is the data folder. */
final class MariadbKit implements Kit {
  private static final String SERVER = "mariadbd";
  private static final double ANSWER = 0.8;

  private static final String WRITE =
      "create database if not exists mgtm_ha;"
          + " create table if not exists mgtm_ha.checked"
          + " (id int primary key, at timestamp(6) not null) engine=InnoDB;"
          + " replace into mgtm_ha.checked values (1, now(6))";

  @Override
  public String name() {
    return "mariadb";
  }

  @Override
  public List<Parameter> parameters() {
    return List.of(
        new Parameter("data", true, "", "the data folder"),
        new Parameter("socket", true, "", "the socket that it makes, and that checks use"),
        new Parameter("port", false, "", "the port, where the configuration does not say it"),
        new Parameter("user", false, "", "whom it runs as; by default the data folder's owner"),
        new Parameter("client", false, "root", "whom checks log in as, by the socket"),
        new Parameter("bin", false, "", "the folder of mariadbd and mariadb; by default in PATH"),
        new Parameter("config", false, "", "the only my.cnf to read; by default the system's"),
        new Parameter("options", false, "", "more options of mariadbd"));
  }

  private static Path folder(KitContext context) {
    return Path.of(context.parameters().get("data"));
  }

  private static Daemon server(KitContext context) {
    return new Daemon(context, folder(context), SERVER);
  }

  private static String program(KitContext context, String name) {
    String bin = context.parameters().get("bin");
    return bin == null ? name : Path.of(bin, name).toString();
  }

  @Override
  public void inService(KitContext context) throws KitException, InterruptedException {
    Deadline deadline = Deadline.of(context);
    Path data = folder(context);
    if (!Files.isDirectory(data.resolve("mysql"))) {
      throw new KitException(
          "%s is no data folder of MariaDB: it has no mysql; is its file system mounted?"
              .formatted(data));
    }
    Daemon server = server(context);
    if (!server.isRunning()) {
      server.start(command(context), Map.of());
    }
    if (!deadline.await(() -> !server.isRunning() || answers(context, deadline))) {
      throw new KitException(
          "MariaDB in %s does not accept connections yet%s".formatted(data, server.said()));
    }
    if (!server.isRunning()) {
      throw new KitException("MariaDB in %s has ended%s".formatted(data, server.said()));
    }
  }

  private static List<String> command(KitContext context) throws KitException {
    Map<String, String> given = context.parameters();
    List<String> command = new ArrayList<>(List.of(program(context, SERVER)));
    if (given.containsKey("config")) {
      command.add("--defaults-file=" + given.get("config"));
    }
    command.add("--datadir=" + given.get("data"));
    command.add("--socket=" + given.get("socket"));
    // Of a relative name it is in the data folder, which its user may write to.
    command.add("--pid-file=mgtm-ha.pid");
    if (given.containsKey("port")) {
      command.add("--port=" + given.get("port"));
    }
    try {
      String owner = Files.getOwner(folder(context)).getName();
      command.add("--user=" + given.getOrDefault("user", owner));
    } catch (IOException e) {
      throw new KitException(
          "the owner of %s cannot be found: %s".formatted(folder(context), e.getMessage()), e);
    }
    command.addAll(Words.of(given.getOrDefault("options", "")));
    return command;
  }

  private static boolean answers(KitContext context, Deadline deadline)
      throws KitException, InterruptedException {
    return sql(context, deadline, "select 1").status() == 0;
  }

  static Ended sql(KitContext context, Deadline deadline, String statements)
      throws KitException, InterruptedException {
    Map<String, String> given = context.parameters();
    return Programs.run(
        Program.of(
            deadline,
            program(context, "mariadb"),
            "--no-defaults",
            "--socket=" + given.get("socket"),
            "--user=" + given.getOrDefault("client", "root"),
            "--connect-timeout=" + Math.max(1, deadline.leftMs() / 1000),
            "-NBe",
            statements));
  }

  /** SIGTERM is its orderly end. */
  @Override
  public void outOfService(KitContext context) throws KitException, InterruptedException {
    server(context).stop(Deadline.of(context));
  }

  @Override
  public Health quickCheck(KitContext context) {
    List<Proc> processes = server(context).processes();
    if (processes.isEmpty()) {
      return Health.out("not running");
    }
    Proc server = processes.get(0);
    if (server.isStopped()) {
      return Health.failed("process %d was stopped by a signal".formatted(server.pid()));
    }
    return Files.exists(Path.of(context.parameters().get("socket")))
        ? Health.in("process %d".formatted(server.pid()))
        : Health.failed("process %d has no socket".formatted(server.pid()));
  }

  @Override
  public Health deepCheck(KitContext context) throws KitException, InterruptedException {
    Health quick = quickCheck(context);
    if (quick.state() != Health.State.IN_SERVICE) {
      return quick;
    }
    Ended written = sql(context, Deadline.of(context).part(ANSWER), WRITE);
    return written.status() == 0
        ? Health.in(quick.detail() + ", wrote a row")
        : Health.failed("a write failed" + Programs.said(written.output()));
  }

  @Override
  public List<GuardStep> guard(KitContext context) {
    return server(context).guard();
  }
}
