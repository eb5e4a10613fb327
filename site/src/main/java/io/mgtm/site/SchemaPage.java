package io.mgtm.site;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/** The keys of a configuration file, in Markdown, from its JSON Schema. */
final class SchemaPage {
  private final JsonNode schema;
  private final Map<String, JsonNode> keys = new LinkedHashMap<>();

  private SchemaPage(JsonNode schema) {
    this.schema = schema;
    collect("", schema);
  }

  /** The page. */
  static String of(String title, JsonNode schema) {
    return "# "
        + title
        + "\n\n"
        + Page.plain(schema.path("description").asText())
        + "\n\n"
        + table(schema);
  }

  /** A row for each key, in Markdown of a page that stands beside the folder docs. */
  static String table(JsonNode schema) {
    StringBuilder table = new StringBuilder("| key | default | allowed | what it sets |\n");
    table.append("|---|---|---|---|\n");
    SchemaPage keys = new SchemaPage(schema);
    keys.keys.forEach(
        (key, value) ->
            table.append(
                "| `%s` | %s | %s | %s |%n"
                    .formatted(
                        key,
                        byDefault(value.path("default")),
                        keys.allowed(value),
                        words(value.path("description").asText()))));
    return table.toString();
  }

  /** The keys that have no description. */
  static List<String> undescribed(JsonNode schema) {
    List<String> without = new ArrayList<>();
    new SchemaPage(schema)
        .keys.forEach(
            (key, value) -> {
              if (value.path("description").asText().isEmpty()) {
                without.add(key);
              }
            });
    return without;
  }

  private void collect(String prefix, JsonNode node) {
    node.path("properties")
        .properties()
        .forEach(property -> key(prefix + property.getKey(), property.getValue()));
    if (node.path("additionalProperties").isObject()) {
      key(prefix + "NAME", node.path("additionalProperties"));
    }
  }

  /** A section is shown by its keys, and in a row of its own when it has a description. */
  private void key(String name, JsonNode as) {
    JsonNode node = resolved(as);
    boolean section = node.has("properties") || node.path("additionalProperties").isObject();
    if (!section || !node.path("description").asText().isEmpty()) {
      keys.put(name, node);
    }
    if (section && node.path("description").asText().isEmpty()) {
      collect(name + ".", node);
    }
  }

  /** What a reference leads to, with what stands beside the reference before it. */
  private JsonNode resolved(JsonNode node) {
    if (!node.has("$ref")) {
      return node;
    }
    JsonNode target = schema.at(node.path("$ref").asText().substring(1)).deepCopy();
    node.properties()
        .forEach(property -> ((ObjectNode) target).set(property.getKey(), property.getValue()));
    return target;
  }

  private static String byDefault(JsonNode value) {
    if (value.isMissingNode() || (value.isArray() && value.isEmpty())) {
      return "none";
    }
    return value.isArray() ? codes(value) : "`" + value.asText() + "`";
  }

  private static String codes(JsonNode array) {
    return StreamSupport.stream(array.spliterator(), false)
        .map(value -> "`" + value.asText() + "`")
        .collect(Collectors.joining(", "));
  }

  /** A description, whose code stays code. */
  private static String words(String description) {
    String[] parts = description.split("`", -1);
    for (int at = 0; at < parts.length; at++) {
      parts[at] = at % 2 == 0 ? Page.plain(parts[at]) : "`" + parts[at].replace("|", "\\|") + "`";
    }
    return String.join("", parts);
  }

  private String allowed(JsonNode node) {
    if (node.has("enum")) {
      return codes(node.path("enum"));
    }
    if (node.has("minimum")) {
      return node.path("minimum").asText() + " to " + node.path("maximum").asText();
    }
    if (node.has("items")) {
      return "a list: " + allowed(resolved(node.path("items")));
    }
    return node.path("type").asText().equals("object") ? "keys and values" : kind(node);
  }

  private static String kind(JsonNode node) {
    return switch (node.path("type").asText()) {
      case "boolean" -> "true, false";
      case "integer" -> "a number";
      default -> node.has("format") ? Page.plain(node.path("format").asText()) : "text";
    };
  }
}
