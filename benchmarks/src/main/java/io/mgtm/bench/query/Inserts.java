package io.mgtm.bench.query;

import io.mgtm.common.HostPort;
import io.mgtm.local.Wait;
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
  private final BitSet acknowledged = new BitSet();
  private volatile boolean closed;
  private volatile Connection connection;

  // All below are read and written under this object's lock.
  private int next;
  private long count;
  private long failed;
  private long lastNanos;
  private long longestNanos;

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
          int number = take();
          statement.executeUpdate("INSERT INTO numbered VALUES (" + number + ")");
          ended(number);
          LockSupport.parkNanos(BETWEEN_NANOS);
        }
      } catch (SQLException e) {
        missed();
        LockSupport.parkNanos(AGAIN_NANOS);
      }
    }
  }

  private synchronized int take() {
    return next++;
  }

  private synchronized void ended(int number) {
    long now = System.nanoTime();
    acknowledged.set(number);
    count++;
    longestNanos = Math.max(longestNanos, now - lastNanos);
    lastNanos = now;
  }

  private synchronized void missed() {
    failed += closed ? 0 : 1;
  }

  /** Forgets the longest wait, and what failed, so far. */
  synchronized void mark() {
    lastNanos = System.nanoTime();
    longestNanos = 0;
    failed = 0;
  }

  /** The longest time without an acknowledged row since the mark. */
  synchronized double longestMs() {
    return longestNanos / 1e6;
  }

  /** Statements and logins that failed since the mark. */
  synchronized long failed() {
    return failed;
  }

  private synchronized long count() {
    return count;
  }

  /** Waits for so many rows more. */
  void awaitMore(int more) throws IOException, InterruptedException {
    long from = count();
    Wait.until(more + " more rows are committed", WAIT_SECONDS, () -> count() >= from + more);
  }

  /** How many of the acknowledged rows a server does not have. */
  long lost(HostPort server) throws SQLException {
    BitSet wanted;
    synchronized (this) {
      wanted = (BitSet) acknowledged.clone();
    }
    String direct = "jdbc:postgresql://%s/%s?user=%s";
    try (Connection reader =
            DriverManager.getConnection(direct.formatted(server, Servers.DATABASE, Servers.USER));
        Statement statement = reader.createStatement();
        ResultSet rows = statement.executeQuery("SELECT n FROM numbered")) {
      while (rows.next()) {
        wanted.clear(rows.getInt(1));
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
