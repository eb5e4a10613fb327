package io.mgtm.bench.tpcc;

import io.mgtm.bench.load.LoadErrors;
import java.io.IOException;
import java.sql.SQLException;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;

/**
 * One connection's transactions, one after another, until the time is over. Its thread's alone.
 * What is in the way of another is tried again; what fails otherwise is not, since it may have been
 * committed.
 */
final class Terminal implements Callable<Tally> {
  /** A pause is drawn from up to 128 ms. */
  private static final int PAUSE_BITS_MAX = 7;

  private static final int RECONNECT_PAUSE_MS = 200;
  private static final int ANSWER_S = 5;

  /** A transaction with its input. */
  @FunctionalInterface
  private interface Work {
    /** Does all but the commit; returns whether to commit. */
    boolean run(Session session) throws SQLException;
  }

  /**
   * The time that is counted, by System.nanoTime.
   *
   * @param from where it begins
   * @param end where it ends; no transaction begins after it
   */
  record Window(long from, long end) {
    static Window of(RunSettings settings) {
      long from = System.nanoTime() + settings.warmupMs() * 1_000_000L;
      return new Window(from, from + settings.durationMs() * 1_000_000L);
    }

    boolean counts(long now) {
      return now - from >= 0 && now - end < 0;
    }

    boolean over(long now) {
      return now - end >= 0;
    }
  }

  private final int number;
  private final RunSettings settings;
  private final Database database;
  private final Population population;
  private final Sessions sessions;
  private final Window window;
  private final LoadErrors failures;
  private final Draw draw;
  private final Inputs inputs;
  private final Tally tally = new Tally();

  /** Null while the connection is broken. */
  private Session session;

  /**
   * One that begins when it is called.
   *
   * @param number from 0; it tells which warehouses are its own
   * @param session taken over
   */
  Terminal(
      int number,
      RunSettings settings,
      Database database,
      Population population,
      Sessions sessions,
      Session session,
      Window window,
      LoadErrors failures) {
    this.number = number;
    this.settings = settings;
    this.database = database;
    this.population = population;
    this.sessions = sessions;
    this.session = session;
    this.window = window;
    this.failures = failures;
    draw = new Draw(settings.seed(), number);
    inputs = new Inputs(draw, population);
  }

  @Override
  public Tally call() throws InterruptedException {
    try {
      while (!window.over(System.nanoTime())) {
        if (session == null) {
          reconnect();
        } else {
          TransactionType type = inputs.type();
          transact(type, work(type));
          Thread.sleep(settings.thinkMs());
        }
      }
    } finally {
      drop();
    }
    return tally;
  }

  private Work work(TransactionType type) {
    int warehouse = warehouse();
    return switch (type) {
      case NEW_ORDER -> {
        Inputs.NewOrder input = inputs.newOrder(warehouse);
        yield at -> NewOrder.run(at, input);
      }
      case PAYMENT -> {
        Inputs.Payment input = inputs.payment(warehouse);
        yield at -> Payment.run(at, input);
      }
      case ORDER_STATUS -> {
        Inputs.Customer input = inputs.orderStatus(warehouse);
        yield at -> OrderStatus.run(at, input);
      }
      case DELIVERY -> {
        Inputs.Delivery input = inputs.delivery(warehouse);
        yield at -> Delivery.run(at, input);
      }
      case STOCK_LEVEL -> {
        Inputs.StockLevel input = inputs.stockLevel(warehouse, district());
        yield at -> StockLevel.run(at, input);
      }
    };
  }

  /** Warehouses are dealt out to the connections; where those are more, several have one. */
  private int warehouse() {
    int count = population.warehouses();
    int own = (count - 1 - number % count) / settings.connections();
    return 1 + number % count + settings.connections() * draw.uniform(0, own);
  }

  /** A terminal asks for the stock of one district always (clause 2.8.1.1). */
  private int district() {
    return 1 + number / population.warehouses() % Population.DISTRICTS;
  }

  private void transact(TransactionType type, Work work) throws InterruptedException {
    long begun = System.nanoTime();
    for (int tries = 1; session != null; tries++) {
      try {
        boolean committed = work.run(session);
        if (committed) {
          session.commit();
        } else {
          session.rollback();
        }
        long now = System.nanoTime();
        if (window.counts(now)) {
          tally.ended(type, committed, now - begun);
        }
        return;
      } catch (SQLException e) {
        boolean conflict = database.isConflict(e);
        rollBack(conflict);
        if (!conflict) {
          failures.add(type.title() + ": " + SqlErrors.text(e));
          return;
        }
        if (tries >= settings.triesMax() || session == null) {
          failures.add(
              "%s, given up after %d tries: %s".formatted(type.title(), tries, SqlErrors.text(e)));
          return;
        }
        tally.retried(e.getSQLState());
        Thread.sleep(ThreadLocalRandom.current().nextInt(1 << Math.min(PAUSE_BITS_MAX, tries)));
      }
    }
  }

  /**
   * Leaves no session when the connection is broken.
   *
   * @param healthy whether the server has just answered, if only to refuse
   */
  private void rollBack(boolean healthy) {
    try {
      session.rollback();
      if (!healthy && !session.answers(ANSWER_S)) {
        drop();
      }
    } catch (SQLException e) {
      drop();
    }
  }

  private void drop() {
    if (session == null) {
      return;
    }
    try {
      session.close();
    } catch (SQLException e) {
      // It was broken; the transaction that found out has been counted as failed.
    }
    session = null;
  }

  /** The failures before have been counted; that the server is away is no transaction's. */
  private void reconnect() throws InterruptedException {
    try {
      session = sessions.open();
    } catch (IOException e) {
      Thread.sleep(RECONNECT_PAUSE_MS);
    }
  }
}
