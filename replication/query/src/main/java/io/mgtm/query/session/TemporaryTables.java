package io.mgtm.query.session;

import io.mgtm.query.connection.Answer;
import io.mgtm.query.fleet.Node;
import io.mgtm.query.sql.Statement;
import io.mgtm.query.sql.Temporaries;
import io.mgtm.query.wire.ErrorFields;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The temporary relations of a session, as the leader server tells them. Belongs to the session.
 *
 * <p>What always holds: a statement runs only by what was read, at the server that it runs at,
 * after the last statement that may have changed what names of temporary relations mean: those that
 * make, alter and drop them, settings, and whatever ends a transaction or goes back in it.
 * Functions cannot change it, as what changes the schema in them is undone. What servers have
 * prepared before is prepared again then. A session whose relations outlive its transaction ends
 * with their server.
 */
final class TemporaryTables {
  private static final String OF_SESSION =
      " FROM pg_catalog.pg_class c WHERE c.relnamespace = pg_catalog.pg_my_temp_schema()";

  private static final String TYPE = "type";

  /** Types are named too, those of rows and arrays of a table by names of their own. */
  private static final String TYPES =
      " FROM pg_catalog.pg_type t WHERE t.typnamespace = pg_catalog.pg_my_temp_schema()";

  /** A query of what there is, to be compared. */
  static final String OIDS =
      "SELECT pg_catalog.string_agg(x.oid::pg_catalog.text, ',' ORDER BY x.oid) FROM (SELECT c.oid"
          + OF_SESSION
          + " UNION ALL SELECT t.oid"
          + TYPES
          + " UNION ALL SELECT p.oid FROM pg_catalog.pg_proc p"
          + " WHERE p.pronamespace = pg_catalog.pg_my_temp_schema()"
          + ") x";

  /** Whether a default, check or index of it runs a function of users. */
  private static final String RUNS_CODE =
      "EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.refclassid IN"
          + " ('pg_catalog.pg_proc'::pg_catalog.regclass,"
          + " 'pg_catalog.pg_operator'::pg_catalog.regclass) AND (d.objid IN"
          + " (SELECT e.oid FROM pg_catalog.pg_attrdef e WHERE e.adrelid = c.oid) OR d.objid IN"
          + " (SELECT k.oid FROM pg_catalog.pg_constraint k WHERE k.conrelid = c.oid) OR d.objid IN"
          + " (SELECT i.indexrelid FROM pg_catalog.pg_index i WHERE i.indrelid = c.oid)))";

  /** How often they were written to; another value each time where that is not counted. */
  static final String WRITTEN =
      "SELECT CASE WHEN pg_catalog.current_setting('track_counts') = 'on' THEN"
          + " pg_catalog.sum(pg_catalog.pg_stat_get_xact_tuples_inserted(c.oid)"
          + " + pg_catalog.pg_stat_get_xact_tuples_updated(c.oid)"
          + " + pg_catalog.pg_stat_get_xact_tuples_deleted(c.oid))::pg_catalog.text"
          + " ELSE pg_catalog.clock_timestamp()::pg_catalog.text END"
          + OF_SESSION;

  /** Whether their schema is where names are looked for first, or after PostgreSQL's own. */
  private static final String FIRST =
      "(SELECT pg_catalog.min(at) FROM pg_catalog.unnest(pg_catalog.current_schemas(true)) WITH"
          + " ORDINALITY s(name, at) WHERE name <> 'pg_catalog') = (SELECT at FROM"
          + " pg_catalog.unnest(pg_catalog.current_schemas(true)) WITH ORDINALITY s(name, at)"
          + " WHERE name ="
          + " pg_catalog.pg_my_temp_schema()::pg_catalog.regnamespace::pg_catalog.text)";

  /** Each with its number, what it is, and whether its name alone means it. */
  private static final String READ =
      "SELECT c.oid, c.relname, c.relkind::pg_catalog.text, coalesce("
          + FIRST
          + ", false), EXISTS (SELECT FROM pg_catalog.pg_constraint k WHERE k.conrelid = c.oid AND k.contype"
          + " = 'f'), c.relhasrules OR EXISTS (SELECT FROM pg_catalog.pg_trigger t WHERE t.tgrelid"
          + " = c.oid AND NOT t.tgisinternal) OR "
          + RUNS_CODE
          + OF_SESSION
          + " UNION ALL SELECT t.oid, t.typname, '"
          + TYPE
          + "', coalesce("
          + FIRST
          + ", false), false, false"
          + TYPES
          + " ORDER BY 1";

