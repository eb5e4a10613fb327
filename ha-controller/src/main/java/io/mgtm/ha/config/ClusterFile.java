package io.mgtm.ha.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.PathType;
import com.networknt.schema.SchemaValidatorsConfig;
import com.networknt.schema.SpecVersion;
import com.networknt.schema.ValidationMessage;
import io.mgtm.common.ConfigException;
import io.mgtm.common.FileErrors;
import io.mgtm.common.HostPort;
import io.mgtm.common.SecretFile;
import io.mgtm.common.TlsFiles;
import io.mgtm.ha.kit.FenceAgent;
import io.mgtm.ha.kit.Nearest;
import io.mgtm.ha.kit.ResourceCheck;
import io.mgtm.ha.model.ClusterConfig;
import io.mgtm.ha.model.Hierarchy;
import io.mgtm.ha.model.Node;
import io.mgtm.ha.model.Policy;
import io.mgtm.ha.model.Resource;
import io.mgtm.ha.model.Timing;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * A cluster's configuration as people write it: one YAML file, the same on every machine, whose
 * keys {@code ha.schema.json} describes.
 *
 * @param config what the controllers agree on
 * @param secretFile where the secret lies that they share; empty only when all are on this machine
 * @param tls of this machine's controller, for operators; no certificate without TLS
 * @param access who may ask it what
 * @param tells whom it tells of events while it leads
 * @param fences by node, the agents that it has switch others off while it leads
 */
