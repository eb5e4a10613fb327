package io.mgtm.common;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.Locale;

/**
 * The keys of a configuration file, from the record that it is read into: its components, their
 * types, their {@link Key}s and the defaults.
 */
public final class ConfigKeys {
  private ConfigKeys() {}

  /**
   * Checks every number that has a range.
   *
   * @throws ConfigException with the key, the value and what is allowed
   */
  public static void checkRanges(Record config) throws ConfigException {
    checkRanges("", config);
  }

  private static void checkRanges(String prefix, Record section) throws ConfigException {
    for (RecordComponent component : section.getClass().getRecordComponents()) {
      Object value = value(component, section);
      String name = prefix + component.getName();
      Key key = component.getAnnotation(Key.class);
      if (isSection(component.getType())) {
        checkRanges(name + ".", (Record) value);
      } else if (value instanceof Number number && key != null) {
        requireRange(name, number.longValue(), key.min(), key.max());
      }
    }
  }

  /**
   * Checks a number.
   *
   * @throws ConfigException with the key, the value and what is allowed
   */
  public static void requireRange(String key, long value, long min, long max)
      throws ConfigException {
    if (value < min || value > max) {
      throw new ConfigException(
          key + ": " + value + " is not allowed, expected " + min + " to " + max);
    }
  }

  /**
   * The JSON Schema of the file, for editors and the reference. A key without a {@link Key} has no
   * description in it.
   *
   * @param title the program's name
   * @param description what the file is, and the page that explains it
   */
  public static String schema(String title, String description, Record defaults) {
    ObjectNode schema = JsonNodeFactory.instance.objectNode();
    schema.put("$schema", "https://json-schema.org/draft/2020-12/schema");
    schema.put("title", title);
    schema.put("description", description);
    section(schema, defaults);
    return schema.toPrettyString() + "\n";
  }

  private static void section(ObjectNode into, Record defaults) {
    into.put("type", "object").put("additionalProperties", false);
    ObjectNode properties = into.putObject("properties");
    for (RecordComponent component : defaults.getClass().getRecordComponents()) {
      ObjectNode property = properties.putObject(component.getName());
      Object value = value(component, defaults);
      if (isSection(component.getType())) {
        section(property, (Record) value);
      } else {
        Key key = component.getAnnotation(Key.class);
        type(property, component.getGenericType(), key);
        putDefault(property, value);
        if (key != null) {
          property.put("description", key.value());
        }
      }
    }
  }

  private static void type(ObjectNode into, Type type, Key key) {
    if (type instanceof ParameterizedType list) {
      type(into.put("type", "array").putObject("items"), list.getActualTypeArguments()[0], key);
    } else if (type == int.class || type == long.class) {
      into.put("type", "integer");
      if (key != null && key.min() != Long.MIN_VALUE) {
        into.put("minimum", key.min()).put("maximum", key.max());
      }
    } else if (type == boolean.class) {
      into.put("type", "boolean");
    } else if (type instanceof Class<?> of && of.isEnum()) {
      var labels = into.putArray("enum");
      Arrays.stream(of.getEnumConstants()).map(ConfigKeys::text).forEach(labels::add);
    } else {
      into.put("type", "string");
      String format = key == null || key.as().isEmpty() ? format(type) : key.as();
      if (!format.isEmpty()) {
        into.put("format", format);
      }
    }
  }

  private static String format(Type type) {
    if (type == Path.class) {
      return "path";
    }
    return type == HostPort.class ? "HOST:PORT" : "";
  }

  private static void putDefault(ObjectNode into, Object value) {
    if (value instanceof Number number) {
      into.put("default", number.longValue());
    } else if (value instanceof Boolean flag) {
      into.put("default", flag);
    } else if (value instanceof Collection<?> list) {
      var each = into.putArray("default");
      list.forEach(one -> each.add(text(one)));
    } else if (value != null) {
      into.put("default", text(value));
    }
  }

  private static String text(Object value) {
    return value instanceof Enum<?> constant
        ? constant.name().toLowerCase(Locale.ROOT)
        : value.toString();
  }

  /** An address is one value. */
  private static boolean isSection(Class<?> type) {
    return type.isRecord() && type != HostPort.class;
  }

  private static Object value(RecordComponent component, Record record) {
    try {
      return component.getAccessor().invoke(record);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }
}
