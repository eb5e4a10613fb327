package io.mgtm.gtm.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.mgtm.common.ConfigException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** docs/configuration.md says what the program does. */
class ConfigurationPageTest {
  private static final Path PAGE = Path.of("..", "docs", "configuration.md");
  private static final Pattern ROW =
      Pattern.compile("\\| `([A-Za-z.]+)` \\| (?:`([^`]*)`|none) \\| ([^|]+) \\| [^|]+ \\|");
  private static final Pattern RANGE = Pattern.compile("(\\d+) to (\\d+)");

  @TempDir private Path scratch;

  private record Row(String defaultValue, String allowed) {}

  private static Map<String, Row> rows() throws IOException {
    Map<String, Row> rows = new LinkedHashMap<>();
    for (String line : Files.readAllLines(PAGE)) {
      Matcher row = ROW.matcher(line);
      if (row.matches()) {
        rows.put(row.group(1), new Row(row.group(2), row.group(3)));
      }
    }
    return rows;
  }

  private static void flatten(String prefix, JsonNode node, Map<String, String> into) {
    node.properties()
        .forEach(
            entry -> {
              if (entry.getValue().isObject()) {
                flatten(prefix + entry.getKey() + ".", entry.getValue(), into);
              } else {
                into.put(prefix + entry.getKey(), entry.getValue().asText());
              }
            });
  }

  private void check(String key, long value) throws Exception {
    int dot = key.indexOf('.');
    String group = key.startsWith("group.") ? "name: a, members: 'a=h:1', " : "";
    String text =
        dot < 0
            ? key + ": " + value
            : key.substring(0, dot) + ": {" + group + key.substring(dot + 1) + ": " + value + "}";
    GtmConfig.read(Files.writeString(scratch.resolve("gtm.yaml"), text)).validated();
  }

  @Test
  void everyKeyIsThereWithItsDefault() throws IOException {
    Map<String, String> defaults = new LinkedHashMap<>();
    flatten("", new ObjectMapper().valueToTree(GtmConfig.DEFAULTS), defaults);
    defaults.replace("durability", "critical");
    defaults.replace("group.mode", "fifo");
    defaults.replace("data", GtmConfig.DEFAULTS.data().toString());
    Map<String, String> documented = new LinkedHashMap<>();
    rows().forEach((key, row) -> documented.put(key, String.valueOf(row.defaultValue())));
    assertThat(documented).isEqualTo(defaults);
  }

  @Test
  void everyRangeIsWhatIsAccepted() throws Exception {
    int ranges = 0;
    for (Map.Entry<String, Row> row : rows().entrySet()) {
      Matcher range = RANGE.matcher(row.getValue().allowed());
      if (!range.find()) {
        continue;
      }
      ranges++;
      String key = row.getKey();
      long min = Long.parseLong(range.group(1));
      long max = Long.parseLong(range.group(2));
      if (!key.equals("gxid.warnMargin")) {
        assertThatCode(() -> check(key, min)).as("%s: %d", key, min).doesNotThrowAnyException();
      }
      if (!key.equals("gxid.stopMargin")) {
        assertThatCode(() -> check(key, max)).as("%s: %d", key, max).doesNotThrowAnyException();
      }
      for (long wrong : new long[] {min - 1, max + 1}) {
        assertThatThrownBy(() -> check(key, wrong))
            .as("%s: %d", key, wrong)
            .isInstanceOf(ConfigException.class)
            .hasMessageContaining(key);
      }
    }
    assertThat(ranges).isGreaterThanOrEqualTo(13);
  }
}
