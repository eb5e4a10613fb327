package io.mgtm.query.session;

import io.mgtm.query.connection.ServerConnection;
import io.mgtm.query.fleet.Node;
import io.mgtm.query.sql.FixedSetting;
import io.mgtm.query.sql.Refusal;
import io.mgtm.query.wire.ErrorFields;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * What a session's settings must be for its texts to be the same values at every server. Any
 * thread.
 */
public final class RequiredSettings {
  private static final Pattern HOURS = Pattern.compile("(?<![:\\d])\\d+");
  private static final List<String> RELIED_ON =
      List.of("client_encoding", "DateStyle", "TimeZone", "standard_conforming_strings");

  private static final List<String> READ_BY = List.of("TimeZone", "DateStyle", "IntervalStyle");

  private RequiredSettings() {}

  /**
   * Adds what the replicator relies on to the parameters that a client sends; why its own forbid
   * it, or null.
   */
  public static ErrorFields fix(Map<String, String> parameters) {
    // As a server reads them.
    String options =
        parameters
            .getOrDefault("options", "")
            .toLowerCase(Locale.ROOT)
            .replace('-', '_')
            .replace("\\", "");
    for (FixedSetting fixed : FixedSetting.ALL) {
      String name = fixed.name();
      if (fixed.initial() != null) {
        parameters.putIfAbsent(name, fixed.initial());
      }
      boolean kept =
          parameters.entrySet().stream()
              .filter(one -> one.getKey().equalsIgnoreCase(name))
              .allMatch(one -> fixed.allows(one.getValue()) && one.getKey().equals(name));
      if (!kept || (options.contains(name) && !RELIED_ON.contains(name))) {
        return refused(Refusal.of(name, ""));
      }
    }
    return null;
  }

  private static ErrorFields refused(Refusal refusal) {
    return ErrorFields.fatal(refusal.sqlState(), refusal.message()).withHint(refusal.hint());
  }

  /** Why a client cannot be served with what the servers report, or null. */
  public static ErrorFields refused(Map<Node, ServerConnection> entered, Node leader) {
    ServerConnection leaders = entered.get(leader);
    return RELIED_ON.stream()
        .map(name -> refused(name, leaders.setting(name)))
        .filter(why -> why != null)
        .findFirst()
        .orElseGet(() -> differing(entered, leaders));
  }

  /** By these a text is read as a value, or written. */
  private static ErrorFields differing(
      Map<Node, ServerConnection> entered, ServerConnection leaders) {
    for (String name : READ_BY) {
      String expected = leaders.setting(name);
      for (Map.Entry<Node, ServerConnection> one : entered.entrySet()) {
        String theirs = one.getValue().setting(name);
        if (!theirs.equals(expected)) {
          return ErrorFields.fatal(
                  "0A000",
                  "%s is %s at the server at %s, and %s at the leader"
                      .formatted(name, theirs, one.getKey(), expected))
              .withHint("Let the servers' configurations and roles set the same.");
        }
      }
    }
    return null;
  }

  /** Why a setting that a server reports cannot be had, or null. */
  static ErrorFields refused(String name, String value) {
    boolean kept =
        switch (name) {
          case "client_encoding" -> charset(value) != null;
          case "DateStyle" -> value.startsWith("ISO");
          case "TimeZone" -> isReadable(value);
          case "standard_conforming_strings" -> value.equals("on");
          default -> true;
        };
    if (kept) {
      return null;
    }
    return notReplicated(name + " " + value)
        .withHint(
            name.equals("client_encoding")
                ? "Use UTF8."
                : "Use ISO dates, zones at most 14 hours from UTC, and standard strings.");
  }

  private static ErrorFields notReplicated(String what) {
    return ErrorFields.fatal("0A000", what + " is not replicated");
  }

  /**
   * How texts are read in a client's encoding: those in which a byte below 128 is ASCII; or null.
   */
  public static Charset charset(String encoding) {
    String name = encoding.toUpperCase(Locale.ROOT);
    if (name.equals("UTF8") || name.equals("UNICODE")) {
      return StandardCharsets.UTF_8;
    }
    boolean single = name.matches("SQL_ASCII|LATIN\\d+|WIN\\d+|ISO_8859_\\d+|KOI8.?");
    return single ? StandardCharsets.ISO_8859_1 : null;
  }

  /** Whether times of a zone can be read again: those that are more than 15 hours off cannot. */
  private static boolean isReadable(String zone) {
    String offsets = zone.replaceAll("<[^>]*>", "").replaceAll(",.*", "");
    return HOURS
        .matcher(offsets)
        .results()
        .allMatch(hours -> hours.group().length() < 3 && Integer.parseInt(hours.group()) < 15);
  }
}
