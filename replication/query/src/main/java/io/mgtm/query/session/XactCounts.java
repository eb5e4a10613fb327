package io.mgtm.query.session;

import io.mgtm.query.catalogue.CaptureSchema;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * What a transaction has done so far, as its server counts it: rows written to each table but
 * temporary ones, and to each catalogue, whatever became of them since; and the settings of the
 * session. Immutable.
 *
 * @param settings of PostgreSQL's own, and the role. Those with a point in their names come with
 *     what is loaded, and bind PostgreSQL to nothing
 * @param trackCounts without which none of this is worth anything
 * @param cursors that are open, and since when
 * @param triggers whether a table has one of the replicator's that captures its rows
 */
record XactCounts(
    Map<String, long[]> written,
    Map<String, Boolean> triggers,
    String settings,
    String trackCounts,
    String replicationRole,
    String cursors) {
  /** Two queries: the tables, each with its name, counts and trigger; and the rest. */
  static final String SQL =
      "SELECT "
          + CaptureSchema.NAME
          + ", i, u, d, "
          + CaptureSchema.HAS_OURS
          + " FROM (SELECT oid, relname, relnamespace,"
          + " pg_catalog.pg_stat_get_xact_tuples_inserted(oid),"
          + " pg_catalog.pg_stat_get_xact_tuples_updated(oid),"
          + " pg_catalog.pg_stat_get_xact_tuples_deleted(oid) FROM pg_catalog.pg_class"
          + " WHERE relkind IN ('r', 'm') AND relpersistence <> 't') c (oid, relname, relnamespace, i, u, d)"
          + " JOIN pg_catalog.pg_namespace n ON n.oid = relnamespace"
          + " WHERE i <> 0 OR u <> 0 OR d <> 0;"
          + " SELECT pg_catalog.concat_ws(',', current_user, session_user,"
          + " pg_catalog.current_setting('role'), pg_catalog.md5(pg_catalog.string_agg("
          + "pg_catalog.concat_ws('=', name, setting), ',' ORDER BY name))),"
          + " pg_catalog.current_setting('track_counts'),"
          + " pg_catalog.current_setting('session_replication_role'),"
          + " (SELECT pg_catalog.md5(pg_catalog.string_agg(pg_catalog.concat_ws(',', name, creation_time),"
          + " ';' ORDER BY name)) FROM pg_catalog.pg_cursors)"
          + " FROM pg_catalog.pg_settings WHERE pg_catalog.strpos(name, '.') = 0";

  /** Of the rows that it answers. */
  static XactCounts of(List<List<String>> rows) {
    Map<String, long[]> written = new HashMap<>();
    Map<String, Boolean> triggers = new HashMap<>();
    int last = rows.size() - 1;
    for (List<String> row : rows.subList(0, last)) {
      long[] counts = row.subList(1, 4).stream().mapToLong(Long::parseLong).toArray();
      written.put(row.get(0), counts);
      triggers.put(row.get(0), row.get(4).equals("t"));
    }
    List<String> rest = rows.get(last);
    return new XactCounts(
        written, triggers, rest.get(0), rest.get(1), rest.get(2), String.valueOf(rest.get(3)));
  }

  /** How many rows were written to a table. */
  long writtenTo(String table) {
    return Arrays.stream(written.getOrDefault(table, new long[3])).sum();
  }

  /** The tables that were written to since; what is captured is not looked at. */
  Set<String> since(XactCounts before) {
    Set<String> changed = new TreeSet<>();
    written.forEach(
        (table, counts) -> {
          boolean same = Arrays.equals(counts, before.written.getOrDefault(table, new long[3]));
          if (!same && !table.equals(CaptureSchema.CAPTURED)) {
            changed.add(table);
          }
        });
    return changed;
  }
}
