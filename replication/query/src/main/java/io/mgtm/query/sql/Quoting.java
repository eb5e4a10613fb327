package io.mgtm.query.sql;

/** How names and texts stand in SQL. Any thread. */
public final class Quoting {
  private Quoting() {}

  /** A name of something, as it is. */
  public static String name(String text) {
    return '"' + text.replace("\"", "\"\"") + '"';
  }

  /** A text, whatever standard_conforming_strings is. */
  public static String literal(String text) {
    String quoted = "'" + text.replace("'", "''") + "'";
    return text.indexOf('\\') < 0 ? quoted : " E" + quoted.replace("\\", "\\\\");
  }
}
