package io.mgtm.query.catalogue;

import io.mgtm.query.sql.Quoting;
import io.mgtm.query.sql.Words;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The queries that read a database's catalogues, without temporary relations, which are each
 * session's own; {@link Catalogues#read} reads their answers.
 */
final class CatalogueSql {
  private static final String USERS = " NOT IN ('pg_catalog', 'information_schema', 'pg_toast') ";

  /** Names of functions: all the server's own, all of them not volatile. */
  private static final String FUNCTIONS =
      "SELECT proname, bool_and(nspname = 'pg_catalog'), bool_and(provolatile <> 'v')"
          + " FROM pg_proc p JOIN pg_namespace n ON n.oid = pronamespace"
          + " WHERE nspname <> 'information_schema' GROUP BY proname";

  private static final String OPERATORS =
      "SELECT oprname FROM pg_operator o JOIN pg_namespace n ON n.oid = oprnamespace"
          + " LEFT JOIN pg_proc p ON p.oid = oprcode GROUP BY oprname"
          + " HAVING bool_and(nspname = 'pg_catalog' AND provolatile <> 'v')";

  /** Names of what runs code of users, and, told apart, of sequences. */
  private static final String SUSPECTS =
      "SELECT relname, relkind = 'S' FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE nspname"
          + USERS
          + "AND relpersistence <> 't' AND (relkind IN ('v', 'f', 'S') OR relrowsecurity) UNION SELECT typname, false FROM pg_type t"
          + " JOIN pg_namespace n ON n.oid = typnamespace WHERE typtype = 'd' AND nspname"
          + USERS;

  /**
   * Casts that run code of users, and domains whose checks do: both run where nothing of them is
   * seen in a text. Those of language internal come with a type of a range.
   */
  private static final String CASTS =
      "SELECT (SELECT count(*) FROM pg_cast JOIN pg_proc p ON p.oid = castfunc"
          + " JOIN pg_namespace n ON n.oid = pronamespace JOIN pg_language l ON l.oid = prolang"
          + " WHERE nspname <> 'pg_catalog' AND lanname <> 'internal') + (SELECT count(*) FROM"
          + " pg_depend d JOIN pg_constraint k ON k.oid = d.objid WHERE d.classid ="
          + " 'pg_constraint'::regclass AND k.contypid <> 0 AND d.refclassid IN"
          + " ('pg_proc'::regclass, 'pg_operator'::regclass))";

  /** Whether something that belongs to a table runs a function of users. */
  private static String runsCode(String table) {
    return runsCode(table, "");
  }

  private static String runsCode(String table, String whichDefaults) {
    return ("EXISTS (SELECT FROM pg_depend d WHERE d.refclassid IN ('pg_proc'::regclass,"
            + " 'pg_operator'::regclass) AND ((d.classid = 'pg_attrdef'::regclass AND d.objid IN"
            + " (SELECT e.oid FROM pg_attrdef e WHERE e.adrelid = %1$s%2$s)) OR (d.classid ="
            + " 'pg_constraint'::regclass AND d.objid IN (SELECT oid FROM pg_constraint WHERE"
            + " conrelid = %1$s)) OR (d.classid = 'pg_class'::regclass AND d.objid IN"
            + " (SELECT indexrelid FROM pg_index WHERE indrelid = %1$s))))")
        .formatted(table, whichDefaults);
  }

  /** A check that asks for the moment or the server, so that another server may not agree. */
  private static final String ASKS =
      "(k.conbin::text ~ 'SQLVALUEFUNCTION :op [0-8] ' OR EXISTS (SELECT FROM"
          + " regexp_matches(k.conbin::text, 'funcid ([0-9]+)', 'g') m JOIN pg_proc p ON p.oid ="
          + " m[1]::oid WHERE p.provolatile = 'v' OR (p.provolatile = 's' AND p.proname IN ('now',"
          + " 'transaction_timestamp', 'statement_timestamp', 'age', 'pg_backend_pid',"
          + " 'inet_server_addr', 'inet_server_port', 'pg_postmaster_start_time',"
          + " 'pg_conf_load_time', 'pg_current_snapshot', 'txid_current_snapshot'))))";

