package io.mgtm.ha.kit;

import com.fasterxml.jackson.databind.JsonNode;
import io.mgtm.ha.kit.VolumeAgent.Grounds;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.StringJoiner;

/**
 * A copy of a replicated volume, by its agent. The agent runs on every node of the hierarchy, as
 * replicas need it to: {@link #data} starts it where it does not run, and taking the volume out of
 * service makes it secondary. Only a copy that may be promoted is, as docs/volume.md says which.
 */
public final class VolumeKit implements Kit {
  /**
   * Set by the controller for a call of {@code inService}, never configured: the cluster's state
   * says that this copy has all that was acknowledged, so that it is promoted although the last
   * primary, which is surely out, cannot hand over.
   */
  public static final String VOUCHED = "vouched";

  /** Set for a call when an operator has accepted to lose what this copy does not have. */
  public static final String ACCEPT_LOSS = "acceptLoss";

  /** The state of a link whose copy has everything acknowledged. */
  private static final String IN_SYNC = "up-to-date";

  /** The share of a call's time in which an agent that is well has answered. */
  private static final double ANSWER = 0.5;

  @Override
  public String name() {
    return "volume";
  }

  @Override
  public List<Parameter> parameters() {
    return List.of(
        new Parameter("volume", true, "", "the volume's name, the same on every node"),
        new Parameter("file", true, "", "the file or device that holds this node's copy"),
        new Parameter("listen", true, "", "where NBD clients connect, such as unix:/run/v1.sock"),
        new Parameter(
            "copies",
            true,
            "",
            "where each node's copy is reached by the others: NODE=HOST:PORT, separated by commas"),
        new Parameter("mode", false, "sync", "sync, semi or async, separated by commas"),
        new Parameter("linkKey", false, "", "the file with the key of the links"),
        new Parameter("size", false, "", "the size, where the copy is to be created"),
        new Parameter("meta", false, "", "the folder of the metadata; by default FILE.meta"),
        new Parameter("options", false, "", "more options of mgtm volume start"),
        new Parameter("jar", false, "", "mgtm-volume.jar; by default beside mgtm-ha.jar"),
        new Parameter("javaOptions", false, "-XX:+UseSerialGC", "options of the agent's JVM"));
  }

  @Override
  public Set<Capability> capabilities() {
    return Set.of(Capability.REPLICATED_DATA);
  }

  private static VolumeAgent agent(KitContext context) {
    return new VolumeAgent(context.parameters().get("volume"), meta(context));
  }

  private static Path meta(KitContext context) {
    String file = context.parameters().get("file");
    return Path.of(context.parameters().getOrDefault("meta", file + ".meta"));
  }

  /** The status of the agent, which is started where it does not run. */
  private static JsonNode running(KitContext context, Deadline deadline)
      throws KitException, InterruptedException {
    VolumeAgent agent = agent(context);
    Optional<JsonNode> status = agent.status(deadline.part(ANSWER));
    if (status.isPresent()) {
      return status.get();
    }
    Daemon daemon = new Daemon(context);
    if (!daemon.isRunning()) {
      daemon.start(command(context), Map.of());
    }
    deadline.await(() -> agent.status(deadline).isPresent() || !daemon.isRunning());
    return agent
        .status(deadline)
        .orElseThrow(
            () ->
                new KitException(
                    "the agent of volume %s does not answer%s"
                        .formatted(context.parameters().get("volume"), daemon.said())));
  }

  private static List<String> command(KitContext context) throws KitException {
    Map<String, String> given = context.parameters();
    List<String> command =
        new ArrayList<>(Jars.command(context, "mgtm-volume.jar", "replication/block"));
    command.addAll(List.of("start", "--name", given.get("volume"), "--file", given.get("file")));
    Map<String, String> copies = copies(context);
    command.addAll(List.of("--listen", given.get("listen")));
    command.addAll(List.of("--receive", copies.remove(context.node())));
    for (String replica : copies.values()) {
      command.addAll(List.of("--replica", replica));
    }
    for (String mode : given.getOrDefault("mode", "sync").split(",", -1)) {
      command.addAll(List.of("--mode", mode.strip()));
    }
    option(command, "--link-key", given.get("linkKey"));
    option(command, "--meta", given.get("meta"));
    boolean exists = meta(context).resolve("volume.json").toFile().exists();
    option(command, "--size", exists ? null : given.get("size"));
    command.addAll(Words.of(given.getOrDefault("options", "")));
    return command;
  }

  /** By node, where its copy is reached; this node's among them. */
  private static Map<String, String> copies(KitContext context) throws KitException {
    Map<String, String> copies = new LinkedHashMap<>();
    String given = context.parameters().get("copies");
    for (String one : given.split(",", -1)) {
      int equals = one.indexOf('=');
      if (equals < 1) {
        throw new KitException(
            "copies is \"%s\", expected NODE=HOST:PORT, separated by commas".formatted(given));
      }
      copies.put(one.substring(0, equals).strip(), one.substring(equals + 1).strip());
    }
    if (!copies.containsKey(context.node())) {
      throw new KitException(
          "copies is \"%s\", and does not say where the copy of %s is reached"
              .formatted(given, context.node()));
    }
    return copies;
  }

  private static void option(List<String> command, String option, String value) {
    if (value != null) {
      command.addAll(List.of(option, value));
    }
  }

  private static boolean isPrimary(JsonNode status) {
    return status.path("role").asText().equals("primary");
  }

  private static boolean isServing(JsonNode status) {
    return isPrimary(status) && status.path("serving").asBoolean();
  }

