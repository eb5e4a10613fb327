package io.mgtm.bench.tpcc;

import java.io.IOException;
import java.sql.SQLException;

/** What a database said, for people. */
final class SqlErrors {
  private SqlErrors() {}

  /** Its message in one line, with the SQLSTATE; of a batch, that of the row. */
  static String text(SQLException e) {
    SQLException cause = e.getNextException() == null ? e : e.getNextException();
    String message = String.valueOf(cause.getMessage()).replaceAll("\\s*\\R\\s*", "; ");
    return message + " (SQLSTATE " + cause.getSQLState() + ")";
  }

  static IOException sentence(String what, SQLException e) {
    return new IOException(what + ": " + text(e), e);
  }
}
