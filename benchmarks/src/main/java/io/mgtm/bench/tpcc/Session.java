package io.mgtm.bench.tpcc;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A connection with its prepared statements; what it does belongs to one transaction until that is
 * committed or rolled back. One thread. All throw what the driver throws.
 */
final class Session implements AutoCloseable {
  /** Of a transaction that is in the way of another, as the drivers have it. */
  static final String CONFLICT = "40001";

  private static final String NO_DATA = "02000";

  /** Reads one row. */
  @FunctionalInterface
  interface Reader<T> {
    T read(ResultSet row) throws SQLException;
  }

  private final Connection connection;
  private final Map<String, PreparedStatement> statements = new HashMap<>();

  /** Takes the connection over. */
  Session(Connection connection, int isolation) throws SQLException {
    this.connection = connection;
    connection.setAutoCommit(false);
    connection.setTransactionIsolation(isolation);
  }

  /** A statement that is kept. */
  PreparedStatement prepare(String sql) throws SQLException {
    PreparedStatement statement = statements.get(sql);
    if (statement == null) {
      statement = connection.prepareStatement(sql);
      statements.put(sql, statement);
    }
    return statement;
  }

  private PreparedStatement with(String sql, Object... values) throws SQLException {
    PreparedStatement statement = prepare(sql);
    for (int i = 0; i < values.length; i++) {
      statement.setObject(i + 1, values[i]);
    }
    return statement;
  }

  /** How many rows a statement changed. */
  int change(String sql, Object... values) throws SQLException {
    return with(sql, values).executeUpdate();
  }

  /** Changes the one row that must be there. */
  void changeOne(String sql, Object... values) throws SQLException {
    int changed = change(sql, values);
    if (changed != 1) {
      throw new SQLException(changed + " rows instead of one: " + sql, NO_DATA);
    }
  }

  <T> List<T> rows(String sql, Reader<T> reader, Object... values) throws SQLException {
    try (ResultSet result = with(sql, values).executeQuery()) {
      List<T> rows = new ArrayList<>();
      while (result.next()) {
        rows.add(reader.read(result));
      }
      return rows;
    }
  }

  /** The one row that must be there. */
  <T> T one(String sql, Reader<T> reader, Object... values) throws SQLException {
    List<T> rows = rows(sql, reader, values);
    if (rows.size() != 1) {
      throw new SQLException(rows.size() + " rows instead of one: " + sql, NO_DATA);
    }
    return rows.get(0);
  }

  /** Runs statements of which nothing is expected. */
  void execute(List<String> all) throws SQLException {
    for (String sql : all) {
      try (var statement = connection.createStatement()) {
        var unused = statement.execute(sql);
      }
    }
  }

  /**
   * The names of a table's columns; none when there is no such table. It is looked for in the
   * schema that is searched first, where names without a schema are made and found.
   */
  Set<String> columns(String table) throws SQLException {
    DatabaseMetaData about = connection.getMetaData();
    String pattern = table.replace("_", about.getSearchStringEscape() + "_");
    try (ResultSet found =
        about.getColumns(connection.getCatalog(), connection.getSchema(), pattern, null)) {
      Set<String> columns = new HashSet<>();
      while (found.next()) {
        columns.add(found.getString("COLUMN_NAME"));
      }
      return columns;
    }
  }

  void commit() throws SQLException {
    connection.commit();
  }

  void rollback() throws SQLException {
    connection.rollback();
  }

  /** Whether the server still answers on it. */
  boolean answers(int seconds) {
    try {
      return connection.isValid(seconds);
    } catch (SQLException e) {
      return false;
    }
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
