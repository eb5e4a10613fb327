package io.mgtm.query.sql;

import java.util.List;
import java.util.Set;

/** Words with a meaning of their own to the classifier. */
public final class Words {
  /** They may stand before a parenthesis that is no call of a function that could be a user's. */
  static final Set<String> BEFORE_PARENTHESIS =
      Set.of(
          "all",
          "and",
          "any",
          "array",
          "as",
          "between",
          "by",
          "case",
          "cast",
          "coalesce",
          "conflict",
          "cube",
          "distinct",
          "else",
          "except",
          "exists",
          "filter",
          "from",
          "greatest",
          "grouping",
          "having",
          "ilike",
          "in",
          "intersect",
          "is",
          "join",
          "least",
          "like",
          "limit",
          "materialized",
          "not",
          "nullif",
          "offset",
          "on",
          "or",
          "over",
          "rollup",
          "row",
          "select",
          "sets",
          "similar",
          "some",
          "symmetric",
          "then",
          "to",
          "union",
          "using",
          "values",
          "when",
          "where",
          "within",
          // Types with modifiers; as functions they are casts.
          "bit",
          "bpchar",
          "char",
          "character",
          "dec",
          "decimal",
          "float",
          "interval",
          "numeric",
          "time",
          "timestamp",
          "timestamptz",
          "timetz",
          "varbit",
          "varchar",
          "varying",
          // Functions with a syntax of their own, all of them PostgreSQL's.
          "extract",
          "overlay",
          "position",
          "substring",
          "trim");

  /** Words that change something wherever they stand as key words. */
  static final Set<String> WRITES = Set.of("insert", "update", "delete", "merge");

  /** Functions that take locks or reach other sessions, which a read-only transaction may too. */
  static final Set<String> LEADER_FUNCTIONS =
      Set.of(
          "pg_export_snapshot",
          "pg_notify",
          "pg_advisory_lock",
          "pg_advisory_lock_shared",
          "pg_advisory_unlock",
          "pg_advisory_unlock_all",
          "pg_advisory_unlock_shared",
          "pg_advisory_xact_lock",
          "pg_advisory_xact_lock_shared",
          "pg_try_advisory_lock",
          "pg_try_advisory_lock_shared",
          "pg_try_advisory_xact_lock",
          "pg_try_advisory_xact_lock_shared");

  /** Those of them that hold what they lock until the session ends. */
  static final Set<String> SESSION_LOCKS =
      Set.of(
          "pg_advisory_lock",
          "pg_advisory_lock_shared",
          "pg_try_advisory_lock",
          "pg_try_advisory_lock_shared");

  /** They write to large objects, of which nothing is given to other servers. */
  static final Set<String> LARGE_OBJECT_FUNCTIONS =
      Set.of(
          "lo_creat",
          "lo_create",
          "lo_from_bytea",
          "lo_import",
          "lo_put",
          "lo_truncate",
          "lo_truncate64",
          "lo_unlink",
          "lowrite");

  /** What a volatile function of PostgreSQL's own may be called for in a statement of class R. */
  public static final Set<String> HARMLESS_VOLATILE =
      Set.of(
          "array_sample",
          "array_shuffle",
          "clock_timestamp",
          "currval",
          "gen_random_uuid",
          "lastval",
          "random",
          "random_normal",
          "statement_timestamp",
          "timeofday",
          "uuidv4",
          "uuidv7");

  /**
   * Not volatile by their label, and yet they take a transaction id or name this server's own, or
   * run the queries of views that no name tells of.
   */
  static final Set<String> IMPURE =
      Set.of(
          "txid_current",
          "pg_current_xact_id",
          "database_to_xml",
          "database_to_xml_and_xmlschema",
          "schema_to_xml",
          "schema_to_xml_and_xmlschema",
          "table_to_xml",
          "table_to_xml_and_xmlschema");

  static final Set<String> SYSTEM_COLUMNS =
      Set.of("ctid", "xmin", "xmax", "cmin", "cmax", "tableoid");

  /** Of what numbers of objects are known by, beside the catalogues themselves. */
  private static final Set<String> OF_OBJECTS =
      Set.of(
          "format_type",
          "information_schema",
          "oid",
          "oidvector",
          "regclass",
          "regcollation",
          "regconfig",
          "regdictionary",
          "regnamespace",
          "regoper",
          "regoperator",
          "regproc",
          "regprocedure",
          "regrole",
          "regtype",
          "tableoid",
          "to_regclass",
          "to_regtype");

  static final Set<String> DDL =
      Set.of(
          "alter",
          "cluster",
          "comment",
          "create",
          "drop",
          "grant",
          "import",
          "reassign",
          "refresh",
          "reindex",
          "revoke",
          "security",
          "truncate");

  /** Types that read every text of a column in the same way at any time. */
  static final Set<String> STEADY_TYPES =
      Set.of(
          "bigint",
          "bool",
          "boolean",
          "bytea",
          "char",
          "character",
          "decimal",
          "double",
          "float",
          "float4",
          "float8",
          "int",
          "int2",
          "int4",
          "int8",
          "integer",
          "json",
          "jsonb",
          "numeric",
          "real",
          "smallint",
          "text",
          "uuid",
          "varchar");

  /** Operators that make no text of others. */
  static final Set<String> PLAIN_OPERATORS =
      Set.of(
          "+", "-", "*", "/", "%", "=", "<>", "!=", "<", ">", "<=", ">=", "~", "~*", "!~", "!~*",
          "~~", "!~~", "~~*", "!~~*");

  static final Set<String> MAINTENANCE = Set.of("analyse", "analyze", "vacuum");

  /** They may stand before the names of tables. */
  static final Set<String> MAINTENANCE_OPTIONS =
      Set.of("full", "freeze", "verbose", "analyze", "analyse");

  static final Set<String> TRANSACTION =
      Set.of("abort", "begin", "commit", "end", "release", "rollback", "savepoint", "start");

  static final Set<String> CURSOR = Set.of("fetch", "move", "close");

  static final Set<String> SESSION = Set.of("deallocate", "discard", "reset", "set", "show");

  private Words() {}

  /** Whether a key word begins a statement that writes. */
  static boolean isWrite(Token token) {
    return token.kind() == Token.Kind.WORD && WRITES.contains(token.text());
  }

  /**
   * Whether tokens name a catalogue, a function of PostgreSQL's that asks one, or a type of numbers
   * of objects.
   */
  static boolean tellOfObjects(List<Token> tokens) {
    return tokens.stream()
        .filter(Token::isName)
        .map(Token::text)
        .anyMatch(
            name ->
                OF_OBJECTS.contains(name)
                    || (name.startsWith("pg_") && !name.equals("pg_catalog")));
  }
}
