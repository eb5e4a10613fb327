package io.mgtm.query.catalogue;

import io.mgtm.query.sql.Quoting;
import java.util.List;

/**
 * What each server has of the replicator's own to note which rows a transaction writes: a trigger
 * of each table that is off but for statements of class C, the table that it fills, and functions
 * that tell what to do elsewhere. docs/adr/0026 says why it is so.
 *
 * <p>What always holds: the trigger is on while a setting says so that no client can set, and the
 * rows are given only to who has begun to capture them. They are undone with what they tell of.
 */
public final class CaptureSchema {
  /** What says that it is on: nothing else looks at this text, wherever it stands. */
  private static final String ON =
      "current_setting('backtrace_functions') OPERATOR(pg_catalog.=) 'mgtm_capture'";

  private static final String PLAIN_PATH = " SET search_path = pg_catalog, pg_temp ";

  /** Values are written and read in one way, whatever the client or a function has set. */
  private static final String EXACT =
      " SECURITY DEFINER"
          + PLAIN_PATH
          + "SET DateStyle = 'ISO' SET TimeZone = 'UTC' SET IntervalStyle = 'iso_8601'"
          + " SET extra_float_digits = 1 SET bytea_output = 'hex' SET array_nulls = on"
          + " SET xmloption = content SET jit = off ";

  private static final String TABLE =
      "CREATE UNLOGGED TABLE IF NOT EXISTS mgtm.captured (backend int NOT NULL, relation oid,"
          + " old_row text, new_row text, token uuid)";

  private static final String INDEX =
      "CREATE INDEX IF NOT EXISTS captured_backend ON mgtm.captured (backend)";

  /** By format and not by a cast, which users may make their own. */
  private static final String TRIGGER =
      "CREATE OR REPLACE FUNCTION mgtm.mgtm_capture() RETURNS trigger LANGUAGE plpgsql"
          + EXACT
          + """
          AS $$ BEGIN
            INSERT INTO mgtm.captured (backend, relation, old_row, new_row) VALUES (
              pg_backend_pid(), TG_RELID,
              CASE WHEN TG_OP <> 'INSERT' THEN format('%s', OLD) END,
              CASE WHEN TG_OP <> 'DELETE' THEN format('%s', NEW) END);
            RETURN NULL;
          END $$""";

  /** What is to be done before rows can be captured, or null. */
  private static final String LACKS =
      "CREATE OR REPLACE FUNCTION mgtm.mgtm_capture_lacks() RETURNS text LANGUAGE plpgsql"
          + " SECURITY DEFINER"
          + PLAIN_PATH
          + """
          AS $$ BEGIN
            PERFORM set_config('backtrace_functions', current_setting('backtrace_functions'), true);
            RETURN NULL;
          EXCEPTION WHEN insufficient_privilege THEN
            RETURN format('Let a superuser run GRANT SET ON PARAMETER backtrace_functions TO %I, at'
              ' every server, and start the replicator again.', current_user);
          END $$""";

  /** The marker has what the setting was. */
  private static final String BEGIN =
      "CREATE OR REPLACE FUNCTION mgtm.mgtm_begin_capture() RETURNS uuid LANGUAGE plpgsql"
          + " SECURITY DEFINER"
          + PLAIN_PATH
          + """
          AS $$ DECLARE made uuid := gen_random_uuid(); BEGIN
            IF %s THEN RAISE EXCEPTION 'rows are captured already'; END IF;
            DELETE FROM mgtm.captured WHERE backend = pg_backend_pid();
            INSERT INTO mgtm.captured (backend, old_row, token)
              VALUES (pg_backend_pid(), current_setting('backtrace_functions'), made);
            PERFORM set_config('backtrace_functions', 'mgtm_capture', true);
            RETURN made;
          END $$"""
              .formatted(ON);

