package io.mgtm.query.server;

import io.mgtm.common.HostPort;
import io.mgtm.query.sql.Catalogue;
import io.mgtm.query.sql.Classifier;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** What is known of each database, read from the leader server when it is first asked for. */
final class Catalogues {
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

  private static final String SUSPECTS =
      "SELECT relname FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE nspname"
          + USERS
          + "AND (relkind IN ('v', 'f') OR relrowsecurity) UNION SELECT typname FROM pg_type t"
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
    return ("EXISTS (SELECT FROM pg_depend d WHERE d.refclassid IN ('pg_proc'::regclass,"
            + " 'pg_operator'::regclass) AND ((d.classid = 'pg_attrdef'::regclass AND d.objid IN"
            + " (SELECT oid FROM pg_attrdef WHERE adrelid = %1$s)) OR (d.classid ="
            + " 'pg_constraint'::regclass AND d.objid IN (SELECT oid FROM pg_constraint WHERE"
            + " conrelid = %1$s)) OR (d.classid = 'pg_class'::regclass AND d.objid IN"
            + " (SELECT indexrelid FROM pg_index WHERE indrelid = %1$s))))")
        .formatted(table);
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
      "EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = c.oid AND NOT t.tgisinternal"
          + " AND (t.tgdeferrable OR t.tgenabled IN ('A', 'R')))";

  /** 1 with triggers, 2 when one of them runs before a row is updated; else 0. */
  private static final String TRIGGERS =
      "(SELECT coalesce(max(CASE WHEN tgtype & 19 = 19 THEN 2 ELSE 1 END), 0) FROM pg_trigger t"
          + " WHERE t.tgrelid = c.oid AND NOT t.tgisinternal)";

  private static final String FAMILY =
      "EXISTS (SELECT FROM pg_inherits WHERE inhrelid = c.oid OR inhparent = c.oid)";

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
          + " pg_trigger t WHERE t.tgrelid = r.conrelid AND NOT t.tgisinternal) OR "
          + runsCode("r.conrelid")
          + ")";

  /** Whether its rows refer to others of it, through other tables or not. */
  private static final String LINKED =
      "EXISTS (WITH RECURSIVE r AS (SELECT f.confrelid FROM pg_constraint f WHERE f.contype = 'f'"
          + " AND f.conrelid = c.oid UNION SELECT f.confrelid FROM pg_constraint f JOIN r ON"
          + " f.conrelid = r.confrelid WHERE f.contype = 'f') SELECT FROM r WHERE r.confrelid ="
          + " c.oid)";

  /** Types that read a text in the same way everywhere and at any time, and their arrays. */
  private static final String SAME_INPUT =
      "16, 17, 18, 19, 20, 21, 23, 25, 114, 600, 601, 602, 603, 604, 628, 650, 700, 701, 718, 774,"
          + " 829, 869, 1042, 1043, 1186, 1560, 1562, 1700, 2950, 3614, 3615, 3802, 3904, 3906,"
          + " 3926, 4072, 199, 1000, 1001, 1005, 1007, 1009, 1014, 1015, 1016, 1021, 1022, 1041,"
          + " 1231, 2951, 3807";

  /** A default that is a constant of a type whose values are the same everywhere. */
  private static final String CONSTANT =
      "^(\\(?-?[0-9.]+\\)?|true|false|(NULL|''([^'']|'''')*'')::(text|character varying|character"
          + "|bpchar|integer|bigint|smallint|numeric|boolean|date|uuid|json|jsonb|interval|bytea|"
          + "double precision|real|inet|timestamp|time)(\\([0-9,]+\\))?( with(out)? time zone)?)$";

  /** Name:flags of each column, in their order. */
  private static final String COLUMNS =
      "(SELECT string_agg(quote_ident(a.attname) || ':'"
          + flag("a.atttypid IN (16, 20, 21, 23, 25, 1043, 1042, 2950, 1700, 17)", 'e')
          + flag("a.atttypid IN (20, 21, 23)", 'i')
          + flag("a.atthasdef OR a.attidentity <> ''", 'd')
          + flag(
              "EXISTS (SELECT FROM pg_attrdef e WHERE e.adrelid = c.oid AND e.adnum = a.attnum AND"
                  + " pg_get_expr(e.adbin, e.adrelid) ~ '"
                  + CONSTANT
                  + "')",
              'c')
          + flag(
              "a.atttypid IN ("
                  + SAME_INPUT
                  + ") OR EXISTS (SELECT FROM pg_type y WHERE y.oid = a.atttypid AND y.typtype = 'e')",
              's')
          + flag("a.atttypid IN (1082, 1083, 1114, 1184)", 't')
          + flag("a.attgenerated <> ''", 'g')
          + ", E'\\x01' ORDER BY a.attnum) FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum"
          + " > 0 AND NOT a.attisdropped)";

