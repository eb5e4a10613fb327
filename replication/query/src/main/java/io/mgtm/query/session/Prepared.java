package io.mgtm.query.session;

import io.mgtm.query.sql.Refusal;
import io.mgtm.query.sql.RowWrite;
import io.mgtm.query.sql.Statement;
import io.mgtm.query.sql.StatementClass;
import java.util.Arrays;
import java.util.Set;

/**
 * A statement as its client prepared it; or one of the replicator's own. Immutable, but for what
 * the client was told of it.
 */
final class Prepared {
  /**
   * Types of parameters that class K takes: none given, or those whose constants are read in the
   * same way everywhere; as numbers of pg_type.
   */
  private static final Set<Integer> EXACT_TYPES =
      Set.of(0, 16, 17, 20, 21, 23, 25, 705, 1042, 1043, 1700, 2950);

  /** One that a server may or may not know: it is closed and prepared again before its next use. */
  static final Prepared NOT_KNOWN = effect("", "");

  /** With it names of the replicator's own begin. */
  static final String OWN = "mgtm ";

  private final String name;
  private final String sql;
  private final int[] types;
  private final Statement statement;
  private final Refusal refusal;
  private final Prepared others;
  private final ToldColumns columns;

  /**
   * A statement.
   *
   * @param statement null when the text is empty
   * @param refusal null when it may run
   */
  Prepared(String name, String sql, int[] types, Statement statement, Refusal refusal) {
    this(name, sql, types, statement, refusal, new ToldColumns());
  }

  private Prepared(
      String name,
      String sql,
      int[] types,
      Statement statement,
      Refusal refusal,
      ToldColumns columns) {
    this.name = name;
    this.sql = sql;
    this.types = types.clone();
    this.statement = statement;
    this.refusal = refusal;
    this.columns = columns;
    this.others =
        isKeyLocal() && isWrite()
            ? new Prepared(name, statement.write().othersSql(), types, null, null)
            : this;
  }

  /** The same, which the client has prepared as another, classified otherwise. */
  Prepared inPlaceOf(Prepared old) {
    return new Prepared(name, sql, types, statement, refusal, old.columns);
  }

  /** One that writes a row. */
  static Prepared effect(String name, String sql) {
    return new Prepared(name, sql, new int[0], null, null);
  }

  String name() {
    return name;
  }

  /** As the client wrote it. */
  String sql() {
    return sql;
  }

  /** For the other servers: of class K with its table's schema, so that no other can be meant. */
  Prepared others() {
    return others;
  }

  int[] types() {
    return types.clone();
  }

  Statement statement() {
    return statement;
  }

  ToldColumns columns() {
    return columns;
  }

  Refusal refusal() {
    return refusal;
  }

  /** Of a text that is empty: a read. */
  StatementClass statementClass() {
    return statement == null ? StatementClass.READ : statement.statementClass();
  }

  boolean isKeyLocal() {
    return statementClass() == StatementClass.KEY_LOCAL
        && Arrays.stream(types).allMatch(EXACT_TYPES::contains);
  }

  /** What its rows are learnt by, or null when it needs none. */
  RowWrite rows() {
    return statement == null || isKeyLocal() ? null : statement.write();
  }

  boolean isWrite() {
    return statement != null && statement.write() != null;
  }

  /** Whether it calls nextval or setval. */
  boolean draws() {
    return statement != null && statement.draws();
  }

  /** Whether it declares a cursor that outlives its transaction. */
  boolean holdsCursor() {
    return statement != null && statement.holdsCursor();
  }

  /** Whether it changes temporary tables, and nothing else. */
  boolean isTemporary() {
    return statementClass() == StatementClass.TEMPORARY;
  }

  /** The text that servers are given. */
  String text() {
    return rows() == null ? sql : rows().leaderSql();
  }
}
