package io.mgtm.query.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.mgtm.testing.Await;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.postgresql.jdbc.PgConnection;

/** Threads that share fewer sessions of a HikariCP pool, over pgjdbc. */
final class HikariWork implements AutoCloseable {
  private static final int SESSIONS = 3;
  private static final int THREADS = 6;
  private static final int ROUNDS = 8;
  private static final int BATCH = 5;
  static final int KEPT = THREADS * ROUNDS * BATCH;
  static final int MADE = THREADS * ROUNDS;

  /** For how long a session is not asked whether it lives, in ms. */
  private static final String UNASKED = "com.zaxxer.hikari.aliveBypassWindowMs";

  private static final String INSERT = "insert into kept (client, id) values ('hikari', ?)";

  private final Cluster cluster;
  private final HikariDataSource pool;

  HikariWork(Cluster cluster) {
    this.cluster = cluster;
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl("jdbc:postgresql://" + cluster.address() + "/app?prepareThreshold=2");
    config.setUsername("alice");
    config.setPassword(Postgres.PASSWORD);
    config.setMaximumPoolSize(SESSIONS);
    config.setConnectionTimeout(180_000);
    String before = System.getProperty(UNASKED);
    System.setProperty(UNASKED, "0");
    try {
      pool = new HikariDataSource(config);
    } finally {
      if (before == null) {
        System.clearProperty(UNASKED);
      } else {
        System.setProperty(UNASKED, before);
      }
    }
  }

  void writeByThreads() throws Exception {
    ExecutorService executor = Executors.newFixedThreadPool(THREADS);
    try {
      List<Callable<Void>> all = new ArrayList<>();
      for (int t = 0; t < THREADS; t++) {
        int first = t * 1_000;
        all.add(
            () -> {
              for (int i = 0; i < ROUNDS; i++) {
                write(first + i * 10);
                readOnly(first + i * 10);
                leaveOpen(first + i * 10 + BATCH);
              }
              return null;
            });
      }
      for (Future<Void> one : executor.invokeAll(all, 180, TimeUnit.SECONDS)) {
        one.get();
      }
    } finally {
      executor.shutdownNow();
    }
  }

  /** One that is as new, whatever the thread before has left. */
  private Connection session() throws SQLException {
    Connection session = pool.getConnection();
    assertThat(session.getAutoCommit()).isTrue();
    assertThat(session.isReadOnly()).isFalse();
    assertThat(session.getTransactionIsolation()).isEqualTo(Connection.TRANSACTION_READ_COMMITTED);
    try (ResultSet rows =
        session.createStatement().executeQuery("show default_transaction_isolation")) {
      rows.next();
      assertThat(rows.getString(1)).isEqualTo("read committed");
    }
    return session;
  }

  private void write(int first) throws SQLException {
    try (Connection session = session();
        PreparedStatement insert = session.prepareStatement(INSERT);
        PreparedStatement update =
            session.prepareStatement(
                "update kept set n = n + ? where client = 'hikari' and id = ?");
        PreparedStatement make =
            session.prepareStatement(
                "insert into made (client, name, tags) values ('hikari', ?, ?)",
                Statement.RETURN_GENERATED_KEYS)) {
      session.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      session.setAutoCommit(false);
      for (int i = 0; i < BATCH; i++) {
        insert.setInt(1, first + i);
        insert.addBatch();
      }
      assertThat(insert.executeBatch()).hasSize(BATCH).containsOnly(1);
      Savepoint before = session.setSavepoint();
      insert.setInt(1, first);
      assertFails(insert::executeUpdate, "23505");
      assertFails(() -> session.createStatement().execute("select 1"), "25P02");
      session.rollback(before);
      update.setInt(1, 7);
      update.setInt(2, first);
      assertThat(update.executeUpdate()).isEqualTo(1);
      make.setString(1, "row " + first);
      make.setArray(2, session.createArrayOf("text", new String[] {"a", "'b"}));
      assertThat(make.executeUpdate()).isEqualTo(1);
      try (ResultSet keys = make.getGeneratedKeys()) {
        assertThat(keys.next()).isTrue();
        assertThat(keys.getInt("id")).isPositive();
      }
      session.commit();
    }
  }

  private void readOnly(int first) throws SQLException {
    try (Connection session = session();
        PreparedStatement select =
            session.prepareStatement(
                "select sum(n) from kept where client = 'hikari' and id between ? and ?")) {
      session.setReadOnly(true);
      session.setAutoCommit(false);
      select.setInt(1, first);
      select.setInt(2, first + BATCH);
      try (ResultSet rows = select.executeQuery()) {
        rows.next();
        assertThat(rows.getInt(1)).isEqualTo(7);
      }
      assertFails(
          () -> session.createStatement().executeUpdate("delete from kept where id = " + first),
          "25006");
    }
  }

  /** The pool rolls back what is open when it gets the session. */
  private void leaveOpen(int id) throws SQLException {
    try (Connection session = session();
        PreparedStatement insert = session.prepareStatement(INSERT)) {
      session.setAutoCommit(false);
      insert.setInt(1, id);
      assertThat(insert.executeUpdate()).isEqualTo(1);
    }
  }

  private static void assertFails(Callable<?> statement, String state) {
    assertThatThrownBy(statement::call)
        .isInstanceOfSatisfying(
            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo(state));
  }

  /** Sessions that have ended are found by validation, and made again. */
  void outliveItsSessions() throws Exception {
    List<PgConnection> before = enterAllServers();
    cluster
        .servers
        .get(1)
        .sql(
            "app",
            "select pg_terminate_backend(pid, 60000) from pg_stat_activity where usename = 'alice'");
    // The server's backends are gone before the replicator has heard of it.
    for (PgConnection session : before) {
      Await.until("it has ended", () -> !session.isValid(180));
    }
    for (int i = 0; i < 2 * SESSIONS; i++) {
      write(100_000 + i * 10);
    }
  }

  /** The sessions of the pool, each of which has written to all servers. */
  private List<PgConnection> enterAllServers() throws SQLException {
    List<Connection> all = new ArrayList<>();
    List<PgConnection> sessions = new ArrayList<>();
    for (int i = 0; i < SESSIONS; i++) {
      all.add(session());
      sessions.add(all.get(i).unwrap(PgConnection.class));
      try (PreparedStatement insert = all.get(i).prepareStatement(INSERT)) {
        insert.setInt(1, 200_000 + i);
        insert.executeUpdate();
      }
    }
    for (Connection one : all) {
      one.close();
    }
    return sessions;
  }

  @Override
  public void close() {
    pool.close();
  }
}
