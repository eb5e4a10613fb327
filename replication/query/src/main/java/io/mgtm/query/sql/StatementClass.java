package io.mgtm.query.sql;

/** What a statement may do, and so where it is to run; docs/query.md has the table. */
public enum StatementClass {
  /** Provably changes nothing. */
  READ,
  /** Looks like a read, and may call what writes. */
  UNPROVEN_READ,
  /** Takes locks, listens or notifies: it runs on the leader server alone. */
  LEADER,
  /** K: the same text does the same on every server, to rows that its keys name. */
  KEY_LOCAL,
  /** R: writes rows of one table, and nothing else. */
  ROWS,
  /** C: what it writes is not known before. */
  CAPTURED,
  /** Changes what tables there are, or who may what. */
  DDL,
  COPY_FROM,
  /** COPY TO: a read, if of a table or of a query that is one. */
  COPY_TO,
  /** BEGIN, COMMIT, savepoints. */
  TRANSACTION,
  /** Settings, prepared statements, cursors: the session's own. */
  SESSION,
  /** Would make servers differ. */
  REFUSED,
  /** Not understood; treated as the worst. */
  UNKNOWN
}