  private final ReplicatedSession session;
  private Temporaries all = Temporaries.NONE;
  private String oids = "";

  /** Whether they may be others now. */
  private boolean unread;

  /** Whether they were changed since the last transaction ended: going back may bring some back. */
  private boolean touched;

  /** Whether a table was made that COMMIT empties, since there was none. */
  private boolean emptied;

  /** Where they are that outlive a transaction; or null. */
  private Node keeper;

  TemporaryTables(ReplicatedSession session) {
    this.session = session;
  }

  boolean areNone() {
    return all.areNone();
  }

  Temporaries all() {
    return all;
  }

  /** Whether there are, or may be. */
  boolean maySome() {
    return touched || keeper != null || !all.areNone();
  }

  /** Whether a server has, or had, what no other has of the session. */
  boolean areAt(Node node) {
    return keeper == node;
  }

  /** Where they were that what runs at another server may mean; or null. */
  Node lostBy(Backend runsAt) {
    return keeper != null && runsAt != null && runsAt.node() != keeper ? keeper : null;
  }

  /** A statement is about to change them. */
  void change(Statement by) {
    unread = true;
    touched = true;
    emptied |= by.has("delete") && by.has("rows");
    if (session.set().home() == null) {
      keeper = session.set().chosen().node();
    }
  }

  /** Something has happened by which they may be others, if there are any. */
  void mayDiffer() {
    unread |= maySome();
  }

  /** The open transaction is about to be committed. */
  void commit() {
    if (maySome()) {
      keeper = session.set().home().node();
    }
  }

  /** Whether they were read since they changed; in a failed transaction nothing is run. */
  boolean areKnown() {
    return !unread || session.set().status() == 'E';
  }

  /** What is told when they were read. */
  interface Done {
    /**
     * They were read, unless there is an error.
     *
     * @param changed whether names may mean something else than before
     */
    void read(boolean changed, ErrorFields error);
  }

  /** Reads them. */
  void read(Backend at, Done done, Runnable lost) {
    session.runsAt(null);
    at.hold(true);
    at.ask(
        READ,
        Answer.rows(
            session.planner().charset(),
            (rows, error) -> {
              if (!session.isEnded()) {
                done.read(error == null && take(at, rows), error);
              }
            },
            lost));
  }

  private boolean take(Backend at, List<List<String>> rows) {
    unread = false;
    emptied &= !rows.isEmpty();
    Temporaries before = all;
    String oidsBefore = oids;
    all = rows.isEmpty() ? Temporaries.NONE : temporaries(rows);
    oids = rows.stream().map(row -> row.get(0)).collect(Collectors.joining(","));
    if (session.set().home() == null) {
      touched = false;
      keeper = rows.isEmpty() ? null : at.node();
    }
    boolean differ = !all.equals(before) || !oids.equals(oidsBefore);
    if (differ) {
      at.prepared().replaceAll((name, statement) -> Prepared.NOT_KNOWN);
    }
    return differ;
  }

  private Temporaries temporaries(List<List<String>> rows) {
    boolean code = rows.stream().anyMatch(row -> !isView(row) && row.get(5).equals("t"));
    Map<String, Temporaries.Relation> relations = new HashMap<>();
    for (List<String> row : rows) {
      if (row.get(2).equals(TYPE)) {
        relations.putIfAbsent(row.get(1), new Temporaries.Relation(false, false, false));
        continue;
      }
      boolean table = row.get(2).equals("r") || row.get(2).equals("p");
      relations.put(
          row.get(1),
          new Temporaries.Relation(table && !code, isView(row), row.get(4).equals("t")));
    }
    return new Temporaries(relations, rows.get(0).get(3).equals("t"), emptied);
  }

  private static boolean isView(List<String> row) {
    return row.get(2).equals("v");
  }

  /** Whether they are the same as when they were read. */
  boolean are(String now) {
    return oids.equals(now == null ? "" : now);
  }
}