  /** Such checks of a table, or of domains of its columns. */
  private static final String ASKING_CHECKS =
      "(EXISTS (SELECT FROM pg_constraint k WHERE k.contype = 'c' AND k.conrelid = c.oid AND "
          + ASKS
          + ") OR EXISTS (SELECT FROM pg_attribute a JOIN pg_type y ON y.oid = a.atttypid JOIN"
          + " pg_constraint k ON k.contypid = ANY (ARRAY[y.oid, nullif(y.typelem, 0),"
          + " nullif(y.typbasetype, 0)]) WHERE a.attrelid = c.oid AND NOT a.attisdropped AND "
          + ASKS
          + "))";

  /** Roles that may write to some of its columns only. */
  private static final String PARTLY_GRANTED =
      "EXISTS (SELECT FROM pg_attribute a, aclexplode(a.attacl) g WHERE a.attrelid = c.oid AND"
          + " NOT a.attisdropped AND g.privilege_type IN ('INSERT', 'UPDATE'))";

  /** Triggers that fire at COMMIT, or where rows of another server are written. */
  private static final String FAR_TRIGGERS =
      "EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = c.oid"
          + " AND (t.tgdeferrable OR t.tgenabled IN ('A', 'R')) AND "
          + CaptureSchema.IS_USERS
          + ")";

  /** 1 with triggers, 2 when one of them runs before a row is updated; else 0. */
  private static final String TRIGGERS =
      "(SELECT coalesce(max(CASE WHEN tgtype & 19 = 19 THEN 2 ELSE 1 END), 0) FROM pg_trigger t"
          + " WHERE t.tgrelid = c.oid AND t.tgenabled <> 'D' AND "
          + CaptureSchema.IS_USERS
          + ")";

  private static final String FAMILY =
      "EXISTS (SELECT FROM pg_inherits WHERE inhrelid = c.oid OR inhparent = c.oid)";

  /** An identity outside of the key, which others could not be given. */
  private static final String FOREIGN_IDENTITY =
      "EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attidentity = 'a' AND NOT"
          + " a.attnum = ANY (coalesce(k.conkey, '{}')))";

  /**
   * Whether COPY does more than to write rows: by triggers, or to tell which partition they are of.
   */
  private static final String COPY_RUNS_CODE =
      "(EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = c.oid AND t.tgenabled <> 'D' AND"
          + " t.tgtype & 4 <> 0 AND "
          + CaptureSchema.IS_USERS
          + ") OR EXISTS (WITH RECURSIVE r AS (SELECT c.oid AS rel UNION SELECT inhparent FROM"
          + " pg_inherits JOIN r ON inhrelid = rel) SELECT FROM r JOIN pg_depend d ON d.objid = rel"
          + " WHERE d.classid = 'pg_class'::regclass AND d.refclassid IN ('pg_proc'::regclass,"
          + " 'pg_operator'::regclass, 'pg_opclass'::regclass)))";

  /** Whether TRUNCATE does more than to empty it and what inherits from it. */
  private static final String TRUNCATE_RUNS_CODE =
      "EXISTS (WITH RECURSIVE r AS (SELECT c.oid AS rel UNION SELECT inhrelid FROM pg_inherits JOIN"
          + " r ON inhparent = rel) SELECT FROM r JOIN pg_class x ON x.oid = rel WHERE x.relkind NOT"
          + " IN ('r', 'p') OR EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = rel AND"
          + " t.tgtype & 32 <> 0 AND t.tgenabled <> 'D'))";

  private static final String ACTS =
      "f.contype = 'f' AND (f.confdeltype IN ('c', 'n', 'd') OR f.confupdtype IN ('c', 'n', 'd'))";