  private static String flag(String condition, char flag) {
    return " || CASE WHEN " + condition + " THEN '" + flag + "' ELSE '' END";
  }

  private static final String TABLES =
      "SELECT nspname, relname, relkind = 'r' AND nspname <> 'mgtm' AND NOT relhasrules AND NOT relrowsecurity AND NOT "
          + FAR_TRIGGERS
          + " AND NOT "
          + FAMILY
          + " AND NOT "
          + runsCode("c.oid")
          + " AND NOT "
          + ASKING_CHECKS
          + " AND NOT EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND"
          + " a.attidentity = 'a' AND NOT a.attnum = ANY (coalesce(k.conkey, '{}')))"
          + " AND NOT EXISTS (SELECT FROM pg_attribute a JOIN pg_type y ON y.oid = a.atttypid JOIN"
          + " pg_namespace m ON m.oid = y.typnamespace WHERE a.attrelid = c.oid AND a.attnum = ANY"
          + " (coalesce(k.conkey, '{}')) AND (m.nspname <> 'pg_catalog' AND y.typtype <> 'e' OR y.typname"
          + " LIKE 'reg%')),"
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
          + " FROM pg_class c JOIN"
          + " pg_namespace n ON n.oid = relnamespace LEFT JOIN pg_constraint k ON k.conrelid ="
          + " c.oid AND k.contype = 'p' WHERE relkind IN ('r', 'p', 'v', 'm', 'f') AND nspname <>"
          + " 'information_schema' AND nspname <> 'pg_toast'";

  /** Those that key words stand for, as IN, LIKE, BETWEEN and USING do. */
  private static final List<String> IMPLIED_OPERATORS =
      List.of("=", "<>", "<", ">", "<=", ">=", "~~", "!~~", "~~*", "!~~*", "~", "!~");

  private static final String EVENT_TRIGGERS =
      "SELECT count(*) FROM pg_event_trigger WHERE evtenabled <> 'D'";

  private static final String DEFERRABLE = "SELECT count(*) FROM pg_constraint WHERE condeferrable";

  /** What is asked; {@link #read} reads the answers. All names are to be those of pg_catalog. */
  static final List<String> QUERIES =
      List.of(FUNCTIONS, OPERATORS, SUSPECTS, CASTS, TABLES, DEFERRABLE, EVENT_TRIGGERS);

  /**
   * What sessions in a database need.
   *
   * @param deferrable whether constraints may be checked at COMMIT
   */
  record Known(Classifier classifier, boolean deferrable) {}

  private final OwnRole role;
  private final Supplier<HostPort> leader;
  private final ConcurrentHashMap<String, CompletableFuture<Known>> byDatabase =
      new ConcurrentHashMap<>();

  Catalogues(OwnRole role, Supplier<HostPort> leader) {
    this.role = role;
    this.leader = leader;
  }

  /** Of a database; fails with a {@link LoginException}, and is then asked again the next time. */
  CompletableFuture<Known> of(String database) {
    CompletableFuture<Known> known = byDatabase.computeIfAbsent(database, this::load);
    if (known.isCompletedExceptionally()) {
      byDatabase.remove(database, known);
      known = byDatabase.computeIfAbsent(database, this::load);
    }
    return known;
  }

  /** Whether nothing was changed since this was read, nor is about to be. */
  boolean isCurrent(String database, Known known) {
    CompletableFuture<Known> now = byDatabase.get(database);
    return now != null
        && now.isDone()
        && !now.isCompletedExceptionally()
        && now.join().equals(known);
  }

  /** The schema begins to be another: who asks waits until {@link #changed}. */
  CompletableFuture<Known> change(String database) {
    CompletableFuture<Known> next = new CompletableFuture<>();
    byDatabase.put(database, next);
    return next;
  }

  /** The change is at all servers, or at none. */
  void changed(String database, CompletableFuture<Known> next) {
    load(database)
        .whenComplete(
            (known, cause) -> {
              if (cause == null) {
                next.complete(known);
              } else {
                next.completeExceptionally(cause);
              }
            });
  }

  /** The databases that were asked for. */
  Set<String> databases() {
    return Set.copyOf(byDatabase.keySet());
  }

