package io.mgtm.query.connection;

import io.mgtm.query.wire.Frame;
import io.mgtm.query.wire.StartupPacket;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a client is told of its servers when it is let in: the settings that all of them report, as
 * the first has them, and the oldest version, so that it asks for nothing that one of them lacks.
 * Belongs to one login.
 */
public final class Greeting {
  /** The setting by which a server tells its version. */
  static final String VERSION = "server_version";

  private static final int NUMBERS_TO_A_MAJOR = 10_000;
  private static final Pattern NUMBERS = Pattern.compile("(\\d+)(?:\\.(\\d+))?.*");

  private final Map<String, Frame> told = new LinkedHashMap<>();
  private final List<Frame> rest = new ArrayList<>();

  /** Takes over the greetings of all servers, of which there is one at least. */
  public Greeting(List<ServerConnection> servers) {
    boolean first = true;
    for (ServerConnection server : servers) {
      Map<String, Frame> settings = settings(server);
      if (first) {
        told.putAll(settings);
        first = false;
      } else {
        merge(settings);
      }
    }
  }

  private Map<String, Frame> settings(ServerConnection server) {
    Map<String, Frame> settings = new LinkedHashMap<>();
    for (Frame frame : server.greeting()) {
      Frame before =
          frame.type() == 'S' ? settings.put(StartupPacket.text(frame.body()), frame) : frame;
      if (before != null) {
        rest.add(before);
      }
    }
    return settings;
  }

  private void merge(Map<String, Frame> settings) {
    Frame mine = told.get(VERSION);
    Frame theirs = settings.get(VERSION);
    if (mine != null && theirs != null && number(value(theirs)) < number(value(mine))) {
      settings.put(VERSION, mine);
      told.put(VERSION, theirs);
    }
    told.entrySet()
        .removeIf(
            one -> {
              boolean alone = !settings.containsKey(one.getKey());
              if (alone) {
                rest.add(one.getValue());
              }
              return alone;
            });
    rest.addAll(settings.values());
  }

  /** A version that is told, as server_version_num has it; 0 for a text that is none. */
  static int number(String version) {
    Matcher numbers = NUMBERS.matcher(version);
    return numbers.matches()
        ? Integer.parseInt(numbers.group(1)) * NUMBERS_TO_A_MAJOR
            + (numbers.group(2) == null ? 0 : Integer.parseInt(numbers.group(2)))
        : 0;
  }

  private static String value(Frame setting) {
    ByteBuf body = setting.body();
    StartupPacket.text(body);
    return StartupPacket.text(body);
  }

  /** The names of the settings that are told. */
  public Set<String> names() {
    return Set.copyOf(told.keySet());
  }

  /** The value of a setting; empty where it is not told. */
  public String value(String name) {
    Frame setting = told.get(name);
    return setting == null ? "" : value(setting);
  }

  /** Tells all, each as a message of its own that is taken over, and keeps nothing. */
  public void tell(Consumer<ByteBuf> client) {
    told.values().forEach(frame -> client.accept(frame.content()));
    told.clear();
    rest.forEach(Frame::release);
    rest.clear();
  }
}
