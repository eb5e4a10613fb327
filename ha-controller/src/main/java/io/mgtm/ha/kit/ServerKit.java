package io.mgtm.ha.kit;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * A server of mgtm's own, a GTM node, a GTM proxy or a query replicator: its jar in a process,
 * asked at the {@code /health} that it serves beside its metrics. A GTM node or a replicator is one
 * of a group, which chooses its leader itself; what is kept in service here is the process.
 */
final class ServerKit implements Kit {
  private static final int OK = 200;
  private static final String HEALTH = "/health";
  private static final int BODY_BYTES_MAX = 65_536;

  /** The status is for people: a check does not wait for it. */
  private static final int STATUS_MS = 500;

  private static final double ANSWER = 0.5;
  private static final String METRICS = "metrics";

  /**
   * What it says of itself.
   *
   * @param path of the page
   * @param facts what of it is shown to people
   */
  private record Status(String path, Function<String, Map<String, String>> facts) {}

  private final String name;
  private final String jar;
  private final String module;

  /** The parameter, and the server's option, of the address where it is asked. */
  private final String address;

  private final Optional<Status> status;

  private ServerKit(String name, String module, String address, Optional<Status> status) {
    this.name = name;
    this.jar = "mgtm-" + name + ".jar";
    this.module = module;
    this.address = address;
    this.status = status;
  }

  static ServerKit gtm() {
    return new ServerKit(
        "gtm", "gtm-core", METRICS, Optional.of(new Status("/status", GtmFacts::of)));
  }

  static ServerKit proxy() {
    return new ServerKit("proxy", "gtm-proxy", METRICS, Optional.empty());
  }

  /** Not asked who is connected to the servers, for which it would have to ask them. */
  static ServerKit query() {
    return new ServerKit(
        "query",
        "replication/query",
        "admin",
        Optional.of(new Status("/status?brief=true", QueryFacts::of)));
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public List<Parameter> parameters() {
    return List.of(
        new Parameter("arguments", true, "", "what follows start, such as --config FILE"),
        new Parameter(address, true, "", "HOST:PORT of its metrics and /health"),
        new Parameter("jar", false, "", jar + "; by default beside mgtm-ha.jar"),
        new Parameter("javaOptions", false, "-XX:+UseSerialGC", "options of its JVM"));
  }

  /** What it says of its health, or why it says nothing. */
  private record Answer(int status, String text) {}

  private Answer ask(KitContext context, String path, long timeoutMs) throws KitException {
    String url = "http://" + context.parameters().get(address) + path;
    try {
      HttpURLConnection connection = (HttpURLConnection) URI.create(url).toURL().openConnection();
      connection.setConnectTimeout((int) Math.max(1, timeoutMs));
      connection.setReadTimeout((int) Math.max(1, timeoutMs));
      int status = connection.getResponseCode();
      try (var body = status == OK ? connection.getInputStream() : connection.getErrorStream()) {
        byte[] bytes = body == null ? new byte[0] : body.readNBytes(BODY_BYTES_MAX);
        return new Answer(status, new String(bytes, StandardCharsets.UTF_8).strip());
      } finally {
        connection.disconnect();
      }
    } catch (IllegalArgumentException e) {
      throw new KitException(
          "%s \"%s\" of %s is no HOST:PORT"
              .formatted(address, context.parameters().get(address), context.resource()),
          e);
    } catch (IOException e) {
      return new Answer(0, url + ": " + e.getMessage());
    }
  }

  /** Nodes of Postgres-XC connect again by themselves, and so do clients. */
  @Override
  public boolean isRepairedAlone() {
    return true;
  }

  @Override
  public void inService(KitContext context) throws KitException, InterruptedException {
    Deadline deadline = Deadline.of(context);
    Daemon server = new Daemon(context);
    if (!server.isRunning()) {
      List<String> command = new ArrayList<>(Jars.command(context, jar, module));
      command.add("start");
      command.addAll(List.of("--" + address, context.parameters().get(address)));
      command.addAll(Words.of(context.parameters().get("arguments")));
      server.start(command, Map.of());
    }
    boolean answers =
        deadline.await(
            () -> !server.isRunning() || ask(context, HEALTH, deadline.leftMs()).status() != 0);
    if (!answers || !server.isRunning()) {
      throw new KitException("%s does not answer%s".formatted(jar, server.said()));
    }
  }

  @Override
  public void outOfService(KitContext context) throws KitException, InterruptedException {
    new Daemon(context).stop(Deadline.of(context));
  }

  @Override
  public Health quickCheck(KitContext context) {
    List<Processes.Proc> processes = new Daemon(context).processes();
    if (processes.isEmpty()) {
      return Health.out("not running");
    }
    String pid = "process " + processes.get(0).pid();
    return processes.get(0).isStopped()
        ? Health.failed(pid + " was stopped by a signal")
        : Health.in(pid);
  }

  /**
   * Whatever it says: what a group lacks, another start of this process does not bring. It would
   * end the connections of those who wait, and keep a majority from coming together.
   */
  @Override
  public Health deepCheck(KitContext context) throws KitException {
    Health quick = quickCheck(context);
    if (quick.state() != Health.State.IN_SERVICE) {
      return quick;
    }
    Answer answer = ask(context, HEALTH, (long) (context.deadlineMs() * ANSWER));
    return answer.status() == 0 ? Health.failed(answer.text()) : Health.in(answer.text());
  }

  /** How its group stands and who connects; of a replicator, its servers. */
  @Override
  public Map<String, String> data(KitContext context) {
    if (status.isEmpty()) {
      return Map.of();
    }
    long timeoutMs = Math.min(STATUS_MS, (long) (context.deadlineMs() * ANSWER / 2));
    try {
      Answer answer = ask(context, status.get().path(), timeoutMs);
      if (answer.status() == OK) {
        return status.get().facts().apply(answer.text());
      }
    } catch (KitException e) {
      return Map.of("trouble", e.getMessage());
    }
    return Map.of("trouble", "it does not say how it stands");
  }

  @Override
  public List<GuardStep> guard(KitContext context) {
    return new Daemon(context).guard();
  }
}
