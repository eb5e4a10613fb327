package io.mgtm.common;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
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
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Reads configuration files: YAML with the keys of a record and of those within it. */
public final class ConfigFile {
  private static final int BYTES_MAX = 1 << 20;

  /** How the parser says where something is. */
  private static final Pattern MARK = Pattern.compile("(?m)^ in .*, line (\\d+), column \\d+:$");

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
    String text = text(file);
    JsonNode set = tree(file, text);
    if (set == null || set.isMissingNode() || set.isNull()) {
      return defaults;
    }
    if (!(set instanceof ObjectNode keys)) {
      throw new ConfigException(file + ": expected keys and values, as in " + page);
    }
    ObjectNode whole = yaml.valueToTree(defaults);
    merge(new Source(file, text), "", whole, keys);
    return bind(new Source(file, text), whole, type);
  }

  /** A file that is read. */
  private record Source(Path file, String text) {
    /** What the message about a key begins with. */
    String at(String key) {
      return atPointer("/" + key.replaceFirst("\\[.*", "").replace('.', '/'));
    }

    String atPointer(String pointer) {
      int line = line(pointer);
      return file + ": " + (line == 0 ? "" : "line " + line + ": ");
    }

    /** Where a key stands, or 0. */
    int line(String pointer) {
      try (JsonParser parser = new YAMLFactory().createParser(text)) {
        while (parser.nextToken() != null) {
          if (parser.currentToken() == JsonToken.FIELD_NAME
              && parser.getParsingContext().pathAsPointer().toString().equals(pointer)) {
            return parser.currentTokenLocation().getLineNr();
          }
        }
      } catch (IOException e) {
        return 0; // It was read before.
      }
      return 0;
    }
  }

  private static String text(Path file) throws ConfigException {
    try (InputStream in = Files.newInputStream(file)) {
      byte[] read = in.readNBytes(BYTES_MAX + 1);
      if (read.length > BYTES_MAX) {
        throw new ConfigException(file + ": no configuration file, it has more than 1 MiB");
      }
      return UTF_8.newDecoder().decode(ByteBuffer.wrap(read)).toString();
    } catch (NoSuchFileException e) {
      throw new ConfigException("there is no configuration file " + file, e);
    } catch (IOException e) {
      throw new ConfigException(
          "cannot read the configuration file " + file + ": " + FileErrors.reason(e), e);
    }
  }

  private JsonNode tree(Path file, String text) throws ConfigException {
    try (JsonParser parser = yaml.createParser(text)) {
      JsonNode first = yaml.readTree(parser);
      if (parser.nextToken() != null) {
        throw ConfigException.secondDocument(
            file + ": line " + parser.currentTokenLocation().getLineNr());
      }
      return first;
    } catch (JsonProcessingException e) {
      String where = e.getLocation() == null ? "" : "line " + e.getLocation().getLineNr() + ": ";
      Matcher marks = MARK.matcher(e.getOriginalMessage());
      while (marks.find()) { // The last one is of what is wrong, those before of what was read.
        where = "line " + marks.group(1) + ": ";
      }
      String problem =
          e.getOriginalMessage()
              .lines()
              .filter(line -> !line.startsWith(" "))
              .collect(Collectors.joining(", "));
      throw new ConfigException(file + ": " + where + problem, e);
    } catch (IOException e) {
      throw new ConfigException(file + ": " + e.getMessage(), e);
    }
  }

  private <T> T bind(Source source, ObjectNode whole, Class<T> type) throws ConfigException {
    try {
      return yaml.treeToValue(whole, type);
    } catch (UnrecognizedPropertyException e) {
      String known =
          e.getKnownPropertyIds().stream()
              .map(Object::toString)
              .sorted()
              .collect(Collectors.joining(", "));
      throw new ConfigException(
          source.at(path(e)) + "unknown key " + path(e) + ", expected one of: " + known, e);
    } catch (JsonMappingException e) {
      throw new ConfigException(source.at(path(e)) + path(e) + ": " + problem(e, whole), e);
    } catch (JsonProcessingException e) {
      throw new ConfigException(source.file() + ": " + e.getOriginalMessage(), e);
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
    JsonNode value = whole.at("/" + path(e).replaceAll("[.\\[]", "/").replace("]", ""));
    return (value.isValueNode() ? value + " is" : value.isArray() ? "a list is" : "keys are")
        + " not allowed, expected "
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
    if (type == boolean.class) {
      return "true or false";
    }
    if (Iterable.class.isAssignableFrom(type)) {
      return "a list";
    }
    if (type.isRecord() && type != HostPort.class) {
      return "keys and values";
    }
    return type == HostPort.class ? "HOST:PORT" : "a text";
  }

  private static void merge(Source source, String prefix, ObjectNode into, ObjectNode from)
      throws ConfigException {
    for (Map.Entry<String, JsonNode> entry : from.properties()) {
      String key = prefix + entry.getKey();
      int dot = entry.getKey().indexOf('.');
      if (dot > 0 && into.get(entry.getKey().substring(0, dot)) instanceof ObjectNode) {
        throw new ConfigException(
            "%s%s is a key below another one: write \"%s:\", and \"%s:\" in the next line, indented by two spaces"
                .formatted(
                    source.atPointer("/" + prefix.replace('.', '/') + entry.getKey()),
                    key,
                    entry.getKey().substring(0, dot),
                    entry.getKey().substring(dot + 1)));
      }
      JsonNode present = into.get(entry.getKey());
      JsonNode value = entry.getValue();
      if (value.isNull() && present != null && !present.isNull()) {
        throw new ConfigException(source.at(key) + key + " has no value");
      }
      if (present instanceof ObjectNode section && value instanceof ObjectNode values) {
        merge(source, key + ".", section, values);
      } else {
        into.set(entry.getKey(), value);
      }
    }
  }

  private static String path(JsonMappingException e) {
    StringBuilder path = new StringBuilder();
    for (JsonMappingException.Reference step : e.getPath()) {
      if (step.getFieldName() == null) {
        path.append('[').append(step.getIndex()).append(']');
      } else {
        path.append(path.isEmpty() ? "" : ".").append(step.getFieldName());
      }
    }
    return path.toString();
  }
}
