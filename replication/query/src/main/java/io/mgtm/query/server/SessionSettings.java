package io.mgtm.query.server;

import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** What the values of a session are read by, as its servers tell it. Belongs to a session. */
final class SessionSettings {
  private static final Set<String> READ_BY =
      Set.of("client_encoding", "DateStyle", "IntervalStyle", "TimeZone");

  private static final int CUSTOM_MAX = 1_000;

  private final Map<String, String> values = new TreeMap<>();
  private final Set<String> custom = new LinkedHashSet<>();
  private String query;

  /** A server has told a setting. */
  void told(String name, String value) {
    if (READ_BY.contains(name)) {
      values.put(name, value);
      query = null;
    }
  }

  /** The client has set one of its own, which has a point in its name. */
  void custom(String name) {
    if (custom.size() < CUSTOM_MAX) {
      custom.add(name);
    }
  }

  /** The names of those, as an array; servers do not list them. */
  String customNames() {
    return custom.stream().map(RedoCodec::literal).collect(Collectors.joining(", ", "ARRAY[", "]"))
        + "::pg_catalog.text[]";
  }

  /** A query that sets them for a transaction. */
  String query() {
    if (query == null) {
      query =
          values.entrySet().stream()
              .map(one -> RedoCodec.setConfig(one.getKey(), one.getValue()))
              .collect(Collectors.joining(", ", "SELECT ", ""));
    }
    return query;
  }
}
