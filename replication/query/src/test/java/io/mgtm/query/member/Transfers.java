package io.mgtm.query.member;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Clients that move money between accounts, each move noted in a row of its own, and that begin
 * again where they are told to. What was acknowledged is counted.
 */
final class Transfers {
  static final String TABLES =
      "create table account (id int primary key, balance bigint not null);"
          + "insert into account select n, 1000 from generate_series(1, 20) n;"
          + "create table move (id bigserial primary key, client int, number int,"
          + " at timestamptz default clock_timestamp(), unique (client, number))";

  /** Moves money, and notes that under the client's number. */
  interface Move {
    void of(Connection connection, int client, int number) throws SQLException;
  }

  private static final int PAUSE_MS = 200;

  private final Cluster cluster;
  private final Move move;
  private final AtomicBoolean over = new AtomicBoolean();
  private final AtomicLong done = new AtomicLong();
  private long lastNanos = System.nanoTime();
  private final List<Long> pausesMs = new ArrayList<>();
  private final List<AtomicInteger> acknowledged = new ArrayList<>();
  private final List<String> told = new ArrayList<>();
  private final List<CompletableFuture<Void>> clients = new ArrayList<>();

  Transfers(Cluster cluster, int count) {
    this(cluster, count, Transfers::move);
  }

  /** Clients that move by other statements. */
  Transfers(Cluster cluster, int count, Move move) {
    this.cluster = cluster;
    this.move = move;
    for (int i = 0; i < count; i++) {
      int number = i;
      acknowledged.add(new AtomicInteger());
      clients.add(CompletableFuture.runAsync(() -> run(number)));
    }
  }

  long done() {
    return done.get();
  }

  /** The highest number of each client that was acknowledged. */
  List<Integer> acknowledged() {
    return acknowledged.stream().map(AtomicInteger::get).toList();
  }

  /** The errors that clients were told, as SQLSTATEs. */
  List<String> told() {
    synchronized (told) {
      return List.copyOf(told);
    }
  }

  private void run(int client) {
    int number = 1;
    while (!over.get()) {
      try (Connection connection = cluster.alice()) {
        while (!over.get()) {
          try {
            connection.setAutoCommit(number % 2 == 0);
            move.of(connection, client, number);
            acknowledged.get(client).set(number);
            moved();
            number++;
            // As fast as they can, they would take both processors for as long as a test lasts.
            pause(20);
          } catch (SQLException e) {
            tell(e);
            if (e.getSQLState().equals("23505")) {
              // It was committed before it could be acknowledged.
              number++;
            }
            if (!connection.getAutoCommit()) {
              connection.rollback();
            }
          }
        }
      } catch (SQLException e) {
        tell(e);
        // As a pool does it: nobody may be there for a while.
        pause(50);
      }
    }
  }

  private static void pause(int ms) {
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(ms));
  }

  private synchronized void moved() {
    long now = System.nanoTime();
    long pause = TimeUnit.NANOSECONDS.toMillis(now - lastNanos);
    if (pause > PAUSE_MS) {
      pausesMs.add(pause);
    }
    lastNanos = now;
    done.incrementAndGet();
  }

  /** How long no move of any client was acknowledged, where that was long. */
  synchronized List<Long> pausesMs() {
    return List.copyOf(pausesMs);
  }

  private void tell(SQLException e) {
    synchronized (told) {
      told.add(e.getSQLState() + " " + e.getMessage().lines().findFirst().orElse(""));
    }
  }

  /** By statements of the classes K and R. */
  static void move(Connection connection, int client, int number) throws SQLException {
    int from = ThreadLocalRandom.current().nextInt(1, 20);
    if (!connection.getAutoCommit()) {
      int to = ThreadLocalRandom.current().nextInt(from + 1, 21);
      update(connection, "update account set balance = balance - 1 where id = ?", from);
      // Of class R, as abs is called.
      update(connection, "update account a set balance = abs(a.balance + 1) where id = ?", to);
    }
    try (PreparedStatement insert =
        connection.prepareStatement("insert into move (client, number) values (?, ?)")) {
      insert.setInt(1, client);
      insert.setInt(2, number);
      insert.executeUpdate();
    }
    if (!connection.getAutoCommit()) {
      connection.commit();
    }
  }

  private static void update(Connection connection, String sql, int id) throws SQLException {
    try (PreparedStatement update = connection.prepareStatement(sql)) {
      update.setInt(1, id);
      update.executeUpdate();
    }
  }

  /** Ends the clients; a second call does nothing more. */
  void end() throws Exception {
    over.set(true);
    CompletableFuture.allOf(clients.toArray(CompletableFuture[]::new)).get(180, TimeUnit.SECONDS);
  }
}
