package io.mgtm.query.member;

import io.mgtm.query.check.Transaction;
import io.mgtm.query.check.Transaction.Append;
import io.mgtm.query.check.Transaction.Isolation;
import io.mgtm.query.check.Transaction.Outcome;
import io.mgtm.query.check.Transaction.Read;
import io.mgtm.query.check.Transaction.Step;
import io.mgtm.query.config.QueryConfig.Reads;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Clients that append to lists and read them, in transactions of all levels and outside of them,
 * some of which they prepare, and note what they were told.
 */
final class ListAppends {
  static final String TABLES = "create table list (id text primary key, of text not null)";

  /** Of class K. */
  private static final String UPDATE = "update list set of = of || ? where id = ?";

  /** Of class R. */
  private static final String INSERT =
      "insert into list as l (of, id) values (?, ?)"
          + " on conflict (id) do update set of = l.of || excluded.of";

  private static final List<Isolation> LEVELS = List.of(Isolation.values());

  private static final int KEYS = 6;

  /** A list is left for a new one then. */
  private static final int LENGTH_MAX = 50;

  private static final int PAUSE_MS = 5;

  private final Cluster cluster;
  private final long seed;
  private final AtomicBoolean over = new AtomicBoolean();
  private final AtomicLong clock = new AtomicLong();
  private final AtomicInteger elements = new AtomicInteger();
  private final AtomicInteger[] lengths = new AtomicInteger[KEYS];
  private final ConcurrentLinkedQueue<Transaction> history = new ConcurrentLinkedQueue<>();
  private final AtomicInteger committed = new AtomicInteger();
  private final ConcurrentLinkedQueue<String> told = new ConcurrentLinkedQueue<>();
  private final TwoPhases phases;
  private final List<CompletableFuture<Void>> clients = new ArrayList<>();

  ListAppends(Cluster cluster, int count, long seed) {
    this.cluster = cluster;
    this.seed = seed;
    this.phases = new TwoPhases(cluster, this::tell);
    Arrays.setAll(lengths, i -> new AtomicInteger());
    for (int i = 0; i < count; i++) {
      int number = i;
      clients.add(CompletableFuture.runAsync(() -> run(number)));
    }
  }

  /** How many transactions were acknowledged. */
  int committed() {
    return committed.get();
  }

  /** What was prepared for clients. */
  TwoPhases phases() {
    return phases;
  }

  List<Transaction> history() {
    return List.copyOf(history);
  }

  /** The errors that clients were told, each with its SQLSTATE. */
  List<String> told() {
    return List.copyOf(told);
  }

  /** Each list that one server has now, asked for directly, and those that it lacks. */
  Map<String, List<Integer>> finals(Postgres server) throws SQLException {
    Map<String, List<Integer>> finals = new TreeMap<>();
    for (Transaction transaction : history) {
      transaction.steps().forEach(step -> finals.put(step.key(), List.of()));
    }
    try (Connection direct = server.direct("app");
        ResultSet rows = direct.createStatement().executeQuery("select id, of from list")) {
      while (rows.next()) {
        finals.put(rows.getString(1), elements(rows.getString(2)));
      }
    }
    return finals;
  }

  private static List<Integer> elements(String list) {
    return Arrays.stream(list.split(" ", -1))
        .filter(one -> !one.isEmpty())
        .map(Integer::valueOf)
        .toList();
  }

  /** Ends the clients; a second call does nothing more. */
  void end() throws Exception {
    over.set(true);
    CompletableFuture.allOf(clients.toArray(CompletableFuture[]::new)).get(180, TimeUnit.SECONDS);
    phases.clear();
  }