  /** Foreign keys that write to other tables. */
  private static final String ACTIONS =
      "EXISTS (SELECT FROM pg_constraint f WHERE f.confrelid = c.oid AND " + ACTS + ")";

  /** Such by which triggers, rules or code of users may run, here or in a table behind it. */
  private static final String FAR_ACTIONS =
      "EXISTS (WITH RECURSIVE r AS (SELECT f.conrelid, f.confdeltype, f.confupdtype FROM"
          + " pg_constraint f WHERE f.confrelid = c.oid AND "
          + ACTS
          + " UNION SELECT f.conrelid, f.confdeltype, f.confupdtype FROM pg_constraint f JOIN r ON"
          + " f.confrelid = r.conrelid WHERE "
          + ACTS
          + ") SELECT FROM r JOIN pg_class x ON x.oid = r.conrelid WHERE r.confdeltype = 'd' OR"
          + " r.confupdtype = 'd' OR x.relhasrules OR x.relrowsecurity OR EXISTS (SELECT FROM"
          + " pg_trigger t WHERE t.tgrelid = r.conrelid AND "
          + CaptureSchema.IS_USERS
          + ") OR "
          + runsCode("r.conrelid")
          + ")";

  /** Whether its rows refer to others of it, through other tables or not. */
  private static final String LINKED =
      "EXISTS (WITH RECURSIVE r AS (SELECT f.confrelid FROM pg_constraint f WHERE f.contype = 'f'"
          + " AND f.conrelid = c.oid UNION SELECT f.confrelid FROM pg_constraint f JOIN r ON"
          + " f.conrelid = r.confrelid WHERE f.contype = 'f') SELECT FROM r WHERE r.confrelid ="
          + " c.oid)";

  /** A primary key of types that are compared by code of users, or read by numbers of a server. */
  private static final String ODD_KEYS =
      "EXISTS (SELECT FROM pg_attribute a JOIN pg_type y ON y.oid = a.atttypid JOIN"
          + " pg_namespace m ON m.oid = y.typnamespace WHERE a.attrelid = c.oid AND a.attnum = ANY"
          + " (coalesce(k.conkey, '{}')) AND (m.nspname <> 'pg_catalog' AND y.typtype <> 'e' OR y.typname"
          + " LIKE 'reg%'))";

  /** Types that read a text in the same way everywhere and at any time, and their arrays. */
  private static final String SAME_INPUT =
      "16, 17, 18, 19, 20, 21, 23, 25, 114, 600, 601, 602, 603, 604, 628, 650, 700, 701, 718, 774,"
          + " 829, 869, 1042, 1043, 1186, 1560, 1562, 1700, 2950, 3614, 3615, 3802, 3904, 3906,"
          + " 3926, 4072, 199, 1000, 1001, 1005, 1007, 1009, 1014, 1015, 1016, 1021, 1022, 1041,"
          + " 1231, 2951, 3807";

  /**
   * Types of users that do so too: enums, their arrays, and domains of {@link #SAME_INPUT} whose
   * checks ask for nothing and run no code of users.
   */
  private static final String SAME_MADE =
      "EXISTS (SELECT FROM pg_type y LEFT JOIN pg_type m ON m.typarray = y.oid WHERE y.oid ="
          + " a.atttypid AND (y.typtype = 'e' OR m.typtype = 'e' OR (y.typtype = 'd' AND"
          + " y.typbasetype IN ("
          + SAME_INPUT
          + ") AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.contypid = y.oid AND ("
          + ASKS
          + " OR EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_constraint'::regclass AND"
          + " d.objid = k.oid AND d.refclassid IN ('pg_proc'::regclass,"
          + " 'pg_operator'::regclass)))))))";

  /** A default that is a constant of a type whose values are the same everywhere. */
  private static final String CONSTANT =
      "^(\\(?-?[0-9.]+\\)?|true|false|(NULL|''([^'']|'''')*'')::(text|character varying|character"
          + "|bpchar|integer|bigint|smallint|numeric|boolean|date|uuid|json|jsonb|interval|bytea|"
          + "double precision|real|inet|timestamp|time)(\\([0-9,]+\\))?( with(out)? time zone)?)$";

