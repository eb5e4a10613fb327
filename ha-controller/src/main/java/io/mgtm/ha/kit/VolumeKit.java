package io.mgtm.ha.kit;

import com.fasterxml.jackson.databind.JsonNode;
import io.mgtm.ha.kit.VolumeAgent.Grounds;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.StringJoiner;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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

  /** Set for a call when what this copy does not have may be lost. */
  public static final String ACCEPT_LOSS = "acceptLoss";

  /** Set for a check: the token of {@link #data} with which the cluster's state has that. */
  public static final String NOTED = "noted";

  /** Set for a check: nothing that runs is touched, the configuration may be an older one. */
  public static final String LOOKS = "looks";

  private static final Logger log = LoggerFactory.getLogger(VolumeKit.class);

  /** The share of a call's time in which an agent ends whose parameters are others by now. */
  private static final double END = 0.5;

  private static final String REFUSED = "refused";

  private static final String FORMER =
      "its agent runs with former parameters until the hierarchy is stopped, or moves";

  /** The states of copies that are as they were at one moment. */
  private static final Set<String> WHOLE = Set.of("UpToDate", "Consistent", "Outdated");

  /** The share of a call's time in which a copy has noticed that its source is gone. */
  private static final double NOTICED = 0.5;

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
        new Parameter(
            "pathTimeoutMs",
            false,
            VolumeCommand.PATH_TIMEOUT_MS,
            "after so long without a word the other copy is out of reach; less than"
                + " timing.leaseMs"),
        new Parameter("size", false, "", "the size, where the copy is to be created"),
        new Parameter("meta", false, "", "the folder of the metadata; by default FILE.meta"),
        new Parameter("options", false, "", "more options of mgtm volume start"),
        new Parameter("jar", false, "", "mgtm-volume.jar; by default beside mgtm-ha.jar"),
        new Parameter("javaOptions", false, "-XX:+UseSerialGC", "options of the agent's JVM"));
  }

  private static VolumeAgent agent(KitContext context) {
    return new VolumeAgent(context.parameters().get("volume"), VolumeCommand.meta(context));
  }

  /**
   * The status of the agent, which is started where it does not run. One that runs with other
   * parameters than the configuration's begins again with these, in order and where it serves
   * nobody; what is primary does so once it was demoted.
   */
  private static JsonNode running(KitContext context, Deadline deadline)
      throws KitException, InterruptedException {
    VolumeAgent agent = agent(context);
    VolumeCommand command = new VolumeCommand(context);
    Optional<JsonNode> status = agent.status(deadline.part(ANSWER));
    boolean leave = is(context, LOOKS) || (status.isPresent() && isPrimary(status.get()));
    if (status.isPresent() && (leave || !command.isOutrun())) {
      return status.get();
    }
    Daemon daemon = new Daemon(context);
    if (status.isPresent()) {
      end(context, daemon, deadline.part(END));
    }
    if (!daemon.isRunning()) {
      daemon.start(command.whole(), Map.of());
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

  /** In order alone: what it has received is on its way to the disk. */
  private static void end(KitContext context, Daemon daemon, Deadline deadline)
      throws KitException, InterruptedException {
    log.info(
        "{}: the agent of volume {} runs with former parameters, and begins again",
        context.resource(),
        context.parameters().get("volume"));
    if (!daemon.end(deadline)) {
      throw new KitException(
          "the agent of volume %s runs with former parameters, and does not end%s"
              .formatted(context.parameters().get("volume"), daemon.said()));
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
    VolumeAgent agent = agent(context);
    String refusal =
        is(context, VOUCHED)
            ? promoteVouched(agent, deadline)
            : agent.promote(Grounds.OWN, deadline);
    boolean whole = WHOLE.contains(status.path("disk").asText());
    if (!refusal.isEmpty() && is(context, ACCEPT_LOSS) && whole) {
      refusal = agent.promote(Grounds.FORCE, deadline);
    }
    if (!refusal.isEmpty()) {
      throw new KitException(
          "volume %s, whose copy here is %s, was not promoted: %s"
              .formatted(
                  context.parameters().get("volume"), status.path("disk").asText(), refusal));
    }
    if (!deadline.await(() -> isServing(agent.status(deadline).orElse(status)))) {
      throw new KitException("volume does not serve: " + trouble(running(context, deadline)));
    }
  }

  /**
   * The former primary is surely out; where its machine has died, this copy may not have noticed
   * yet, and is promoted as soon as it has.
   */
  private static String promoteVouched(VolumeAgent agent, Deadline deadline)
      throws KitException, InterruptedException {
    Deadline noticed = deadline.part(NOTICED);
    noticed.await(() -> !follows(agent.status(noticed)));
    String refusal = agent.promote(Grounds.VOUCHED, deadline);
    // The former primary may be there, and hand over.
    return refusal.isEmpty() ? refusal : agent.promote(Grounds.OWN, deadline);
  }

  private static boolean follows(Optional<JsonNode> status) {
    return status.isPresent() && !status.get().path("upstream").isNull();
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
  public Health quickCheck(KitContext context) throws KitException, InterruptedException {
    Deadline deadline = Deadline.of(context);
    Optional<JsonNode> status = agent(context).status(deadline.part(ANSWER));
    String noted = context.parameters().get(NOTED);
    if (noted != null && status.isPresent() && noted.equals(token(status.get()))) {
      // It may have other copies to wait for by now, and says so to the next check.
      agent(context).fenced(noted, deadline.part(ANSWER));
      status = agent(context).status(deadline.part(ANSWER));
    }
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

  /** Of what a primary waits for to be noted; empty when it waits for nothing. */
  private static String token(JsonNode status) {
    return status.path("fencing").path("token").asText("");
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
   * {@code copy}, its state as DRBD names it; of a primary that serves {@code inSync}, the other
   * nodes whose copies have everything acknowledged, {@code following}, those with asynchronous
   * ones that are connected, and {@code token} while it waits for that to be noted; {@code role},
   * {@code serving}, {@code generation} and {@code generations}, the newest first, {@code node} and
   * {@code upstream} as the agents name themselves, {@code sizeBytes}, {@code warning}; and of each
   * link {@code link.ADDRESS}, its state, of a primary's that is refused {@code why.ADDRESS}, and
   * while it resyncs {@code resync.ADDRESS}, bytes done and in total, milliseconds left, and bytes
   * a second; {@code behind.ADDRESS}, at most so many bytes that the copy there lacks.
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
    if (isPrimary(status) && new VolumeCommand(context).isOutrun()) {
      data.merge("warning", FORMER, (a, b) -> a.isEmpty() || a.equals("null") ? b : a + "; " + b);
    }
    for (JsonNode link : status.path("links")) {
      String name = link.path("name").asText();
      data.put("link." + name, link.path("state").asText());
      if (isPrimary(status) && REFUSED.equals(link.path("state").asText())) {
        data.put("why." + name, link.path("reason").asText());
      }
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
    if (isServing(status)) {
      data.putAll(others(status, VolumeCommand.copies(context)));
    }
    data.values().removeIf(value -> value.equals("null"));
    return data;
  }

  /** What a primary says of the other copies. */
  private static Map<String, String> others(JsonNode status, Map<String, String> copies) {
    Map<String, String> nodes = new HashMap<>();
    copies.forEach((node, address) -> nodes.put(address, node));
    StringJoiner inSync = new StringJoiner(",");
    StringJoiner following = new StringJoiner(",");
    for (JsonNode link : status.path("links")) {
      String name = link.path("name").asText();
      String node = nodes.getOrDefault(name, name);
      // Without a fence it may have gone on without a copy by the time that this is read.
      if (link.path("inSync").asBoolean() && status.path("fences").asBoolean()) {
        inSync.add(node);
      } else if (VolumeCommand.ASYNC.equals(link.path("mode").asText())
          && "up-to-date".equals(link.path("state").asText())) {
        following.add(node);
      }
    }
    return Map.of(
        "inSync", inSync.toString(), "following", following.toString(), "token", token(status));
  }

  @Override
  public List<GuardStep> guard(KitContext context) {
    return new Daemon(context).guard();
  }
}
