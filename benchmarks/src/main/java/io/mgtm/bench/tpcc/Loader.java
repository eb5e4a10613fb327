package io.mgtm.bench.tpcc;

import io.mgtm.bench.tpcc.Database.Distribution;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.sql.SQLException;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Fills a database, warehouses side by side. One thread; it waits for its own. */
final class Loader {
  /**
   * What to load.
   *
   * @param connections how many warehouses are filled at a time
   * @param replace whether an earlier load is dropped
   */
  record Settings(
      Database database,
      Distribution distribution,
      Population population,
      long seed,
      int connections,
      boolean replace) {}

  private final Sessions sessions;
  private final Settings settings;
  private final Progress progress;
  private final LocalDateTime now = LocalDateTime.now(ZoneOffset.UTC).withNano(0);

  Loader(Sessions sessions, Settings settings, Progress progress) {
    this.sessions = sessions;
    this.settings = settings;
    this.progress = progress;
  }

  /**
   * Loads.
   *
   * @throws IOException when there are tables already, or something fails; what is there then can
   *     only be replaced
   */
  void load() throws IOException, InterruptedException {
    try (Session session = sessions.open()) {
      Loaded.begin(
          session,
          settings.database(),
          settings.distribution(),
          settings.population(),
          settings.seed(),
          settings.replace());
      fill();
      session.execute(Schema.finish(settings.database()));
      session.commit();
      Loaded.end(session);
    } catch (SQLException e) {
      throw SqlErrors.sentence("the load failed", e);
    }
  }

  /** Items count as warehouse 0. */
  private void fill() throws IOException, InterruptedException {
    ExecutorService threads = Executors.newFixedThreadPool(settings.connections());
    try {
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i <= settings.population().warehouses(); i++) {
        int warehouse = i;
        all.add(
            threads.submit(
                () -> {
                  fill(warehouse);
                  return null;
                }));
      }
      for (Future<?> one : all) {
        one.get();
      }
    } catch (ExecutionException e) {
      throw e.getCause() instanceof IOException cause
          ? cause
          : new IOException("the load failed: " + e.getCause(), e);
    } finally {
      threads.shutdownNow();
      // What is under way fills its warehouse to the end, or fails too.
      var unused = threads.awaitTermination(1, TimeUnit.MINUTES);
    }
  }

  private void fill(int warehouse) throws IOException {
    if (Thread.interrupted()) {
      throw new InterruptedIOException("the load was ended");
    }
    try (Session session = sessions.open()) {
      WarehouseRows rows =
          new WarehouseRows(
              session, settings.population(), new Draw(settings.seed(), warehouse), progress, now);
      if (warehouse == 0) {
        rows.items();
      } else {
        rows.warehouse(warehouse);
      }
    } catch (SQLException e) {
      throw SqlErrors.sentence("warehouse " + warehouse + " could not be filled", e);
    }
  }
}