  @Override
  public void inService(KitContext context) throws KitException, InterruptedException {
    Deadline deadline = Deadline.of(context);
    JsonNode status = running(context, deadline);
    if (isServing(status)) {
      return;
    }
    String refusal = agent(context).promote(Grounds.OWN, deadline);
    if (!refusal.isEmpty() && is(context, VOUCHED)) {
      refusal = agent(context).promote(Grounds.VOUCHED, deadline);
    }
    if (!refusal.isEmpty() && is(context, ACCEPT_LOSS)) {
      refusal = agent(context).promote(Grounds.FORCE, deadline);
    }
    if (!refusal.isEmpty()) {
      throw new KitException(
          "volume %s, whose copy here is %s, was not promoted: %s"
              .formatted(
                  context.parameters().get("volume"), status.path("disk").asText(), refusal));
    }
    if (!deadline.await(() -> isServing(agent(context).status(deadline).orElse(status)))) {
      throw new KitException("volume does not serve: " + trouble(running(context, deadline)));
    }
  }

  private static boolean is(KitContext context, String name) {
    return Boolean.parseBoolean(context.parameters().get(name));
  }

  @Override
  public void outOfService(KitContext context) throws KitException, InterruptedException {
    Deadline deadline = Deadline.of(context);
    Optional<JsonNode> status = agent(context).status(deadline.part(ANSWER));
    if (status.isEmpty()) {
      // A hung agent may serve still.
      new Daemon(context).kill(deadline);
    } else if (isPrimary(status.get())) {
      String refusal = agent(context).demote(deadline);
      if (!refusal.isEmpty()) {
        throw new KitException(
            "volume %s was not demoted: %s".formatted(context.parameters().get("volume"), refusal));
      }
    }
  }

  @Override
  public Health quickCheck(KitContext context) throws InterruptedException {
    Optional<JsonNode> status = agent(context).status(Deadline.of(context).part(ANSWER));
    if (status.isEmpty()) {
      return new Daemon(context).isRunning()
          ? Health.failed("its agent does not answer")
          : Health.out("its agent does not run");
    }
    String told =
        "%s, %s".formatted(status.get().path("role").asText(), status.get().path("disk").asText());
    if (!isPrimary(status.get())) {
      return Health.out(told);
    }
    return isServing(status.get())
        ? Health.in(told + warning(status.get()))
        : Health.failed(told + ", not serving: " + trouble(status.get()));
  }

  private static String behindBytes(JsonNode status, JsonNode link) {
    long chunks = link.path("chunksOutOfSync").asLong();
    return Long.toString(chunks * status.path("chunkBytes").asLong());
  }

  private static String trouble(JsonNode status) {
    return status.path("notServingBecause").asText("it is " + status.path("role").asText());
  }

  private static String warning(JsonNode status) {
    JsonNode warning = status.path("warning");
    return warning.isTextual() ? ", " + warning.asText() : "";
  }

  /**
   * {@code copy}, its state as DRBD names it; {@code inSync}, the other nodes whose copies have
   * everything acknowledged, as a primary knows; {@code token}, which changes when that does;
   * {@code role}, {@code serving}, {@code generation}, {@code node} and {@code upstream} as the
   * agents name themselves, {@code sizeBytes}, {@code warning}; and of each link {@code
   * link.ADDRESS}, its state, and while it resyncs {@code resync.ADDRESS}, bytes done and in total,
   * milliseconds left, and bytes a second; {@code behind.ADDRESS}, at most so many bytes that the
   * copy there lacks.
   */
  @Override
  public Map<String, String> data(KitContext context) throws KitException, InterruptedException {
    JsonNode status;
    try {
      status = running(context, Deadline.of(context));
    } catch (KitException e) {
      return Map.of("copy", "Unknown", "why", e.getMessage());
    }
    Map<String, String> data = new LinkedHashMap<>();
    data.put("role", status.path("role").asText());
    data.put("copy", status.path("disk").asText());
    data.put("serving", status.path("serving").asText());
    data.put("generation", status.path("generations").path(0).asText());
    data.put("node", status.path("nodeId").asText());
    data.put("upstream", status.path("upstream").asText(""));
    data.put("sizeBytes", status.path("sizeBytes").asText());
    data.put("warning", status.path("warning").asText(""));
    Map<String, String> nodes = new HashMap<>();
    copies(context).forEach((node, address) -> nodes.put(address, node));
    StringJoiner inSync = new StringJoiner(",");
    for (JsonNode link : status.path("links")) {
      String name = link.path("name").asText();
      if (isPrimary(status) && IN_SYNC.equals(link.path("state").asText())) {
        inSync.add(nodes.getOrDefault(name, name));
      }
      data.put("link." + name, link.path("state").asText());
      JsonNode resync = link.path("resync");
      if (resync.path("running").asBoolean()) {
        data.put(
            "resync." + name,
            "%d %d %d %d"
                .formatted(
                    resync.path("doneBytes").asLong(),
                    resync.path("totalBytes").asLong(),
                    resync.path("remainingMs").asLong(),
                    resync.path("bytesPerSecond").asLong()));
      }
      data.put("behind." + name, behindBytes(status, link));
    }
    data.put("inSync", inSync.toString());
    // Each loss of a replica begins a generation.
    data.put("token", data.get("generation") + "/" + inSync);
    data.values().removeIf(value -> value.equals("null"));
    return data;
  }

  @Override
  public List<GuardStep> guard(KitContext context) {
    return new Daemon(context).guard();
  }
}
