package io.mgtm.ha.config;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.mgtm.ha.kit.ResourceCheck;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the schema says holds by default does: a file that says so in full means the same. */
class SchemaDefaultsTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Every section that has keys with defaults. */
  private static final String FILE =
      """
      {"cluster": "c", "secretFile": "/s", "timing": {},
       "notify": {"mail": {"server": "m:25", "from": "a@b", "to": ["a@b"]}},
       "nodes": {"n": {"addresses": ["10.0.0.1"], "ports": {},
                       "fence": {"agent": "fence_none_such", "parameters": {"ip": "10.0.0.9"}}}},
       "hierarchies": {"h": {"nodes": ["n"], "policy": {}, "resources": {"r": {"kit": "k"}}}}}
      """;

  private final List<String> set = new ArrayList<>();

  @Test
  void areThoseOfTheCode() throws Exception {
    JsonNode schema = JSON.readTree(ClusterFile.schemaText());
    JsonNode full = JSON.readTree(FILE);

    fill(schema, schema, full);

    assertThat(set).hasSize(schema.findValues("default").size());
    assertThat(set).contains("heartbeatMs", "startTls", "api", "timeoutMs", "failover");
    assertThat(ClusterFile.parse("full", full.toString(), ResourceCheck.NONE))
        .isEqualTo(ClusterFile.parse("short", FILE, ResourceCheck.NONE));
  }

  /** Sets each key of an object, and of those below it, to its default. */
  private void fill(JsonNode schema, JsonNode as, JsonNode object) {
    JsonNode of = as.has("$ref") ? schema.at(as.path("$ref").asText().substring(1)) : as;
    of.path("properties")
        .properties()
        .forEach(
            property -> {
              JsonNode byDefault = property.getValue().path("default");
              if (!byDefault.isMissingNode()) {
                ((ObjectNode) object).set(property.getKey(), byDefault);
                set.add(property.getKey());
              } else if (object.path(property.getKey()).isObject()) {
                fill(schema, property.getValue(), object.path(property.getKey()));
              }
            });
    if (of.path("additionalProperties").isObject()) {
      object.forEach(each -> fill(schema, of.path("additionalProperties"), each));
    }
  }
}
