package io.mgtm.ha.config;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.mgtm.common.ConfigException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

/** A YAML document that knows at which line and column each of its keys stands. */
final class YamlText {
  private static final YAMLMapper YAML =
      YAMLMapper.builder(
              YAMLFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build())
          .build();

  private final String source;
  private final JsonNode root;
  private final Map<String, JsonLocation> places = new HashMap<>();

  private YamlText(String source, JsonNode root) {
    this.source = source;
    this.root = root;
  }

  /**
   * Reads a document.
   *
   * @param source how messages call it
   * @throws ConfigException when it is not YAML, with the line and column
   */
  static YamlText parse(String source, String text) throws ConfigException {
    try {
      YamlText yaml = new YamlText(source, YAML.readTree(text));
      try (JsonParser parser = YAML.createParser(text)) {
        yaml.locate(parser);
      }
      return yaml;
    } catch (JsonProcessingException e) {
      throw new ConfigException(source + place(e.getLocation()) + ": " + e.getOriginalMessage(), e);
    } catch (IOException e) {
      throw new ConfigException(source + ": " + e.getMessage(), e);
    }
  }

  private void locate(JsonParser parser) throws IOException, ConfigException {
    Deque<String> path = new ArrayDeque<>();
    Deque<int[]> indexes = new ArrayDeque<>();
    String pointer = "";
    for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
      if (path.isEmpty() && !places.isEmpty()) {
        throw ConfigException.secondDocument(source + place(parser.currentTokenLocation()));
      }
      if (token == JsonToken.FIELD_NAME) {
        pointer = path.peek() + "/" + parser.currentName();
        places.putIfAbsent(pointer, parser.currentTokenLocation());
        continue;
      }
      if (token == JsonToken.END_OBJECT || token == JsonToken.END_ARRAY) {
        path.pop();
        indexes.pop();
        continue;
      }
      if (!indexes.isEmpty() && indexes.peek()[0] >= 0) {
        pointer = path.peek() + "/" + indexes.peek()[0]++;
        places.putIfAbsent(pointer, parser.currentTokenLocation());
      }
      if (token == JsonToken.START_OBJECT || token == JsonToken.START_ARRAY) {
        path.push(path.isEmpty() ? "" : pointer);
        indexes.push(new int[] {token == JsonToken.START_ARRAY ? 0 : -1});
      }
    }
  }

  JsonNode root() {
    return root;
  }

  /** An error at a key, whose path is given as in a JSON pointer; or at the nearest above it. */
  ConfigException error(String pointer, String message) {
    return error(pointer, message, null);
  }

  /** The same, because of something. */
  ConfigException error(String pointer, String message, Throwable cause) {
    String at = pointer;
    while (!at.isEmpty() && !places.containsKey(at)) {
      at = at.substring(0, at.lastIndexOf('/'));
    }
    String key = pointer.isEmpty() ? "" : pointer.substring(1).replace('/', '.') + ": ";
    return new ConfigException(source + place(places.get(at)) + ": " + key + message, cause);
  }

  private static String place(JsonLocation at) {
    return at == null ? "" : ": line " + at.getLineNr() + ", column " + at.getColumnNr();
  }
}
