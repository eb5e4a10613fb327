package io.mgtm.ha.api;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import io.mgtm.common.HostPort;
import io.mgtm.ha.kit.Kits;
import io.mgtm.ha.node.LocalCluster;
import io.mgtm.testing.Await;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Sends a controller requests that are drawn from its description, most of them wrong somewhere:
 * each is answered, none with what is not described, and the controller goes on.
 */
class ApiFuzzIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final List<String> METHODS =
      List.of("GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE", "MGTM");

  /** What the server answers to what is no request for what is described. */
  private static final Set<Integer> ANYWHERE =
      Set.of(400, 401, 403, 404, 405, 413, 414, 417, 431, 505);

  private static final Set<Integer> UNREAD = Set.of(400, 414, 431);

  @TempDir private static Path folder;
  private static LocalCluster cluster;
  private static ApiServer server;
  private static HostPort at;
  private static JsonNode description;
  private static final Map<String, JsonSchema> schemas = new HashMap<>();

  @BeforeAll
  static void start() throws Exception {
    cluster =
        new LocalCluster(
            folder,
            List.of("a"),
            """
            hierarchies:
              orders:
                nodes: [a]
                policy: {failover: manual}
                resources:
                  below: {kit: script, parameters: {start: a, stop: b, status: c}}
            """);
    cluster.start("a");
    at = cluster.config().nodes().get("a").api();
    server = ApiServer.start(cluster.node("a"), new ApiSetup(at, Kits::problem, Optional.empty()));
    Await.until("in service", () -> cluster.where("orders").isPresent());
    try (InputStream in = ApiServer.class.getResourceAsStream("openapi.json")) {
      description = JSON.readTree(in);
    }
  }

  @AfterAll
  static void stop() {
    server.close();
    cluster.close();
  }

  @Test
  void whateverIsAskedIsAnsweredAsDescribed() throws Exception {
    fuzz(Long.getLong("seed", 1), 4);
  }

  @Test
  @Tag("long")
  void andMoreOfIt() throws Exception {
    for (long seed = 2; seed < 8; seed++) {
      fuzz(seed, 40);
    }
  }

  private static void fuzz(long seed, int each) throws Exception {
    Random random = new Random(seed);
    for (Map.Entry<String, JsonNode> path : description.path("paths").properties()) {
      if (path.getKey().endsWith("/stream")) {
        // Its answers do not end.
        continue;
      }
      for (String method : METHODS) {
        JsonNode operation = path.getValue().path(method.toLowerCase(Locale.ROOT));
        for (int i = 0; i < each; i++) {
          FuzzedRequest request =
              FuzzedRequest.draw(random, method, path.getKey(), operation, cluster.yaml());
          String what = "seed %d: %s".formatted(seed, request);
          check(what, method, operation, request.sendTo(at));
        }
      }
    }
    assertThat(cluster.node("a").failure()).as("seed %d", seed).isNotDone();
    assertThat(
            RawHttp.send(
                    at,
                    "GET /v1/status HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
                        .getBytes(US_ASCII),
                    new byte[0])
                .status())
        .as("seed %d", seed)
        .isEqualTo(200);
  }

  private static void check(String what, String method, JsonNode operation, RawHttp.Answer answer)
      throws Exception {
    String status = Integer.toString(answer.status());
    JsonNode described = operation.path("responses").path(status);
    if (described.has("$ref")) {
      described = description.at(described.path("$ref").asText().substring(1));
    }
    boolean head = method.equals("HEAD");
    if (described.isMissingNode() && !(head && answer.status() == 200)) {
      assertThat(answer.status()).as("%s: %s", what, answer).isIn(ANYWHERE);
    }
    assertThat(answer.head()).as(what).doesNotContain("Jetty").doesNotContain("Javalin");
    if (answer.status() == 405) {
      assertThat(answer.header("Allow")).as(what).matches("(GET|POST|HEAD|, )+");
    }
    if (head && UNREAD.contains(answer.status())) {
      // What could not be read has no method.
      return;
    }
    if (head) {
      assertThat(answer.body()).as(what).isEmpty();
      return;
    }
    JsonNode content = described.path("content");
    if (described.isMissingNode() || content.has("application/json")) {
      assertThat(answer.header("Content-Type")).as(what).startsWith("application/json");
      String schema =
          described.isMissingNode()
              ? "{\"$ref\":\"#/components/schemas/Error\"}"
              : content.path("application/json").path("schema").toString();
      assertThat(schema(schema).validate(JSON.readTree(answer.body())))
          .as("%s: %s", what, answer)
          .isEmpty();
    }
  }

  private static JsonSchema schema(String text) throws Exception {
    JsonSchema known = schemas.get(text);
    if (known == null) {
      ObjectNode schema = (ObjectNode) JSON.readTree(text);
      schema.set("components", description.path("components"));
      known = JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012).getSchema(schema);
      schemas.put(text, known);
    }
    return known;
  }
}
