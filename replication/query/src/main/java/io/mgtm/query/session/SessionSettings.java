package io.mgtm.query.session;

import io.mgtm.query.connection.Greeting;
import io.mgtm.query.wire.ErrorFields;
import io.mgtm.query.wire.Frame;
import io.mgtm.query.wire.StartupPacket;
import io.netty.buffer.ByteBuf;
import java.nio.charset.Charset;
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
  private Set<String> told = Set.of();
  private String query;

  /** What the client is told of at its login. */
  void begin(Greeting greeting) {
    told = greeting.names();
    READ_BY.stream().filter(told::contains).forEach(name -> told(name, greeting.value(name)));
  }

  /** Whether a message is for the client, who is told of no setting that it was not at first. */
  boolean isTold(Frame frame) {
    return frame.type() != 'S' || told.contains(StartupPacket.text(frame.body()));
  }

  /** A server has told a setting: why the session cannot go on with it, or null. */
  ErrorFields told(Frame frame) {
    ByteBuf body = frame.body();
    String name = StartupPacket.text(body);
    String value = StartupPacket.text(body);
    told(name, value);
    return RequiredSettings.refused(name, value);
  }

  private void told(String name, String value) {
    if (READ_BY.contains(name)) {
      values.put(name, value);
      query = null;
    }
  }

  /** In which texts of the client are. */
  Charset charset() {
    return RequiredSettings.charset(values.get("client_encoding"));
  }

  /** The client has set one of its own, which has a point in its name. */
  void custom(String name) {
    if (custom.size() < CUSTOM_MAX) {
      custom.add(name);
    }
  }

  /** The names of those, as an array; servers do not list them. */
  String customNames() {
    return RedoCodec.array(custom);
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
