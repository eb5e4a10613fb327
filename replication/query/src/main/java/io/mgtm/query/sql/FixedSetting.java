package io.mgtm.query.sql;

import java.util.List;
import java.util.regex.Pattern;

/**
 * A setting that the replicator relies on, mostly as values are sent to other servers as texts and
 * read there. Immutable.
 *
 * @param initial what sessions begin with; null for the server's own
 * @param allowed what a client may set it to itself
 */
public record FixedSetting(String name, String initial, Pattern allowed) {
  private static final String ON = "(?i)on|true|yes|1";
  private static final String OFF = "(?i)off|false|no|0";
  private static final String NOTHING = "(?!)";

  /** All of them. */
  public static final List<FixedSetting> ALL =
      List.of(
          of("extra_float_digits", "1", "[1-3]"),
          of("array_nulls", "on", ON),
          of("xmloption", "content", "(?i)content"),
          of("standard_conforming_strings", null, ON),
          of("transform_null_equals", null, OFF),
          of("transaction_timeout", null, "(?i)0|default"),
          of("lc_monetary", null, NOTHING),
          of("session_replication_role", null, NOTHING),
          of("transaction_read_only", null, NOTHING));

  private static FixedSetting of(String name, String initial, String allowed) {
    return new FixedSetting(name, initial, Pattern.compile(allowed));
  }

  /** Whether a client may set it so; null for what is not known. */
  public boolean allows(String value) {
    return value != null && allowed.matcher(value).matches();
  }
}
