package io.mgtm.query.fleet;

import io.mgtm.query.connection.Futures;
import io.mgtm.query.connection.LoginException;
import io.mgtm.query.wire.ErrorFields;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Keeps the sequences of the servers that follow ahead of the leader's. What always holds: a server
 * that is in gives, once it leads, no value that a client was given by nextval in a transaction
 * that is committed. For before such a transaction commits, each of the others is set to that value
 * or behind it; and one that comes in is set behind all of the leader's while nothing commits. A
 * server is set only while another leads. Any thread.
 */
public final class SequenceBounds {
  /**
   * How far the others are set ahead, so that not each value costs a question: as many as
   * PostgreSQL itself writes ahead to its log (SEQ_LOG_VALS of sequence.c), and skips after a
   * crash.
   */
  static final int AHEAD = 32;

  private static final int KNOWN_MAX = 10_000;

  /** Asks servers. */
  public interface Servers {
    /** What the leader's sequence has given last, or would give first. */
    CompletableFuture<Long> last(Drawn drawn);

    /** Those from which the open transaction of a backend has drawn. */
    CompletableFuture<List<Drawn>> drawn(Node leader, String database, int pid);

    /** Sets a server's sequence, unless that is behind the value already or the client has set. */
    CompletableFuture<Void> set(Node node, Drawn drawn, long to);
  }

  /**
   * A sequence, and what it has given last.
   *
   * @param leader where that was
   * @param name in SQL, with its schema
   * @param identity changes when it is restarted, or dropped and created again
   * @param last null when it is not known
   * @param sets whether the client has set it, to a lower value maybe
   */
  public record Drawn(
      Node leader,
      String database,
      String name,
      String identity,
      Long last,
      long increment,
      long min,
      long max,
      boolean sets) {
    private record Key(Node leader, String database, String identity) {}

    /**
     * One that a server has told of.
     *
     * @param row name, identity, last value or null, increment, minimum, maximum
     */
    public static Drawn of(Node leader, String database, List<String> row, boolean sets) {
      return new Drawn(
          leader,
          database,
          row.get(0),
          row.get(1),
          row.get(2) == null ? null : Long.valueOf(row.get(2)),
          Long.parseLong(row.get(3)),
          Long.parseLong(row.get(4)),
          Long.parseLong(row.get(5)),
          sets);
    }

    private Key key() {
      return new Key(leader, database, identity + "/" + increment);
    }

    /** The same, where it was to be asked for. */
    public Drawn with(long value) {
      return new Drawn(leader, database, name, identity, value, increment, min, max, sets);
    }

    /** To where others are set; at the end of the sequence no further than it is. */
    public long ahead() {
      try {
        long to = Math.addExact(last, Math.multiplyExact(increment, (long) AHEAD));
        return to > max || to < min ? last : to;
      } catch (ArithmeticException e) {
        return last;
      }
    }

    /** Whether a server that is at that value gives no other up to the last. */
    public boolean isCoveredBy(long bound) {
      return increment > 0 ? last <= bound : last >= bound;
    }
  }

  private final Fleet fleet;
  private final Servers servers;

  /** To where all that are in were set. */
  private final Map<Drawn.Key, Long> bounds = new HashMap<>();

  /** Counts how often a server came in, which was not set with the others. */
  private long comings;

  /** What was asked for last, of any sequence: they are set one after the other. */
  private CompletableFuture<Void> latest = CompletableFuture.completedFuture(null);

  /** Of servers of which no sequence was set yet. */
  public SequenceBounds(Fleet fleet, Servers servers) {
    this.fleet = fleet;
    this.servers = servers;
  }

  /**
   * Completes when each other server that is in is ahead of what was drawn; one that cannot be set
   * is put out. Fails when another server leads, or this replicator has nothing to say any more.
   */
  public synchronized CompletableFuture<Void> cover(Drawn drawn) {
    if (isCovered(drawn)) {
      return CompletableFuture.completedFuture(null);
    }
    latest = quiet().thenCompose(nothing -> coverNow(drawn));
    return latest;
  }

  /**
   * The same of all from which the open transaction of a backend has drawn: its rows are not seen
   * in the tables when another server comes to lead while it is prepared.
   */
  public CompletableFuture<Void> coverDrawn(Node leader, String database, int pid) {
    return servers
        .drawn(leader, database, pid)
        .thenCompose(all -> Futures.all(all.stream().map(this::cover)));
  }

  /** Completes when all that was asked for is set, or is not any more. */
  public synchronized CompletableFuture<Void> quiet() {
    return latest.handle((nothing, cause) -> null);
  }

  /** A server has come in; from now on it is set with the others. */
  public synchronized void cameIn() {
    comings++;
    bounds.clear();
  }

  private boolean isCovered(Drawn drawn) {
    Long bound = bounds.get(drawn.key());
    return bound != null && drawn.last != null && !drawn.sets && drawn.isCoveredBy(bound);
  }

  /**
   * Where a sequence is set back, the leader is asked what others have drawn meanwhile: who draws
   * after that finds no bound, and waits behind this.
   */
  private CompletableFuture<Void> coverNow(Drawn drawn) {
    synchronized (this) {
      if (isCovered(drawn)) {
        return CompletableFuture.completedFuture(null);
      }
      bounds.remove(drawn.key());
    }
    return drawn.last == null || drawn.sets
        ? servers.last(drawn).thenCompose(last -> setOthers(drawn.with(last)))
        : setOthers(drawn);
  }

  private CompletableFuture<Void> setOthers(Drawn drawn) {
    long before;
    List<Node> others;
    synchronized (this) {
      before = comings;
      others = fleet.in().stream().filter(node -> node != drawn.leader).toList();
      // After that list was made: who leads by now is in it only if it did not lead then.
      if (fleet.leader() != drawn.leader) {
        return CompletableFuture.failedFuture(new IOException(drawn.leader + " leads no more"));
      }
    }
    long to = drawn.ahead();
    return Futures.all(others.stream().map(node -> set(node, drawn, to)))
        .thenRun(() -> covered(drawn, to, before));
  }

  private synchronized void covered(Drawn drawn, long to, long before) {
    if (comings == before) {
      if (bounds.size() >= KNOWN_MAX) {
        bounds.clear();
      }
      bounds.put(drawn.key(), to);
    }
  }

  /** One that is not set is out when this completes. */
  private CompletableFuture<Void> set(Node node, Drawn drawn, long to) {
    return servers
        .set(node, drawn, to)
        .exceptionallyCompose(
            cause -> {
              String what = "did not set the sequence " + drawn.name;
              ErrorFields error = LoginException.fieldsOf(cause);
              boolean out =
                  error.sqlState().startsWith("08")
                      ? fleet.ejectLate(node, what + ": " + Futures.reason(cause))
                      : fleet.eject(node, Difference.failed(what, error));
              return out
                  ? CompletableFuture.completedFuture(null)
                  : CompletableFuture.failedFuture(cause);
            });
  }
}
