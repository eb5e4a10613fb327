package io.mgtm.bench.query;

import io.mgtm.bench.report.Spread;
import io.mgtm.local.Wait;
import io.mgtm.query.config.QueryConfig.Reads;
import io.mgtm.query.local.LocalPostgres;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * Three replicators before two servers, what dies of them, and how long a client waits that commits
 * one row after the other. One thread.
 */
final class Pauses implements AutoCloseable {
  private static final int BACK_SECONDS = 180;

  /** Rows that are committed before and after, so that what is measured is over. */
  private static final int SOME = 200;

  /** What happens to it. */
  enum Event {
    SERVER("a server killed", 100),
    LEADER("the server that leads killed", 300),
    REPLICATOR("the replicator that serves killed", 1_000),
    ADD("a server added", 50);

    private final String what;
    private final int goalMs;

    Event(String what, int goalMs) {
      this.what = what;
      this.goalMs = goalMs;
    }
  }

  static final String HEAD =
      "| event | goal, ms | rounds | median ms | longest ms | failed statements and logins"
          + " | lost rows |\n|---|--:|--:|--:|--:|--:|--:|";

  private final Servers all;
  private final List<LocalPostgres> servers;
  private final List<Replicator> replicators = new ArrayList<>();
  private Inserts inserts;

  private Pauses(Servers all, List<LocalPostgres> servers) {
    this.all = all;
    this.servers = new ArrayList<>(servers);
  }

  static Pauses start(Servers all, Path jar, Path folder) throws IOException, InterruptedException {
    Pauses pauses = new Pauses(all, all.start(2));
    try {
      for (int i = 1; i <= 3; i++) {
        pauses.replicators.add(new Replicator(jar, folder, "q" + i, 0, Reads.COMMITTED));
      }
      for (Replicator one : pauses.replicators) {
        one.begin(pauses.servers, pauses.replicators);
      }
      pauses.serving();
      pauses.inserts = Inserts.start(pauses.replicators.stream().map(Replicator::listen).toList());
      return pauses;
    } catch (IOException | InterruptedException | RuntimeException e) {
      pauses.close();
      throw e;
    }
  }

  private Replicator serving() throws IOException, InterruptedException {
    List<Replicator> found = new ArrayList<>();
    Wait.until(
        "a replicator serves",
        BACK_SECONDS,
        () -> {
          for (Replicator one : replicators) {
            if (found.isEmpty() && one.isServing()) {
              found.add(one);
            }
          }
          return !found.isEmpty();
        });
    return found.get(0);
  }

  /**
   * A row.
   *
   * @param text Markdown
   * @param lost acknowledged rows that a server does not have
   */
  record Row(String text, long lost) {}

  /** Measures a row; each round leaves all as it was. */
  Row measure(Event event, int rounds, Consumer<String> told)
      throws IOException, InterruptedException, SQLException {
    double[] longest = new double[rounds];
    long failed = 0;
    long lost = 0;
    for (int round = 0; round < rounds; round++) {
      inserts.awaitMore(SOME);
      inserts.rows().mark();
      long before = inserts.rows().failed();
      Undo undo = happen(event);
      inserts.awaitMore(SOME);
      longest[round] = inserts.rows().longestMs();
      long missed = inserts.rows().failed() - before;
      undo.run();
      awaitWhole();
      long gone = 0;
      for (LocalPostgres server : servers) {
        gone += inserts.lost(server.address());
      }
      told.accept(
          "%s, round %d of %d: %.0f ms, %d failed, %d lost"
              .formatted(event.what, round + 1, rounds, longest[round], missed, gone));
      failed += missed;
      lost += gone;
    }
    Spread spread = Spread.of(longest);
    return new Row(
        String.format(
            Locale.ROOT,
            "| %s | %d | %d | %.0f | %.0f | %d | %d |",
            event.what,
            event.goalMs,
            rounds,
            spread.median(),
            spread.highest(),
            failed,
            lost),
        lost);
  }

  /** Puts back what an event has taken away. */
  private interface Undo {
    void run() throws IOException, InterruptedException;
  }

  /** Does it; answers what ends it. */
  private Undo happen(Event event) throws IOException, InterruptedException {
    Replicator serving = serving();
    LocalPostgres leader = serving.leader(servers);
    switch (event) {
      case SERVER -> {
        LocalPostgres other =
            servers.stream().filter(one -> one != leader).findFirst().orElseThrow();
        other.kill();
        return () -> all.startAgain(other);
      }
      case LEADER -> {
        leader.kill();
        return () -> all.startAgain(leader);
      }
      case REPLICATOR -> {
        serving.kill();
        return () -> serving.begin(servers, replicators);
      }
      default -> {
        LocalPostgres added = all.startCopyOf(leader);
        inserts.rows().mark();
        serving.add(added);
        servers.add(added);
        return () -> {};
      }
    }
  }

  private void awaitWhole() throws IOException, InterruptedException {
    Replicator serving = serving();
    Wait.until("all servers are in", BACK_SECONDS, () -> serving.hasAll(servers));
  }

  @Override
  public void close() {
    if (inserts != null) {
      inserts.close();
    }
    replicators.forEach(Replicator::close);
  }
}
