package io.mgtm.query.sql;

/** How names and texts stand in SQL. Any thread. */
public final class Quoting {
  private Quoting() {}

  /** A name of something, as it is. */
  public static String name(String text) {
    return '"' + text.replace("\"", "\"\"") + '"';
  }

  /** Of a constant of SQL in quotes or dollars, where backslashes are none; null for others. */
  static String plainValue(String sql) {
    if (sql.startsWith("$")) {
      int tag = sql.indexOf('$', 1) + 1;
      return sql.substring(tag, sql.length() - tag);
    }
    boolean quoted = sql.length() >= 2 && sql.startsWith("'") && sql.endsWith("'");
    String inner = quoted ? sql.substring(1, sql.length() - 1) : "'";
    return inner.replace("''", "").indexOf('\'') < 0 ? inner.replace("''", "'") : null;
  }

  /** A text, whatever standard_conforming_strings is. */
  public static String literal(String text) {
    String quoted = "'" + text.replace("'", "''") + "'";
    return text.indexOf('\\') < 0 ? quoted : " E" + quoted.replace("\\", "\\\\");
  }
}