  /** A domain may bring a default, which is no part of the column. */
  private static final String OF_DOMAIN =
      "EXISTS (SELECT FROM pg_type y WHERE y.oid = a.atttypid AND y.typtype = 'd')";

  /** Name:flags of each column, in their order. */
  private static final String COLUMNS =
      "(SELECT string_agg(quote_ident(a.attname) || ':'"
          + flag("a.atttypid IN (16, 20, 21, 23, 25, 1043, 1042, 2950, 1700, 17)", 'e')
          + flag("a.atttypid IN (20, 21, 23)", 'i')
          + flag("a.atthasdef OR a.attidentity <> '' OR " + OF_DOMAIN, 'd')
          + flag(
              "EXISTS (SELECT FROM pg_attrdef e WHERE e.adrelid = c.oid AND e.adnum = a.attnum AND"
                  + " pg_get_expr(e.adbin, e.adrelid) ~ '"
                  + CONSTANT
                  + "')",
              'c')
          + flag("a.atttypid IN (" + SAME_INPUT + ") OR " + SAME_MADE, 's')
          + flag("a.atttypid IN (1082, 1083, 1114, 1184)", 't')
          // In binary, an infinite one is of another length to PostgreSQL 16 and older.
          + flag("a.atttypid IN (1186, 1187)", 'v')
          + flag("a.attgenerated <> ''", 'g')
          + ", E'\\x01' ORDER BY a.attnum) FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum"
          + " > 0 AND NOT a.attisdropped)";

  private static String flag(String condition, char flag) {
    return " || CASE WHEN " + condition + " THEN '" + flag + "' ELSE '' END";
  }

  /** Defaults, of columns or their domains, that may do more than to give a value. */
  private static final String DEFAULTS_DO =
      "EXISTS (SELECT FROM pg_attribute a LEFT JOIN pg_attrdef e ON e.adrelid = a.attrelid AND"
          + " e.adnum = a.attnum LEFT JOIN pg_type y ON y.oid = a.atttypid, regexp_matches(concat("
          + "e.adbin::text, ' ', y.typdefaultbin::text), ':funcid ([0-9]+)', 'g') m JOIN pg_proc p"
          + " ON p.oid = m[1]::oid WHERE a.attrelid = c.oid AND NOT a.attisdropped AND"
          + " p.provolatile = 'v' AND p.proname NOT IN ('nextval', "
          + Words.HARMLESS_VOLATILE.stream()
              .sorted()
              .map(Quoting::literal)
              .collect(Collectors.joining(", "))
          + "))";

  /** An ordinary table where no code of users runs but by its triggers. */
  private static final String BASE =
      "relkind = 'r' AND nspname <> 'mgtm' AND NOT relhasrules AND NOT relrowsecurity AND NOT "
          + FAR_TRIGGERS
          + " AND NOT "
          + runsCode("c.oid")
          + " AND NOT "
          + DEFAULTS_DO
          + " AND NOT "
          + ASKING_CHECKS
          + " AND NOT "
          + ODD_KEYS;

