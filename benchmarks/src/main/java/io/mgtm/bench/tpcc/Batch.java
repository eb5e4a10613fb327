package io.mgtm.bench.tpcc;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.stream.Collectors;

/** Inserts rows of one table, many in one message. One thread. */
final class Batch {
  private static final int ROWS_MAX = 500;

  private final PreparedStatement statement;
  private int rows;

  /** Begins one; columns are a list with commas. */
  Batch(Session session, String table, String columns) throws SQLException {
    String values =
        Arrays.stream(columns.split(",", -1)).map(column -> "?").collect(Collectors.joining(", "));
    statement =
        session.prepare("INSERT INTO " + table + " (" + columns + ") VALUES (" + values + ")");
  }

  void add(Object... values) throws SQLException {
    for (int i = 0; i < values.length; i++) {
      statement.setObject(i + 1, values[i]);
    }
    statement.addBatch();
    rows++;
    if (rows == ROWS_MAX) {
      flush();
    }
  }

  /** Sends what has been added; the caller commits. */
  void flush() throws SQLException {
    if (rows > 0) {
      var unused = statement.executeBatch();
      rows = 0;
    }
  }
}
