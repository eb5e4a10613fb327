package io.mgtm.common;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.databind.exc.ValueInstantiationException;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Reads configuration files: YAML with the keys of a record and of those within it. */
public final class ConfigFile {
  private static final int BYTES_MAX = 1 << 20;

  private final ObjectMapper yaml =
      YAMLMapper.builder()
          .enable(MapperFeature.ACCEPT_CASE_INSENSITIVE_ENUMS)
          .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
          .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
          .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .build();

  private final String page;

  /**
   * Reads files of a kind.
   *
   * @param page of the documentation that lists the keys
   */
  public ConfigFile(String page) {
    this.page = page;
  }

  /** Reads values of a type as Jackson's annotations of another class say. */
  public ConfigFile with(Class<?> type, Class<?> annotated) {
    yaml.addMixIn(type, annotated);
    return this;
  }

  /**
   * The defaults with what {@code file} sets, not yet validated.
   *
   * @throws ConfigException when the file cannot be read, or a key or value in it is wrong
   */
  public <T extends Record> T read(Path file, T defaults, Class<T> type) throws ConfigException {
    JsonNode set = tree(file);
    if (set == null || set.isMissingNode() || set.isNull()) {
      return defaults;
    }
    if (!(set instanceof ObjectNode keys)) {
      throw new ConfigException(file + ": expected keys and values, as in " + page);
    }
    ObjectNode whole = yaml.valueToTree(defaults);
    merge(file, whole, keys);
    return bind(file, whole, type);
  }

  private JsonNode tree(Path file) throws ConfigException {
    try (InputStream in = Files.newInputStream(file)) {
      byte[] read = in.readNBytes(BYTES_MAX + 1);
      if (read.length > BYTES_MAX) {
        throw new ConfigException(file + ": no configuration file, it has more than 1 MiB");
      }
      return yaml.readTree(UTF_8.newDecoder().decode(ByteBuffer.wrap(read)).toString());
    } catch (JsonProcessingException e) {
      String where = e.getLocation() == null ? "" : "line " + e.getLocation().getLineNr() + ": ";
      throw new ConfigException(file + ": " + where + e.getOriginalMessage(), e);
    } catch (NoSuchFileException e) {
      throw new ConfigException("there is no configuration file " + file, e);
    } catch (IOException e) {
      throw new ConfigException(
          "cannot read the configuration file " + file + ": " + FileErrors.reason(e), e);
    }
  }

  private <T> T bind(Path file, ObjectNode whole, Class<T> type) throws ConfigException {
    try {
      return yaml.treeToValue(whole, type);
    } catch (UnrecognizedPropertyException e) {
      String known =
          e.getKnownPropertyIds().stream()
              .map(Object::toString)
              .sorted()
              .collect(Collectors.joining(", "));
      throw new ConfigException(
          file + ": unknown key " + path(e) + ", expected one of: " + known, e);
    } catch (JsonMappingException e) {
      throw new ConfigException(file + ": " + path(e) + ": " + problem(e, whole), e);
    } catch (JsonProcessingException e) {
      throw new ConfigException(file + ": " + e.getOriginalMessage(), e);
    }
  }

  /** What is wrong with a value, and what is allowed. */
  private static String problem(JsonMappingException e, ObjectNode whole) {
    if (e instanceof ValueInstantiationException && e.getCause() != null) {
      return e.getCause().getMessage();
    }
    if (!(e instanceof MismatchedInputException mismatch) || mismatch.getTargetType() == null) {
      return e.getOriginalMessage();
    }
    JsonNode value = whole.at("/" + path(e).replace('.', '/'));
    return (value.isValueNode() ? value : "this")
        + " is not allowed, expected "
        + expected(mismatch.getTargetType());
  }

  private static String expected(Class<?> type) {
    if (type.isEnum()) {
      return Arrays.stream(type.getEnumConstants())
          .map(constant -> constant.toString().toLowerCase(Locale.ROOT))
          .collect(Collectors.joining(" or "));
    }
    if (type == int.class || type == long.class) {
      return "a whole number";
    }
    if (Iterable.class.isAssignableFrom(type)) {
      return "a list";
    }
    if (type.isRecord() && type != HostPort.class) {
      return "keys and values";
    }
    return type == HostPort.class ? "HOST:PORT" : "a text";
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

  private static String path(JsonMappingException e) {
    return e.getPath().stream()
        .map(JsonMappingException.Reference::getFieldName)
        .collect(Collectors.joining("."));
  }
}
