package io.mgtm.gtm.config;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;

/** Reads a configuration file: YAML with the keys of {@link GtmConfig}. */
public final class ConfigFile {
  private static final ObjectMapper YAML =
      YAMLMapper.builder()
          .enable(MapperFeature.ACCEPT_CASE_INSENSITIVE_ENUMS)
          .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
          .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
          .build();

  private ConfigFile() {}

  /**
   * The defaults with what {@code file} sets, not yet validated.
   *
   * @throws ConfigException when the file cannot be read, or a key or value in it is wrong
   */
  public static GtmConfig read(Path file) throws ConfigException {
    try {
      ObjectNode tree = YAML.valueToTree(GtmConfig.DEFAULTS);
      JsonNode set = YAML.readTree(Files.readString(file));
      if (set == null || set.isMissingNode() || set.isNull()) {
        return GtmConfig.DEFAULTS;
      }
      if (!set.isObject()) {
        throw new ConfigException(file + ": expected keys and values");
      }
      merge(tree, (ObjectNode) set);
      return YAML.treeToValue(tree, GtmConfig.class);
    } catch (UnrecognizedPropertyException e) {
      String known =
          e.getKnownPropertyIds().stream()
              .map(Object::toString)
              .sorted()
              .collect(Collectors.joining(", "));
      throw new ConfigException(
          file + ": unknown key " + path(e) + ", expected one of: " + known, e);
    } catch (JsonMappingException e) {
      throw new ConfigException(file + ": " + path(e) + ": " + e.getOriginalMessage(), e);
    } catch (JsonProcessingException e) {
      throw new ConfigException(
          file + ": line " + e.getLocation().getLineNr() + ": " + e.getOriginalMessage(), e);
    } catch (IOException e) {
      throw new ConfigException("cannot read the configuration " + file + ": " + e, e);
    }
  }

  private static void merge(ObjectNode into, ObjectNode from) {
    from.properties()
        .forEach(
            entry -> {
              JsonNode present = into.get(entry.getKey());
              if (present instanceof ObjectNode section
                  && entry.getValue() instanceof ObjectNode values) {
                merge(section, values);
              } else {
                into.set(entry.getKey(), entry.getValue());
              }
            });
  }

  private static String path(JacksonException e) {
    return e instanceof JsonMappingException m
        ? m.getPath().stream()
            .map(JsonMappingException.Reference::getFieldName)
            .collect(Collectors.joining("."))
        : "";
  }
}