  /**
   * Ends it, and tells by which statements others get the rows: each with its values, of which the
   * first tells the statement where that is not the one of before. One that begins with {@code !}
   * is why they cannot. Without a role it tells nothing.
   */
  private static final String END =
      "CREATE OR REPLACE FUNCTION mgtm.mgtm_captured(of_token uuid, of_role name)"
          + " RETURNS TABLE (effect text, place int, datum text) LANGUAGE plpgsql"
          + EXACT
          + " SET enable_hashjoin = off SET enable_mergejoin = off "
          + """
          AS $$ DECLARE was text; rel oid; BEGIN
            IF NOT %s THEN RAISE EXCEPTION 'a function has reset settings'; END IF;
            IF NOT pg_has_role(session_user, of_role, 'MEMBER') THEN
              RAISE EXCEPTION 'the role %% is another''s', of_role;
            END IF;
            DELETE FROM mgtm.captured WHERE backend = pg_backend_pid() AND token = of_token
              RETURNING old_row INTO was;
            IF NOT FOUND THEN RAISE EXCEPTION 'a function has ended the capture'; END IF;
            PERFORM set_config('backtrace_functions', was, true);
            IF of_role IS NOT NULL THEN
              FOR rel IN SELECT DISTINCT c.relation FROM mgtm.captured c
                  WHERE c.backend = pg_backend_pid() ORDER BY 1 LOOP
                RETURN QUERY SELECT * FROM mgtm.mgtm_effects(rel, of_role);
              END LOOP;
            END IF;
            DELETE FROM mgtm.captured WHERE backend = pg_backend_pid();
          END $$"""
              .formatted(ON);

