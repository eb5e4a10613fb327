package io.mgtm.query.config;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.databind.exc.ValueInstantiationException;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Collectors;

/** Reads a configuration file: YAML with the keys of {@link QueryConfig}. */
public final class ConfigFile {
  private static final ObjectMapper YAML =
      YAMLMapper.builder()
          .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
          .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
          .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .build();

  private ConfigFile() {}

  /**
   * The defaults with what {@code file} sets, not yet validated.
   *
   * @throws ConfigException when the file cannot be read, or a key or value in it is wrong
   */
  public static QueryConfig read(Path file) throws ConfigException {
    try {
      JsonNode set = YAML.readTree(Files.readString(file));
      if (set == null || set.isMissingNode() || set.isNull()) {
        return QueryConfig.DEFAULTS;
      }
      if (!(set instanceof ObjectNode keys)) {
        throw new ConfigException(file + ": expected keys and values, as in docs/query.md");
      }
      ObjectNode whole = YAML.valueToTree(QueryConfig.DEFAULTS);
      merge(file, whole, keys);
      return YAML.treeToValue(whole, QueryConfig.class);
    } catch (JsonMappingException e) {
      throw new ConfigException(file + ": " + problem(e), e);
    } catch (JsonProcessingException e) {
      String where = e.getLocation() == null ? "" : "line " + e.getLocation().getLineNr() + ": ";
      throw new ConfigException(file + ": " + where + e.getOriginalMessage(), e);
    } catch (NoSuchFileException e) {
      throw new ConfigException("there is no configuration file " + file, e);
    } catch (IOException e) {
      throw new ConfigException("cannot read the configuration file " + file + ": " + e, e);
    }
  }

  private static String problem(JsonMappingException e) {
    String path =
        e.getPath().stream()
            .map(JsonMappingException.Reference::getFieldName)
            .filter(name -> name != null)
            .collect(Collectors.joining("."));
    if (e instanceof UnrecognizedPropertyException unknown) {
      return "unknown key "
          + path
          + ", expected one of: "
          + unknown.getKnownPropertyIds().stream()
              .map(Object::toString)
              .sorted()
              .collect(Collectors.joining(", "));
    }
    boolean ours = e instanceof ValueInstantiationException && e.getCause() != null;
    return path + ": " + (ours ? e.getCause().getMessage() : e.getOriginalMessage());
  }

  private static void merge(Path file, ObjectNode into, ObjectNode from) throws ConfigException {
    for (Map.Entry<String, JsonNode> entry : from.properties()) {
      JsonNode present = into.get(entry.getKey());
      JsonNode value = entry.getValue();
      if (value.isNull() && present != null && !present.isNull()) {
        throw new ConfigException(file + ": " + entry.getKey() + " has no value");
      }
      if (present instanceof ObjectNode section && value instanceof ObjectNode values) {
        merge(file, section, values);
      } else {
        into.set(entry.getKey(), value);
      }
    }
  }
}
