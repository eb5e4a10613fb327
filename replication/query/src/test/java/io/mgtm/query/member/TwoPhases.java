package io.mgtm.query.member;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/** Prepares transactions, and ends them from other sessions, whoever dies meanwhile. */
final class TwoPhases {
  private static final String NO_SUCH = "42704";
  private static final String NOT_CONNECTED = "08001";
  private static final int PAUSE_MS = 50;
  private static final int TRIES = 50;

  private final Cluster cluster;
  private final Consumer<SQLException> told;
  private final AtomicInteger names = new AtomicInteger();
  private final AtomicInteger ended = new AtomicInteger();

  /** Nobody was told whether they are prepared; and how often they were not there since. */
  private final Map<String, Integer> doubtful = new ConcurrentHashMap<>();

  /** They were, and then were not. */
  private final ConcurrentLinkedQueue<String> lost = new ConcurrentLinkedQueue<>();

  /**
   * Of a cluster.
   *
   * @param told what clients are told
   */
  TwoPhases(Cluster cluster, Consumer<SQLException> told) {
    this.cluster = cluster;
    this.told = told;
  }

  /** How many were prepared and ended. */
  int ended() {
    return ended.get();
  }

  /** Those of which clients were told that they are prepared, and that were not there then. */
  ConcurrentLinkedQueue<String> lost() {
    return lost;
  }

  /** Prepares the open transaction, and returns its name. */
  String prepare(Connection connection) throws SQLException {
    String gid = "t" + names.incrementAndGet();
    try {
      connection.createStatement().execute("prepare transaction '" + gid + "'");
      return gid;
    } catch (SQLException e) {
      if (isBroken(e)) {
        doubtful.put(gid, 0);
      }
      throw e;
    }
  }

  private static boolean isBroken(SQLException e) {
    return e.getSQLState().startsWith("08") || e.getSQLState().startsWith("57P");
  }

  /** Ends what is prepared, however long it takes until somebody serves. */
  void end(String gid, boolean rollsBack) {
    String verb = rollsBack ? "rollback" : "commit";
    boolean tried = false;
    while (true) {
      try (Connection at = cluster.alice()) {
        at.createStatement().execute("%s prepared '%s'".formatted(verb, gid));
        ended.incrementAndGet();
        return;
      } catch (SQLException e) {
        told.accept(e);
        if (NO_SUCH.equals(e.getSQLState())) {
          if (!tried) {
            lost.add(gid);
          }
          return;
        }
        tried |= isBroken(e) && !NOT_CONNECTED.equals(e.getSQLState());
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(PAUSE_MS));
      }
    }
  }

  /** Those that may be prepared and are nobody's would hold their locks for ever. */
  void clear() {
    for (String gid : List.copyOf(doubtful.keySet())) {
      try (Connection at = cluster.alice()) {
        at.createStatement().execute("rollback prepared '" + gid + "'");
        doubtful.remove(gid);
      } catch (SQLException e) {
        told.accept(e);
        if (NO_SUCH.equals(e.getSQLState())) {
          // What has begun to prepare it may just be at work.
          doubtful.computeIfPresent(gid, (name, tries) -> tries < TRIES ? tries + 1 : null);
        }
      }
    }
  }
}
