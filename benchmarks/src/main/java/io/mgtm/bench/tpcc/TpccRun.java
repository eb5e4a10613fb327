package io.mgtm.bench.tpcc;

import io.mgtm.bench.load.LoadErrors;
import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Drives a loaded database for a time. One thread; it waits for those of the connections. */
final class TpccRun {
  private TpccRun() {}

  /**
   * What a run did.
   *
   * @param tally of all connections
   * @param failures warm-up included
   */
  record Outcome(Tally tally, LoadErrors failures) {}

  /**
   * Runs.
   *
   * @throws IOException when not all connections can be made; what fails later is counted
   */
  static Outcome run(
      RunSettings settings, Database database, Population population, Sessions sessions)
      throws IOException, InterruptedException {
    List<Session> opened = open(settings.connections(), sessions);
    LoadErrors failures = new LoadErrors();
    Terminal.Window window = Terminal.Window.of(settings);
    ExecutorService threads = Executors.newFixedThreadPool(settings.connections());
    try {
      List<Future<Tally>> running = new ArrayList<>();
      for (int i = 0; i < settings.connections(); i++) {
        running.add(
            threads.submit(
                new Terminal(
                    i, settings, database, population, sessions, opened.get(i), window, failures)));
      }
      Tally all = new Tally();
      for (Future<Tally> one : running) {
        all.add(one.get());
      }
      return new Outcome(all, failures);
    } catch (ExecutionException e) {
      throw new IllegalStateException("a connection's thread ended", e.getCause());
    } finally {
      threads.shutdownNow();
    }
  }

  private static List<Session> open(int count, Sessions sessions) throws IOException {
    List<Session> opened = new ArrayList<>();
    try {
      for (int i = 0; i < count; i++) {
        opened.add(sessions.open());
      }
      return opened;
    } catch (IOException e) {
      for (Session one : opened) {
        close(one, e);
      }
      throw e;
    }
  }

  private static void close(Session session, IOException because) {
    try {
      session.close();
    } catch (SQLException e) {
      because.addSuppressed(e);
    }
  }
}
