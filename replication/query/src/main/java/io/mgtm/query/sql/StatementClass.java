package io.mgtm.query.sql;

/** What a statement may do, and so where it is to run; docs/query.md has the table. */
public enum StatementClass {
  /** Provably changes nothing. */
  READ("any server; in a transaction that writes, the leader"),
  /** Looks like a read, and may call what writes. */
  UNPROVEN_READ("the leader, read-only"),
  /** Takes locks, listens or notifies: it runs on the leader server alone. */
  LEADER("the leader"),
  /** K: the same text does the same on every server, to rows that its keys name. */
  KEY_LOCAL("the leader, and then the same text at the others"),
  /** R: writes rows of one table, and nothing else. */
  ROWS("the leader, and then its rows at the others"),
  /** R, if it turns out at the leader that it has written rows of one table and nothing else. */
  CHECKED_ROWS("the leader, and then its rows at the others, and those that it has written beside"),
  /** R, of a table whose rows refer to one another: the others write all of them at once. */
  LINKED_ROWS("the leader, and then its rows at the others, all at once"),
  /** C: what it writes is not known before. */
  CAPTURED("the leader, where triggers capture its rows, and then the rows at the others"),
  /** Of temporary tables of its session, and nothing else. */
  TEMPORARY("the leader alone, as temporary tables are there alone"),
  /** Changes what tables there are, or who may what, in the same way everywhere. */
  DDL("the leader, and then the same text at the others"),
  /** Makes a table of a query, which the leader alone runs. */
  CREATE_AS("the leader, and then the table's definition and its rows at the others"),
  /** Makes a trigger that the replicator makes itself, as what a dump of its tables has. */
  OWN("nowhere: the replicator does it by itself"),
  /** VACUUM, ANALYZE: changes nothing that a statement sees; every server does it by itself. */
  MAINTENANCE("the leader, and then the same text at the others, outside of transactions"),
  /** COPY FROM STDIN: the same data make the same rows at every server. */
  COPY_FROM("the leader, and then the same data at the others"),
  /** COPY TO: a read, if of a table or of a query that is one. */
  COPY_TO("any server; in a transaction that writes, the leader"),
  /** BEGIN, COMMIT, savepoints. */
  TRANSACTION("the leader, and the others once it has written"),
  /** EXECUTE of what PREPARE has prepared: it has the class of that, with its values. */
  EXECUTE("as what it executes"),
  /** Settings, prepared statements, cursors: the session's own. */
  SESSION("every server"),
  /** Would make servers differ. */
  REFUSED("nowhere"),
  /** Not understood; treated as the worst. */
  UNKNOWN("nowhere");

  private final String runs;

  StatementClass(String runs) {
    this.runs = runs;
  }

  /** Whether the rows that the leader returns tell what it does. */
  boolean isToldByRows() {
    return switch (this) {
      case KEY_LOCAL, ROWS, CHECKED_ROWS, LINKED_ROWS -> true;
      default -> false;
    };
  }

  /** Whether it may run code of users, which may do anything to the session that it runs in. */
  public boolean mayRunCode() {
    return switch (this) {
      case UNPROVEN_READ, CHECKED_ROWS, CAPTURED, DDL, MAINTENANCE, UNKNOWN -> true;
      default -> false;
    };
  }

  /** It, and why. */
  Classification because(String why) {
    return new Classification(this, why);
  }

  /** Where it runs, for people. */
  public String runs() {
    return runs;
  }
}