  private CompletableFuture<Known> load(String database) {
    return role.enter(leader.get(), database)
        .thenCompose(
            asker -> {
              List<CompletableFuture<List<List<String>>>> answers =
                  QUERIES.stream().map(asker::ask).toList();
              return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
                  .whenComplete((done, cause) -> asker.close())
                  .thenApply(done -> read(answers.stream().map(CompletableFuture::join).toList()));
            });
  }

  static Known read(List<List<List<String>>> answers) {
    Set<String> pure = new HashSet<>();
    Set<String> builtin = new HashSet<>();
    Set<String> suspects = new HashSet<>();
    for (List<String> row : answers.get(0)) {
      if (row.get(1).equals("t")) {
        builtin.add(row.get(0));
        if (row.get(2).equals("t")) {
          pure.add(row.get(0));
        }
      } else {
        suspects.add(row.get(0));
      }
    }
    answers.get(2).forEach(row -> suspects.add(row.get(0)));
    Set<String> operators = new HashSet<>();
    answers.get(1).forEach(row -> operators.add(row.get(0)));
    boolean code =
        !answers.get(3).get(0).get(0).equals("0") || !operators.containsAll(IMPLIED_OPERATORS);
    Catalogue catalogue =
        new Catalogue(
            pure,
            builtin,
            operators,
            suspects,
            tables(answers.get(4)),
            code,
            !answers.get(6).get(0).get(0).equals("0"));
    return new Known(new Classifier(catalogue), !answers.get(5).get(0).get(0).equals("0"));
  }

  private static Map<String, Catalogue.Table> tables(List<List<String>> rows) {
    Map<String, Catalogue.Table> tables = new HashMap<>();
    Set<String> twice = new HashSet<>();
    for (List<String> row : rows) {
      if (tables.containsKey(row.get(1))) {
        twice.add(row.get(1));
      }
      tables.put(row.get(1), table(row));
    }
    tables.keySet().removeAll(twice);
    return tables;
  }

  private static Catalogue.Table table(List<String> row) {
    Map<String, Catalogue.Column> columns = new LinkedHashMap<>();
    for (String column : split(row.get(4))) {
      int colon = column.lastIndexOf(':');
      String flags = column.substring(colon + 1);
      columns.put(
          unquote(column.substring(0, colon)),
          new Catalogue.Column(
              flags.contains("e"),
              flags.contains("i"),
              fill(flags),
              flags.contains("g"),
              input(flags)));
    }
    boolean deferrable = "t".equals(row.get(6));
    boolean known = row.get(2).equals("t") && !row.get(0).equals("pg_catalog") && !deferrable;
    return new Catalogue.Table(
        row.get(0),
        columns,
        split(row.get(5)).stream().map(Catalogues::unquote).toList(),
        known ? granted(writes(row), row.get(10)) : Catalogue.Writes.ANYTHING,
        row.get(8).equals("t"));
  }

  private static Catalogue.Writes granted(Catalogue.Writes writes, String partly) {
    if (!partly.equals("t")) {
      return writes;
    }
    return writes == Catalogue.Writes.PLAIN ? Catalogue.Writes.COLUMNS : Catalogue.Writes.ANYTHING;
  }

  private static Catalogue.Writes writes(List<String> row) {
    return switch (row.get(7)) {
      case "0" ->
          row.get(9).equals("t")
              ? Catalogue.Writes.TRIGGERS
              : row.get(3).equals("t") ? Catalogue.Writes.PLAIN : Catalogue.Writes.ROWS;
      case "1" -> Catalogue.Writes.TRIGGERS;
      default -> Catalogue.Writes.KEY_TRIGGERS;
    };
  }

  private static Catalogue.Fill fill(String flags) {
    if (!flags.contains("d")) {
      return Catalogue.Fill.NULL;
    }
    return flags.contains("c") ? Catalogue.Fill.CONSTANT : Catalogue.Fill.COMPUTED;
  }

  private static Catalogue.Input input(String flags) {
    if (flags.contains("s")) {
      return Catalogue.Input.SAME;
    }
    return flags.contains("t") ? Catalogue.Input.CLOCK : Catalogue.Input.OTHER;
  }

  private static List<String> split(String list) {
    return list == null || list.isEmpty() ? List.of() : Arrays.asList(list.split("\u0001"));
  }

  private static String unquote(String name) {
    return name.startsWith("\"")
        ? name.substring(1, name.length() - 1).replace("\"\"", "\"")
        : name;
  }
}