  private void run(int client) {
    Random random = new Random(seed * 1_000 + client);
    while (!over.get()) {
      try (Connection connection = cluster.alice()) {
        while (!over.get()) {
          phases.clear();
          new Client(connection, random).run();
          LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(PAUSE_MS));
        }
      } catch (SQLException e) {
        tell(e);
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10 * PAUSE_MS));
      }
    }
  }

  private void tell(SQLException e) {
    told.add(e.getSQLState() + " " + e.getMessage().lines().findFirst().orElse(""));
  }

  /** One transaction. */
  private final class Client {
    private final Connection connection;
    private final Random random;
    private final List<Step> steps = new ArrayList<>();
    private final Isolation isolation;
    private final boolean alone;
    private final boolean readOnly;
    private boolean sentCommit;

    Client(Connection connection, Random random) {
      this.connection = connection;
      this.random = random;
      alone = random.nextInt(3) == 0;
      isolation = alone ? Isolation.READ_COMMITTED : LEVELS.get(random.nextInt(LEVELS.size()));
      readOnly = random.nextInt(3) == 0;
    }

    void run() throws SQLException {
      try {
        begin();
        int count = alone ? 1 : 1 + random.nextInt(4);
        for (int i = 0; i < count; i++) {
          step();
        }
        sentCommit = true;
        boolean rolledBack = false;
        if (!alone && isolation != Isolation.SERIALIZABLE && random.nextInt(3) == 0) {
          rolledBack = random.nextInt(4) == 0;
          phases.end(phases.prepare(connection), rolledBack);
        } else if (!alone) {
          connection.commit();
        }
        end(rolledBack ? Outcome.ABORTED : Outcome.COMMITTED);
        committed.incrementAndGet();
      } catch (SQLException e) {
        tell(e);
        end(outcome(e));
        if (!connection.getAutoCommit()) {
          connection.rollback();
        }
      }
    }

    private void begin() throws SQLException {
      connection.setAutoCommit(true);
      connection.setReadOnly(readOnly && !alone);
      connection.setTransactionIsolation(
          switch (isolation) {
            case READ_COMMITTED -> Connection.TRANSACTION_READ_COMMITTED;
            case REPEATABLE_READ -> Connection.TRANSACTION_REPEATABLE_READ;
            case SERIALIZABLE -> Connection.TRANSACTION_SERIALIZABLE;
          });
      connection.setAutoCommit(alone);
    }

    private void step() throws SQLException {
      int number = random.nextInt(KEYS);
      String key = "k" + number + "-" + lengths[number].get() / LENGTH_MAX;
      if (readOnly || random.nextBoolean()) {
        read(key);
      } else {
        append(key);
        lengths[number].incrementAndGet();
      }
    }

    private void read(String key) throws SQLException {
      long began = clock.incrementAndGet();
      try (PreparedStatement select =
          connection.prepareStatement("select of from list where id = ?")) {
        select.setString(1, key);
        try (ResultSet rows = select.executeQuery()) {
          steps.add(new Read(key, rows.next() ? elements(rows.getString(1)) : List.of(), began));
        }
      }
    }

    private void append(String key) throws SQLException {
      int element = elements.incrementAndGet();
      // Noted before: it may have been done though it is not answered.
      sentCommit = alone;
      steps.add(new Append(key, element, clock.incrementAndGet()));
      if (random.nextBoolean() || execute(UPDATE, key, element) == 0) {
        execute(INSERT, key, element);
      }
    }

    private int execute(String sql, String key, int element) throws SQLException {
      try (PreparedStatement append = connection.prepareStatement(sql)) {
        append.setString(1, " " + element);
        append.setString(2, key);
        return append.executeUpdate();
      }
    }

    /** A broken connection, or a session that was ended, does not tell whether COMMIT was done. */
    private Outcome outcome(SQLException e) {
      String state = String.valueOf(e.getSQLState());
      boolean broken = state.startsWith("08") || state.startsWith("57P");
      return sentCommit && broken ? Outcome.UNKNOWN : Outcome.ABORTED;
    }

    private void end(Outcome outcome) {
      // Reads alone may run at any server, and so may a transaction that is READ ONLY; if these see
      // what the leader shows they are as if they had run there.
      boolean reads = steps.stream().allMatch(step -> step instanceof Read);
      boolean anywhere = (alone || readOnly) && isolation != Isolation.SERIALIZABLE;
      boolean far = reads && anywhere && cluster.reads == Reads.COMMITTED;
      history.add(new Transaction(isolation, far, outcome, clock.incrementAndGet(), steps));
    }
  }
}
