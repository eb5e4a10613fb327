package io.mgtm.query.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** What tests do with connections. */
final class Sql {
  private Sql() {}

  static void run(Connection in, String... statements) throws SQLException {
    try (Statement statement = in.createStatement()) {
      for (String one : statements) {
        statement.execute(one);
      }
    }
  }

  static CompletableFuture<Void> later(Connection in, String... statements) {
    return CompletableFuture.runAsync(
        () -> {
          try {
            run(in, statements);
          } catch (SQLException e) {
            throw new CompletionException(e);
          }
        });
  }

  /** The one value of the one row. */
  static String text(Connection in, String sql) throws SQLException {
    try (Statement statement = in.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      assertThat(rows.next()).as(sql).isTrue();
      return rows.getString(1);
    }
  }

  /** The same as a number. */
  static long number(Connection in, String sql) throws SQLException {
    return Long.parseLong(text(in, sql));
  }

  static void assertFails(String sqlState, ThrowingCallable what) {
    assertThatThrownBy(what)
        .isInstanceOfSatisfying(
            SQLException.class,
            e -> assertThat(e.getSQLState()).as(e.getMessage()).isEqualTo(sqlState));
  }

  static void fails(Connection in, String sql, String sqlState, String message) {
    assertThatThrownBy(() -> run(in, sql))
        .isInstanceOfSatisfying(
            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo(sqlState))
        .hasMessageContaining(message);
  }
}