  /**
   * What has become of the keys of a table that were touched. In which order triggers of one
   * statement have fired is no matter so: what a key had before follows from what it has now, and
   * from how often a row came to it and left it.
   *
   * <p>A row that is there before and after is updated, which takes no stronger lock than it had at
   * the leader, unless what is unique in it was changed: then it is deleted before and inserted
   * after all others, so that no two rows hold the same in between.
   */
  private static final String EFFECTS =
      "CREATE OR REPLACE FUNCTION mgtm.mgtm_effects(rel oid, of_role name)"
          + " RETURNS TABLE (effect text, place int, datum text) LANGUAGE plpgsql AS $$ "
          + """
          #variable_conflict use_column
          DECLARE
            t record;
            keys text[];
            cols text[];
            sets text[];
            fixed text[];
            loose bool;
            referenced bool;
            images text;
            grouped text;
            parts text;
          BEGIN
            SELECT format('%I.%I', n.nspname, c.relname) AS name, n.oid AS nsp INTO STRICT t
              FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = rel;
            keys := ARRAY(SELECT format('%I', a.attname) FROM pg_index x,
              unnest(x.indkey) WITH ORDINALITY k(num, at) JOIN pg_attribute a
              ON a.attrelid = rel AND a.attnum = k.num
              WHERE x.indrelid = rel AND x.indisprimary AND k.at <= x.indnkeyatts ORDER BY k.at);
            cols := ARRAY(SELECT format('%I', a.attname) FROM pg_attribute a
              WHERE a.attrelid = rel AND a.attnum > 0 AND NOT a.attisdropped
              AND a.attgenerated = '' ORDER BY a.attnum);
            sets := ARRAY(SELECT format('%I', a.attname) FROM pg_attribute a
              WHERE a.attrelid = rel AND a.attnum > 0 AND NOT a.attisdropped
              AND a.attgenerated = '' AND a.attidentity <> 'a'
              AND format('%I', a.attname) <> ALL (keys) ORDER BY a.attnum);
            fixed := keys || ARRAY(SELECT format('%I', a.attname) FROM pg_attribute a
              WHERE a.attrelid = rel AND a.attnum > 0 AND NOT a.attisdropped
              AND format('%I', a.attname) <> ALL (keys)
              AND (a.attidentity = 'a' OR EXISTS (SELECT FROM pg_index x,
                unnest(x.indkey) WITH ORDINALITY k(num, at) WHERE x.indrelid = rel
                AND x.indisunique AND x.indpred IS NULL AND x.indexprs IS NULL
                AND k.at <= x.indnkeyatts AND k.num = a.attnum)) ORDER BY a.attnum);
            loose := EXISTS (SELECT FROM pg_index x WHERE x.indrelid = rel
              AND (x.indisexclusion OR (x.indisunique
                AND (x.indpred IS NOT NULL OR x.indexprs IS NOT NULL))));
            referenced := EXISTS (SELECT FROM pg_constraint f
              WHERE f.contype = 'f' AND f.confrelid = rel);
            IF mgtm.mgtm_runs_code(rel) THEN
              RETURN QUERY SELECT '!' || t.name || ' has types of which functions of users read values',
                1, NULL::text;
              RETURN;
            END IF;
            IF cols = '{}' THEN
              RETURN QUERY SELECT '!' || t.name || ' has no columns', 1, NULL::text;
              RETURN;
            END IF;
            images := format('SELECT c.old_row::%1$s AS v, -1 AS n FROM mgtm.captured c
                WHERE c.backend = pg_backend_pid() AND c.relation = $1 AND c.old_row IS NOT NULL
              UNION ALL SELECT c.new_row::%1$s, 1 FROM mgtm.captured c
                WHERE c.backend = pg_backend_pid() AND c.relation = $1 AND c.new_row IS NOT NULL',
              t.name);
            IF keys = '{}' THEN
              IF EXISTS (SELECT FROM mgtm.captured c WHERE c.backend = pg_backend_pid()
                  AND c.relation = rel AND c.old_row IS NOT NULL) THEN
                RETURN QUERY SELECT '!rows of ' || t.name
                  || ' were changed or deleted, which has no primary key', 1, NULL::text;
                RETURN;
              END IF;
              grouped := format('SELECT v AS cur, 0 AS before, 1 AS after, true AS same FROM (%s) i',
                images);
            ELSE
              grouped := format('SELECT %1$s, (array_agg(t.*))[1] AS cur,
                  (count(t.%2$s) > 0)::int - sum(i.n)::int AS before,
                  (count(t.%2$s) > 0)::int AS after, %3$s AS same
                FROM i LEFT JOIN ONLY %4$s AS t ON %5$s GROUP BY %6$s',
                (SELECT string_agg(format('(i.v).%s AS k%s', k, at), ', ' ORDER BY at)
                  FROM unnest(keys) WITH ORDINALITY u(k, at)),
                keys[1],
                CASE WHEN loose AND NOT referenced THEN 'false' ELSE format('bool_and(record_image_eq(ROW(%s), ROW(%s)))',
                    (SELECT string_agg('(i.v).' || f, ', ') FROM unnest(fixed) f),
                    (SELECT string_agg('t.' || f, ', ') FROM unnest(fixed) f)) END,
                t.name,
                (SELECT string_agg(format('t.%1$s OPERATOR(pg_catalog.=) (i.v).%1$s', k), ' AND ')
                  FROM unnest(keys) k),
                (SELECT string_agg('(i.v).' || k, ', ') FROM unnest(keys) k));
            END IF;
            parts := format('SELECT 3 AS step, row_number() OVER () AS no, $4 AS sql, ARRAY[%s] AS vals
                FROM g WHERE after = 1 AND (before = 0 OR NOT same)',
              (SELECT string_agg(mgtm.mgtm_text_of('(cur).' || c), ', ' ORDER BY at)
                FROM unnest(cols) WITH ORDINALITY u(c, at)));
            IF keys <> '{}' THEN
              parts := parts || format(' UNION ALL SELECT 1, row_number() OVER (), $2, ARRAY[%s]
                  FROM g WHERE before = 1 AND (after = 0 OR NOT same)',
                (SELECT string_agg(mgtm.mgtm_text_of('k' || at), ', ' ORDER BY at)
                  FROM unnest(keys) WITH ORDINALITY u(k, at)));
              parts := parts || format(' UNION ALL (SELECT 0, 1, %L, ARRAY['''']
                  FROM g WHERE before NOT IN (0, 1) LIMIT 1)',
                '!what was captured of ' || t.name || ' is not whole');
            END IF;
            IF keys <> '{}' AND loose AND referenced THEN
              parts := parts || format(' UNION ALL SELECT 0, 1, %L, ARRAY[''''] WHERE
                  (SELECT count(*) FROM g WHERE before = 1 AND after = 1) > 1',
                '!several rows of ' || t.name || ' were changed, which foreign keys refer to and'
                || ' which has an index of a part or of expressions that is unique');
            END IF;
            IF keys <> '{}' AND sets <> '{}' THEN
              parts := parts || format(' UNION ALL SELECT 2, row_number() OVER (), $3, ARRAY[%s, %s]
                  FROM g WHERE before = 1 AND after = 1 AND same',
                (SELECT string_agg(mgtm.mgtm_text_of('(cur).' || c), ', ' ORDER BY at)
                  FROM unnest(sets) WITH ORDINALITY u(c, at)),
                (SELECT string_agg(mgtm.mgtm_text_of('k' || at), ', ' ORDER BY at)
                  FROM unnest(keys) WITH ORDINALITY u(k, at)));
            END IF;
            RETURN QUERY EXECUTE format('WITH i AS MATERIALIZED (%s), g AS MATERIALIZED (%s)
                SELECT CASE WHEN p.no = 1 AND s.at = 1 THEN p.sql END, s.at::int,
                  CASE WHEN left(p.sql, 1) <> ''!'' THEN s.value END
                FROM (%s) p CROSS JOIN LATERAL unnest(p.vals) WITH ORDINALITY s(value, at)
                ORDER BY p.step, p.no, s.at', images, grouped, parts)
              USING rel,
                mgtm.mgtm_if_may(of_role, rel, t.nsp, '{SELECT,DELETE}',
                  format('DELETE FROM ONLY %s WHERE %s', t.name, mgtm.mgtm_where(keys, 0))),
                mgtm.mgtm_if_may(of_role, rel, t.nsp, '{SELECT,UPDATE}',
                  format('UPDATE ONLY %s SET %s WHERE %s', t.name,
                    (SELECT string_agg(format('%s = $%s', c, at), ', ' ORDER BY at)
                      FROM unnest(sets) WITH ORDINALITY u(c, at)),
                    mgtm.mgtm_where(keys, cardinality(sets)))),
                mgtm.mgtm_if_may(of_role, rel, t.nsp, '{INSERT}',
                  format('INSERT INTO %s (%s) OVERRIDING SYSTEM VALUE VALUES (%s)', t.name,
                    array_to_string(cols, ', '),
                    (SELECT string_agg('$' || at, ', ' ORDER BY at)
                      FROM unnest(cols) WITH ORDINALITY u(c, at))));
          END $$""";

