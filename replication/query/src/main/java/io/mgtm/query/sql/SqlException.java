package io.mgtm.query.sql;

/** A text that the lexer does not take; PostgreSQL may. Such a statement is of no known class. */
public final class SqlException extends Exception {
  private static final long serialVersionUID = 1L;

  public SqlException(String message) {
    super(message);
  }
}
