package io.mgtm.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ConfigKeysTest {
  record File(
      @Key("where") HostPort listen,
      @Key("what") Path data,
      @Key(value = "who", as = "ADDRESS/BITS") List<String> allow,
      @Key("in which") TimeUnit unit,
      boolean undescribed,
      Limits limits) {}

  record Limits(@Key(value = "how many", min = 1, max = 9) int clientsMax, @Key("any") long any) {}

  private static File with(int clientsMax) {
    return new File(
        new HostPort("h", 1),
        null,
        List.of("10.0.0.0/8"),
        TimeUnit.SECONDS,
        true,
        new Limits(clientsMax, -5));
  }

  @Test
  void aNumberOutOfItsRangeIsRefusedByTheNameOfItsKey() {
    assertThatCode(() -> ConfigKeys.checkRanges(with(1))).doesNotThrowAnyException();
    assertThatCode(() -> ConfigKeys.checkRanges(with(9))).doesNotThrowAnyException();
    for (int wrong : new int[] {0, 10}) {
      assertThatThrownBy(() -> ConfigKeys.checkRanges(with(wrong)))
          .isInstanceOf(ConfigException.class)
          .hasMessage("limits.clientsMax: " + wrong + " is not allowed, expected 1 to 9");
    }
  }

  @Test
  void theSchemaTellsTypesDefaultsRangesAndWhatKeysAreFor() throws Exception {
    JsonNode schema = new ObjectMapper().readTree(ConfigKeys.schema("t", "d", with(3)));

    assertThat(schema.path("title").asText()).isEqualTo("t");
    assertThat(schema.path("description").asText()).isEqualTo("d");
    assertThat(schema.path("additionalProperties").asBoolean(true)).isFalse();
    JsonNode keys = schema.path("properties");
    assertThat(keys.path("listen"))
        .hasToString(
            "{\"type\":\"string\",\"format\":\"HOST:PORT\",\"default\":\"h:1\",\"description\":\"where\"}");
    assertThat(keys.path("data"))
        .hasToString("{\"type\":\"string\",\"format\":\"path\",\"description\":\"what\"}");
    assertThat(keys.path("allow").path("items"))
        .hasToString("{\"type\":\"string\",\"format\":\"ADDRESS/BITS\"}");
    assertThat(keys.path("allow").path("default")).hasToString("[\"10.0.0.0/8\"]");
    assertThat(keys.path("unit").path("enum").get(0).asText()).isEqualTo("nanoseconds");
    assertThat(keys.path("unit").path("default").asText()).isEqualTo("seconds");
    assertThat(keys.path("undescribed")).hasToString("{\"type\":\"boolean\",\"default\":true}");
    assertThat(keys.path("limits").path("properties").path("clientsMax"))
        .hasToString(
            "{\"type\":\"integer\",\"minimum\":1,\"maximum\":9,\"default\":3,\"description\":\"how many\"}");
    assertThat(keys.path("limits").path("properties").path("any").has("minimum")).isFalse();
  }
}