  /** A value as its type writes it: a composite of nulls is none. */
  private static final String TEXT_OF =
      "CREATE OR REPLACE FUNCTION mgtm.mgtm_text_of(of_value text) RETURNS text LANGUAGE sql"
          + " IMMUTABLE AS $$ SELECT pg_catalog.format('CASE WHEN num_nulls(%1$s) = 0"
          + " THEN format(''%%s'', %1$s) END', of_value) $$";

  private static final String WHERE =
      "CREATE OR REPLACE FUNCTION mgtm.mgtm_where(keys text[], after int) RETURNS text LANGUAGE sql"
          + " IMMUTABLE AS $$ SELECT pg_catalog.string_agg(pg_catalog.format("
          + "'%s OPERATOR(pg_catalog.=) $%s', k, at OPERATOR(pg_catalog.+) after), ' AND ' ORDER BY at)"
          + " FROM pg_catalog.unnest(keys) WITH ORDINALITY u(k, at) $$";

  /** A statement, or what the role lacks to run it at the other servers. */
  private static final String IF_MAY =
      "CREATE OR REPLACE FUNCTION mgtm.mgtm_if_may(of_role name, rel oid, nsp oid, rights text[],"
          + " effect text) RETURNS text LANGUAGE sql STABLE AS $$ SELECT CASE"
          + " WHEN pg_catalog.has_schema_privilege(of_role, nsp, 'USAGE') AND NOT EXISTS (SELECT FROM"
          + " pg_catalog.unnest(rights) one WHERE NOT pg_catalog.has_table_privilege(of_role, rel, one))"
          + " THEN effect ELSE pg_catalog.format('!the role %I lacks %s of %s', of_role,"
          + " pg_catalog.array_to_string(rights, ', '), rel::pg_catalog.regclass) END $$";

  /** Whether to make a row of a text would run code of users, with the rights of the replicator. */
  private static final String RUNS_CODE =
      "CREATE OR REPLACE FUNCTION mgtm.mgtm_runs_code(rel oid) RETURNS bool LANGUAGE sql STABLE"
          + " AS $$ SELECT EXISTS (SELECT FROM pg_catalog.pg_cast k JOIN pg_catalog.pg_class c"
          + " ON c.reltype OPERATOR(pg_catalog.=) k.casttarget"
          + " WHERE c.oid OPERATOR(pg_catalog.=) rel AND k.castfunc OPERATOR(pg_catalog.<>) 0) OR EXISTS (SELECT FROM"
          + " pg_catalog.pg_constraint k JOIN pg_catalog.pg_depend d"
          + " ON d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_constraint'::pg_catalog.regclass"
          + " AND d.objid OPERATOR(pg_catalog.=) k.oid WHERE k.conrelid OPERATOR(pg_catalog.=) 0"
          + " AND k.contypid OPERATOR(pg_catalog.<>) 0 AND d.refclassid OPERATOR(pg_catalog.=) ANY"
          + " (ARRAY['pg_catalog.pg_proc'::pg_catalog.regclass,"
          + " 'pg_catalog.pg_operator'::pg_catalog.regclass]::pg_catalog.oid[])) $$";

