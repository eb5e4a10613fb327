package io.mgtm.query.catalogue;

import java.util.List;

/**
 * Asks which sequences an open transaction has drawn from, or set, whoever's code did: PostgreSQL
 * keeps the lock that it takes for that until the transaction ends, also where a savepoint was
 * rolled back (lock_and_open_sequence of sequence.c).
 */
public final class DrawnSequences {
  /** Null where {@code pg_sequence_parameters} and its like would fail. */
  private static final String READABLE =
      "CASE WHEN i.type OPERATOR(pg_catalog.=) 'sequence' AND"
          + " pg_catalog.has_sequence_privilege(l.relation, 'SELECT, USAGE') THEN l.relation END";

  private static final int LAST_COLUMN = 2;
  private static final int INCREMENT_COLUMN = 3;

  private DrawnSequences() {}

  /**
   * Its rows are those of {@link io.mgtm.query.fleet.SequenceBounds.Drawn#of}, without last value,
   * increment, minimum and maximum where the role may not read the sequence. By functions that see
   * what is there now: an older snapshot has not what was made since. Temporary ones are at the
   * leader alone. Short, as most of its time goes into its plan.
   *
   * @param pid of the transaction's backend, as an expression
   * @param more further columns, of the sequence l.relation
   */
  public static String sql(String pid, String more) {
    return "SELECT i.identity,"
        + " pg_catalog.concat(l.relation, '.', pg_catalog.pg_relation_filenode(l.relation)),"
        + " pg_catalog.pg_sequence_last_value("
        + READABLE
        + "), p.increment, p.minimum_value, p.maximum_value"
        + more
        + " FROM pg_catalog.pg_lock_status() l,"
        + " pg_catalog.pg_identify_object('pg_catalog.pg_class'::pg_catalog.regclass,"
        // Null where the transaction has dropped it.
        + " CASE WHEN pg_catalog.pg_relation_filenode(l.relation) IS NOT NULL THEN l.relation END,"
        + " 0) i, pg_catalog.pg_sequence_parameters("
        + READABLE
        + ") p WHERE l.pid OPERATOR(pg_catalog.=) "
        + pid
        + " AND l.locktype OPERATOR(pg_catalog.=) 'relation'"
        + " AND l.mode OPERATOR(pg_catalog.=) 'RowExclusiveLock'"
        + " AND i.type OPERATOR(pg_catalog.=) 'sequence'"
        + " AND NOT pg_catalog.starts_with(i.identity, 'pg_temp.')";
  }

  /** Whether the role that asked may read the sequence of a row. */
  public static boolean isReadable(List<String> row) {
    return row.get(INCREMENT_COLUMN) != null;
  }

  /** Whether the sequence of a row that is readable gives another value next than its first. */
  public static boolean isUsed(List<String> row) {
    return row.get(LAST_COLUMN) != null;
  }
}