public record ClusterFile(
    ClusterConfig config,
    Optional<Path> secretFile,
    TlsFiles tls,
    AccessConfig access,
    NotifyConfig tells,
    Map<String, FenceAgent> fences) {
  private static final int BYTES_MAX = 1 << 20;
  private static final int GROUP_PORT = 7900;
  private static final int HEARTBEAT_PORT = 7901;
  private static final int API_PORT = 7902;

  private static final JsonSchema SCHEMA =
      JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012)
          .getSchema(
              schemaText(),
              SchemaValidatorsConfig.builder()
                  .pathType(PathType.JSON_POINTER)
                  .locale(Locale.ROOT)
                  .build());

  /**
   * Reads a file.
   *
   * @param kits what the kits of this version make of a resource
   * @throws ConfigException when it cannot be read or says what cannot be; with line and column
   */
  public static ClusterFile read(Path file, ResourceCheck kits) throws ConfigException {
    return parse(file.toString(), text(file), kits);
  }

  /**
   * As {@link #read}, and looks at what the file names on this machine.
   *
   * @throws ConfigException also when that cannot be used
   */
  public static ClusterFile check(Path file, ResourceCheck kits)
      throws ConfigException, InterruptedException {
    YamlText yaml = YamlText.parse(file.toString(), text(file));
    ClusterFile read = of(yaml, kits);
    new MachineCheck(yaml, read).check();
    return read;
  }

  /**
   * What the cluster's controllers share; nothing where all are on loopback and the file names
   * none.
   *
   * @throws IOException when it is missing, since nobody beyond this machine may be heard then,
   *     cannot be read, or is too short
   */
  public Optional<String> secret() throws IOException {
    if (secretFile.isPresent()) {
      return Optional.of(SecretFile.ofLinks("secretFile", secretFile.get()));
    }
    for (Map.Entry<String, Node> node : config.nodes().entrySet()) {
      InetSocketAddress address = node.getValue().group().resolve();
      if (address.isUnresolved() || !address.getAddress().isLoopbackAddress()) {
        throw new IOException(
            "secretFile is missing, and node %s is not on loopback; draw a secret by openssl rand -hex 32 into a file of mode 0600 on every machine, and name it"
                .formatted(node.getKey()));
      }
    }
    return Optional.empty();
  }

  private static String text(Path file) throws ConfigException {
    try {
      if (Files.size(file) > BYTES_MAX) {
        throw new ConfigException(file + " is larger than 1 MiB; that is no configuration");
      }
      return Files.readString(file);
    } catch (NoSuchFileException e) {
      throw new ConfigException("there is no configuration file " + file, e);
    } catch (IOException e) {
      throw new ConfigException(
          "cannot read the configuration file " + file + ": " + FileErrors.reason(e), e);
    }
  }

  /** As {@link #read}, from a text that messages call {@code source}. */
  public static ClusterFile parse(String source, String text, ResourceCheck kits)
      throws ConfigException {
    return of(YamlText.parse(source, text), kits);
  }

  private static ClusterFile of(YamlText yaml, ResourceCheck kits) throws ConfigException {
    if (!yaml.root().isObject()) {
      throw yaml.error("", "expected keys and values, as in docs/ha.md");
    }
    checkSchema(yaml);
    JsonNode root = yaml.root();
    ClusterConfig config =
        new ClusterConfig(
            root.get("cluster").asText(),
            timing(root.path("timing")),
            each(root.path("nodes"), ClusterFile::node),
            each(root.path("hierarchies"), ClusterFile::hierarchy),
            root.path("quorumDisk").asText());
    new ClusterCheck(yaml, config, kits).check();
    FacesFile faces = new FacesFile(yaml);
    return new ClusterFile(
        config,
        Optional.ofNullable(root.get("secretFile")).map(f -> Path.of(f.asText())),
        faces.tls(),
        faces.access(),
        faces.tellWhom(),
        new FenceFile(yaml).agents());
  }

  /** The JSON Schema of the file. */
  public static String schemaText() {
    try (InputStream in = ClusterFile.class.getResourceAsStream("ha.schema.json")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void checkSchema(YamlText yaml) throws ConfigException {
    Optional<ValidationMessage> first =
        SCHEMA.validate(yaml.root()).stream()
            .min(
                // A key that was misspelt is missing too, and that alone would not tell why.
                Comparator.comparing((ValidationMessage m) -> !isUnknownKey(m))
                    .thenComparing(m -> m.getInstanceLocation().toString()));
    if (first.isPresent()) {
      throw error(yaml, first.get());
    }
  }

  private static ConfigException error(YamlText yaml, ValidationMessage message) {
    String at = message.getInstanceLocation().toString();
    if (isUnknownKey(message)) {
      String key = message.getProperty();
      return yaml.error(at + "/" + key, Nearest.unknown("key", key, knownBeside(message)));
    }
    String text = message.getMessage();
    String prefix = at + ": ";
    return yaml.error(at, text.startsWith(prefix) ? text.substring(prefix.length()) : text);
  }

  private static boolean isUnknownKey(ValidationMessage message) {
    return message.getType().equals("additionalProperties");
  }

  /** The keys that stand in the schema where an unknown one was found. */
  private static List<String> knownBeside(ValidationMessage message) {
    String keyword = message.getSchemaLocation().getFragment().toString();
    String owner = keyword.substring(0, keyword.lastIndexOf('/'));
    List<String> known = new ArrayList<>();
    SCHEMA.getSchemaNode().at(owner + "/properties").fieldNames().forEachRemaining(known::add);
    return known;
  }

  private static <T> Map<String, T> each(JsonNode object, Function<JsonNode, T> of) {
    Map<String, T> all = new LinkedHashMap<>();
    object.properties().forEach(entry -> all.put(entry.getKey(), of.apply(entry.getValue())));
    return Collections.unmodifiableMap(all);
  }

  private static List<String> texts(JsonNode array) {
    List<String> all = new ArrayList<>();
    array.forEach(one -> all.add(one.asText()));
    return all;
  }

  private static Timing timing(JsonNode set) {
    Timing d = Timing.defaults();
    return new Timing(
        set.path("heartbeatMs").asInt(d.heartbeatMs()),
        set.path("leaseMs").asInt(d.leaseMs()),
        set.path("guardMs").asInt(d.guardMs()),
        set.path("driftPercent").asInt(d.driftPercent()));
  }

  private static Node node(JsonNode set) {
    List<String> addresses = texts(set.path("addresses"));
    JsonNode ports = set.path("ports");
    int heartbeat = ports.path("heartbeat").asInt(HEARTBEAT_PORT);
    return new Node(
        set.path("site").asText(),
        set.path("witness").asBoolean(),
        new HostPort(addresses.get(0), ports.path("group").asInt(GROUP_PORT)),
        addresses.stream().map(host -> new HostPort(host, heartbeat)).toList(),
        new HostPort(addresses.get(0), ports.path("api").asInt(API_PORT)),
        set.path("watchdogDevice").asText());
  }

  private static Hierarchy hierarchy(JsonNode set) {
    return new Hierarchy(
        texts(set.path("nodes")),
        policy(set.path("policy")),
        each(set.path("resources"), ClusterFile::resource));
  }

  private static Policy policy(JsonNode set) {
    Policy d = Policy.defaults();
    return new Policy(
        set.path("localRecoveries").asInt(d.localRecoveries()),
        set.path("localRecoveryWindowMs").asLong(d.localRecoveryWindowMs()),
        oneOf(set.path("failover"), d.failover()),
        oneOf(set.path("failoverBetweenSites"), d.failoverBetweenSites()),
        set.path("betweenSitesWaitMs").asLong(d.betweenSitesWaitMs()),
        oneOf(set.path("failback"), d.failback()),
        set.path("failoversMax").asInt(d.failoversMax()),
        set.path("failoversWindowMs").asLong(d.failoversWindowMs()));
  }

  private static <E extends Enum<E>> E oneOf(JsonNode set, E byDefault) {
    return set.isMissingNode()
        ? byDefault
        : Enum.valueOf(byDefault.getDeclaringClass(), set.asText().toUpperCase(Locale.ROOT));
  }

  private static Resource resource(JsonNode set) {
    return new Resource(
        set.get("kit").asText(),
        texts(set.path("on")),
        each(set.path("parameters"), JsonNode::asText),
        each(set.path("at"), at -> each(at, JsonNode::asText)));
  }
}