  private static final String TABLES =
      "SELECT nspname, relname, b.base AND NOT "
          + FAMILY
          + " AND NOT "
          + FOREIGN_IDENTITY
          + ","
          + " NOT EXISTS (SELECT FROM pg_constraint h WHERE h.contype IN ('c', 'x') AND h.conrelid"
          + " = c.oid) AND NOT "
          + ACTIONS
          + " AND NOT EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND"
          + " a.attgenerated <> ''), "
          + COLUMNS
          + ", (SELECT string_agg(quote_ident(a.attname), E'\\x01'"
          + " ORDER BY x.at) FROM unnest(k.conkey) WITH ORDINALITY x(num, at) JOIN pg_attribute a"
          + " ON a.attrelid = c.oid AND a.attnum = x.num), k.condeferrable, "
          + TRIGGERS
          + ", "
          + LINKED
          + ", "
          + FAR_ACTIONS
          + ", "
          + PARTLY_GRANTED
          + ", b.base AND NOT "
          + COPY_RUNS_CODE
          + ", nspname <> 'mgtm' AND NOT "
          + TRUNCATE_RUNS_CODE
          + " FROM pg_class c JOIN"
          + " pg_namespace n ON n.oid = relnamespace LEFT JOIN pg_constraint k ON k.conrelid ="
          + " c.oid AND k.contype = 'p' CROSS JOIN LATERAL (SELECT "
          + BASE
          + " AS base) b WHERE relkind IN ('r', 'p', 'v', 'm', 'f') AND"
          + " relpersistence <> 't' AND nspname <>"
          + " 'information_schema' AND nspname <> 'pg_toast'";

  /** Why rows of a table that were captured cannot be written elsewhere; empty where they can. */
  private static final String NOT_CAPTURED =
      "CASE WHEN nspname IN ('pg_catalog', 'mgtm') THEN 'is not of users'"
          + " WHEN relkind <> 'r' OR relpersistence <> 'p' THEN 'is no ordinary table'"
          + " WHEN relrowsecurity THEN 'has row security' WHEN "
          + FAR_TRIGGERS
          + " THEN 'has triggers that are deferrable, or ENABLE ALWAYS or REPLICA'"
          + " WHEN EXISTS (SELECT FROM pg_rewrite w WHERE w.ev_class = c.oid AND w.ev_enabled IN"
          + " ('A', 'R')) THEN 'has rules that are ENABLE ALWAYS or REPLICA'"
          + " WHEN EXISTS (SELECT FROM pg_constraint q WHERE q.conrelid = c.oid AND q.condeferrable"
          + " AND q.contype IN ('p', 'u', 'x')) THEN 'has deferrable keys' WHEN "
          + runsCode(
              "c.oid",
              " AND EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = e.adrelid AND a.attnum ="
                  + " e.adnum AND a.attgenerated <> '')")
          + " OR "
          + ASKING_CHECKS
          + " THEN 'has checks, indexes or generated columns that call functions of users, or ask for"
          + " the moment' WHEN "
          + ODD_KEYS
          + " THEN 'has a primary key of a type such as regclass' ELSE '' END";

  private static final String CAPTURED =
      "SELECT "
          + CaptureSchema.NAME
          + ", "
          + NOT_CAPTURED
          + ", "
          + CaptureSchema.HAS_OURS
          + " FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace LEFT JOIN pg_constraint k"
          + " ON k.conrelid = c.oid AND k.contype = 'p' WHERE relkind IN ('r', 'm') AND relpersistence"
          + " <> 't' AND nspname"
          + USERS;

  /** Those that key words stand for, as IN, LIKE, BETWEEN and USING do. */
  static final List<String> IMPLIED_OPERATORS =
      List.of("=", "<>", "<", ">", "<=", ">=", "~~", "!~~", "~~*", "!~~*", "~", "!~");

  private static final String EVENT_TRIGGERS =
      "SELECT count(*) FROM pg_event_trigger WHERE evtenabled <> 'D'";

  private static final String DEFERRABLE =
      "SELECT count(*) FROM pg_constraint k LEFT JOIN pg_class c ON c.oid = k.conrelid WHERE"
          + " k.condeferrable AND c.relpersistence IS DISTINCT FROM 't'";

  /** {@link Catalogues#read} reads the answers. All names are to be those of pg_catalog. */
  static final List<String> QUERIES =
      List.of(
          FUNCTIONS,
          OPERATORS,
          SUSPECTS,
          CASTS,
          TABLES,
          DEFERRABLE,
          EVENT_TRIGGERS,
          CaptureSchema.ASK_LACKS,
          CAPTURED,
          LastingSql.QUERY);

  private CatalogueSql() {}
}