  /**
   * Gives tables that the caller owns the trigger, where rows can be captured. What is in use for
   * long has it the next time.
   */
  private static final String INSTALL =
      "CREATE OR REPLACE FUNCTION mgtm.mgtm_install() RETURNS void LANGUAGE plpgsql"
          + PLAIN_PATH
          + " SET lock_timeout = '2s' "
          + """
          AS $$ DECLARE name text; BEGIN
            IF mgtm.mgtm_capture_lacks() IS NOT NULL THEN RETURN; END IF;
            FOR name IN SELECT format('%I.%I', n.nspname, c.relname) FROM pg_class c
                JOIN pg_namespace n ON n.oid = c.relnamespace
                WHERE c.relkind = 'r' AND c.relpersistence = 'p' AND c.oid >= 16384
                AND n.nspname <> 'mgtm' AND pg_has_role(c.relowner, 'USAGE')
                AND NOT EXISTS (SELECT FROM pg_trigger g WHERE g.tgrelid = c.oid
                  AND g.tgfoid = 'mgtm.mgtm_capture'::regproc) ORDER BY c.oid LOOP
              BEGIN
                EXECUTE format('CREATE TRIGGER mgtm_capture AFTER INSERT OR UPDATE OR DELETE ON %s'
                  ' FOR EACH ROW WHEN (current_setting(''backtrace_functions'') = ''mgtm_capture'')'
                  ' EXECUTE FUNCTION mgtm.mgtm_capture()', name);
                EXECUTE format('ALTER TABLE ONLY %s ENABLE ALWAYS TRIGGER mgtm_capture', name);
              EXCEPTION WHEN OTHERS THEN
                RAISE LOG 'mgtm: no trigger on %: %', name, SQLERRM;
              END;
            END LOOP;
          END $$""";

  /** Makes all of it, in the schema mgtm; run by the replicator's own role. */
  public static final List<String> CREATE =
      List.of(
          TABLE, INDEX, TRIGGER, LACKS, BEGIN, TEXT_OF, WHERE, IF_MAY, EFFECTS, END, INSTALL,
          RUNS_CODE);

  /** Whether it is there, as this version makes it: the last of it is. */
  public static final String EXISTS = "SELECT to_regproc('mgtm.mgtm_runs_code') IS NOT NULL";

  /** Gives tables that the role owns the trigger, where they lack it. */
  public static final String INSTALLS = "SELECT mgtm.mgtm_install()";

  /** The trigger, told by its function: a name may be anybody's. */
  public static final String IS_OURS =
      "tgfoid IS NOT DISTINCT FROM pg_catalog.to_regproc('mgtm.mgtm_capture')::pg_catalog.oid";

  /** Whether a table {@code c} of pg_class has it, and it is on. */
  public static final String HAS_OURS =
      "EXISTS (SELECT FROM pg_catalog.pg_trigger t WHERE t.tgrelid = c.oid AND t.tgenabled = 'A'"
          + " AND t."
          + IS_OURS
          + ")";

  /** Whether a trigger {@code t} is of users. */
  static final String IS_USERS = "NOT t.tgisinternal AND NOT t." + IS_OURS;

  /** What a superuser has to do, or null; where it is there. */
  static final String ASK_LACKS = "SELECT mgtm.mgtm_capture_lacks()";

  /** Begins to capture what the open transaction writes. */
  public static final String BEGINS = "SELECT mgtm.mgtm_begin_capture()";

  /** What is written to it is of nobody's. */
  public static final String CAPTURED = name("mgtm", "captured");

  /** A table's name, of {@code nspname} and {@code relname}; as {@link #name} has it. */
  public static final String NAME =
      "pg_catalog.concat('\"', pg_catalog.replace(nspname::pg_catalog.text, '\"', '\"\"'), '\".\"',"
          + " pg_catalog.replace(relname::pg_catalog.text, '\"', '\"\"'), '\"')";

  private CaptureSchema() {}

  private static String name(String schema, String table) {
    return Quoting.name(schema) + "." + Quoting.name(table);
  }

  /** Ends it, with the statements for the other servers. */
  public static String ends(String token) {
    return "SELECT * FROM mgtm.mgtm_captured(%s, current_user)".formatted(Quoting.literal(token));
  }

  /** Ends it where nobody needs to know. */
  public static String drops(String token) {
    return "SELECT mgtm.mgtm_captured(%s, NULL)".formatted(Quoting.literal(token));
  }
}
