package io.mgtm.bench.query;

import io.mgtm.bench.ha.Acknowledgements;
import io.mgtm.common.HostPort;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/**
 * A client that commits numbered rows, one after the other, and remembers which were acknowledged.
 * It names all replicators; when its connection is lost it connects again.
 */
final class Inserts implements AutoCloseable {
  private static final long BETWEEN_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
  private static final long AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final int WAIT_SECONDS = 120;

  private final String url;
  private final Thread thread = new Thread(this::run, "mgtm-query-inserts");
  private final Acknowledgements rows = new Acknowledgements();
  private volatile boolean closed;
  private volatile Connection connection;

  private Inserts(List<HostPort> replicators) {
    url =
        "jdbc:postgresql://%s/%s?user=%s&hostRecheckSeconds=1&connectTimeout=3&socketTimeout=30"
            .formatted(
                replicators.stream().map(HostPort::toString).collect(Collectors.joining(",")),
                Servers.DATABASE,
                Servers.USER);
  }

  /** Begins, and waits for the first rows. */
  static Inserts start(List<HostPort> replicators) throws IOException, InterruptedException {
    Inserts inserts = new Inserts(replicators);
    inserts.thread.setDaemon(true);
    inserts.thread.start();
    inserts.awaitMore(10);
    return inserts;
  }

  private void run() {
    while (!closed) {
      try (Connection made = DriverManager.getConnection(url);
          Statement statement = made.createStatement()) {
        connection = made;
        while (!closed) {
          int number = rows.take();
          statement.executeUpdate("INSERT INTO numbered VALUES (" + number + ")");
          rows.done(number);
          LockSupport.parkNanos(BETWEEN_NANOS);
        }
      } catch (SQLException e) {
        if (!closed) {
          rows.missed();
        }
        LockSupport.parkNanos(AGAIN_NANOS);
      }
    }
  }

  /** Which were acknowledged, and when. */
  Acknowledgements rows() {
    return rows;
  }

  /** Waits for so many rows more. */
  void awaitMore(int more) throws IOException, InterruptedException {
    rows.awaitMore(more, WAIT_SECONDS);
  }

  /** How many of the acknowledged rows a server does not have. */
  long lost(HostPort server) throws SQLException {
    BitSet wanted = rows.all();
    String direct = "jdbc:postgresql://%s/%s?user=%s";
    try (Connection reader =
            DriverManager.getConnection(direct.formatted(server, Servers.DATABASE, Servers.USER));
        Statement statement = reader.createStatement();
        ResultSet found = statement.executeQuery("SELECT n FROM numbered")) {
      while (found.next()) {
        wanted.clear(found.getInt(1));
      }
    }
    return wanted.cardinality();
  }

  @Override
  public void close() {
    closed = true;
    try {
      if (connection != null) {
        connection.abort(Runnable::run);
      }
      thread.join();
    } catch (SQLException e) {
      throw new IllegalStateException("a connection cannot be ended", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
