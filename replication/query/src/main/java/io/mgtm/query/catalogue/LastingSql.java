package io.mgtm.query.catalogue;

/**
 * Finds functions and views that are not to be tried as reads: those that leave more behind than
 * rows, as locks, notifications, settings and cursors, which are undone with a read that is undone;
 * and those that catch the error by which a write shows. They are told by their texts, which may
 * name another such function or view in turn.
 */
final class LastingSql {
  /** It leaves more than rows behind. */
  static final String LASTING = "lasting";

  /** It catches all errors. */
  static final String CATCHING = "catching";

  private static final String NAME = "[%\"a-z_.0-9]+";

  private static final String LASTS =
      "pg_(try_)?advisory_|\\mlo_(creat|from|import|put|trunc|unlink)|\\mpg_notify\\M"
          + "|\\mrefcursor\\M|\\m(notify|listen)\\s+"
          + NAME
          + "\\s*[,;$'']|\\mlock\\s+(table\\s|"
          + NAME
          + "\\s*[;$'']|"
          + NAME
          + "\\s+in\\s)|\\mset_config\\s*\\(\\s*''[^'']+\\.|\\mset\\s+((session|local)\\s+)?"
          + "[a-z_0-9]+\\.[a-z_0-9]+\\s*(=|to\\s)";

  private static final String CATCHES = "\\m(when|or)\\s+others\\M";

  private static final String TEXTS =
      "SELECT proname::text AS name, lower(pg_get_functiondef(p.oid)) AS body FROM pg_proc p"
          + " JOIN pg_namespace n ON n.oid = pronamespace JOIN pg_language l ON l.oid = prolang"
          + " WHERE nspname NOT IN ('pg_catalog', 'information_schema', 'mgtm') AND prokind IN"
          + " ('f', 'p') AND lanname NOT IN ('c', 'internal') UNION ALL SELECT relname::text,"
          + " lower(pg_get_viewdef(c.oid)) FROM pg_class c JOIN pg_namespace n ON n.oid ="
          + " relnamespace WHERE relkind = 'v' AND relpersistence <> 't' AND nspname NOT IN ('pg_catalog',"
          + " 'information_schema')";

  /** Their names, each with what it is. */
  static final String QUERY =
      "WITH RECURSIVE f AS MATERIALIZED ("
          + TEXTS
          + "), s AS (SELECT name, kind FROM f JOIN (VALUES ('"
          + LASTING
          + "', '"
          + LASTS
          + "'), ('"
          + CATCHING
          + "', '"
          + CATCHES
          + "')) k (kind, says) ON body ~ says UNION SELECT f.name, s.kind FROM f JOIN s ON CASE WHEN"
          + " s.name ~ '^[a-z_][a-z_0-9]*$' THEN f.body ~ ('\\m' || s.name || '\\M') ELSE"
          + " strpos(f.body, lower(s.name)) > 0 END) SELECT name, kind FROM s";

  private LastingSql() {}
}
