package io.mgtm.query.recovery;

import io.mgtm.common.HostPort;
import io.mgtm.query.catalogue.DrawnSequences;
import io.mgtm.query.connection.Asker;
import io.mgtm.query.connection.Futures;
import io.mgtm.query.connection.LoginException;
import io.mgtm.query.connection.OwnRole;
import io.mgtm.query.fleet.Node;
import io.mgtm.query.fleet.SequenceBounds;
import io.mgtm.query.fleet.SequenceBounds.Drawn;
import io.mgtm.query.sql.Quoting;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Sets sequences of servers as the replicator's own role. Those of one that is to lead are set
 * behind the values that are in its tables, as the leader alone has drawn from them. Any thread.
 */
public final class Sequences implements SequenceBounds.Servers, AutoCloseable {
  /** The columns of tables whose values a sequence gives, as their own or by a default. */
  private static final String OWNED =
      "SELECT DISTINCT quote_ident(sn.nspname) || '.' || quote_ident(s.relname),"
          + " quote_ident(tn.nspname) || '.' || quote_ident(t.relname), quote_ident(a.attname),"
          + " (SELECT q.seqincrement > 0 FROM pg_sequence q WHERE q.seqrelid = s.oid)"
          + " FROM pg_class s JOIN pg_namespace sn ON sn.oid = s.relnamespace JOIN ("
          + "SELECT objid AS seq, refobjid AS rel, refobjsubid AS num FROM pg_depend"
          + " WHERE classid = 'pg_class'::regclass AND refclassid = 'pg_class'::regclass"
          + " AND refobjsubid > 0 AND deptype IN ('a', 'i') UNION"
          + " SELECT d.refobjid, e.adrelid, e.adnum FROM pg_depend d JOIN pg_attrdef e"
          + " ON d.classid = 'pg_attrdef'::regclass AND d.objid = e.oid"
          + " WHERE d.refclassid = 'pg_class'::regclass) o ON o.seq = s.oid"
          + " JOIN pg_class t ON t.oid = o.rel AND t.relkind IN ('r', 'p')"
          + " JOIN pg_namespace tn ON tn.oid = t.relnamespace JOIN pg_attribute a"
          + " ON a.attrelid = t.oid AND a.attnum = o.num AND a.atttypid IN (20, 21, 23)"
          + " WHERE s.relkind = 'S' AND s.relpersistence <> 't' AND t.relpersistence <> 't'";

  private static final String SET =
      "SELECT setval(r, %2$d) FROM (SELECT to_regclass(%1$s) AS r) x WHERE r IS NOT NULL";

  private static final String UNLESS_BEHIND =
      " AND coalesce(pg_sequence_last_value(r) %s %d, true)";

  private record Place(Node node, String database) {}

  private final OwnRole role;
  private final int withinMs;

  /** Connections that stay, so that clients need not wait for them. */
  private final Map<Place, CompletableFuture<Asker>> askers = new ConcurrentHashMap<>();

  /**
   * Of a role that has entered no server.
   *
   * @param withinMs how long a server may take to set one
   */
  public Sequences(OwnRole role, int withinMs) {
    this.role = role;
    this.withinMs = withinMs;
  }

  /** Sets all of a database that is to lead; fails with a {@link LoginException}. */
  CompletableFuture<Void> setBehindRows(HostPort server, String database) {
    return role.use(
        server,
        database,
        asker ->
            asker
                .ask(OWNED)
                .thenCompose(
                    rows -> Futures.all(rows.stream().map(row -> asker.ask(setBehind(row))))));
  }

  private static String setBehind(List<String> row) {
    boolean up = row.get(3).equals("t");
    return "SELECT setval(%s, m) FROM (SELECT %s(%s) AS m FROM %s) x, %s s WHERE m %s s.last_value"
        .formatted(
            Quoting.literal(row.get(0)),
            up ? "max" : "min",
            row.get(2),
            row.get(1),
            row.get(0),
            up ? ">=" : "<=");
  }

  @Override
  public CompletableFuture<Long> last(Drawn drawn) {
    return ask(
            new Place(drawn.leader(), drawn.database()), "SELECT last_value FROM " + drawn.name())
        .thenApply(rows -> Long.valueOf(rows.get(0).get(0)));
  }

  @Override
  public CompletableFuture<List<Drawn>> drawn(Node leader, String database, int pid) {
    return ask(new Place(leader, database), DrawnSequences.sql(Integer.toString(pid), ""))
        .thenApply(
            rows ->
                rows.stream()
                    .filter(row -> mayRead(leader, row) && DrawnSequences.isUsed(row))
                    .map(row -> Drawn.of(leader, database, row, false))
                    .toList());
  }

  private static boolean mayRead(Node leader, List<String> row) {
    if (!DrawnSequences.isReadable(row)) {
      throw new CompletionException(
          new IOException(
              "the replicator's role may not read the sequence %s at %s: grant it pg_read_all_data"
                  .formatted(row.get(0), leader)));
    }
    return true;
  }

  @Override
  public CompletableFuture<Void> set(Node node, Drawn drawn, long to) {
    String unless =
        drawn.sets() ? "" : UNLESS_BEHIND.formatted(drawn.increment() > 0 ? "<" : ">", to);
    String sql = SET.formatted(Quoting.literal(drawn.name()), to) + unless;
    return ask(new Place(node, drawn.database()), sql)
        .orTimeout(withinMs, TimeUnit.MILLISECONDS)
        .thenApply(rows -> null);
  }

  /** A server is out: what waits for it fails. */
  public void out(Node node) {
    for (Map.Entry<Place, CompletableFuture<Asker>> one : askers.entrySet()) {
      if (one.getKey().node() == node) {
        forget(one.getKey(), one.getValue());
      }
    }
  }

  /** Over a new connection where the one that was there has ended meanwhile. */
  private CompletableFuture<List<List<String>>> ask(Place place, String sql) {
    CompletableFuture<Asker> known = askers.get(place);
    if (known == null) {
      return askAnew(place, sql);
    }
    return known
        .thenCompose(asker -> asker.ask(sql))
        .exceptionallyCompose(
            cause -> {
              boolean ended = LoginException.fieldsOf(cause).sqlState().startsWith("08");
              if (!ended || !place.node().isIn()) {
                return CompletableFuture.failedFuture(cause);
              }
              forget(place, known);
              return askAnew(place, sql);
            });
  }

  private CompletableFuture<List<List<String>>> askAnew(Place place, String sql) {
    CompletableFuture<Asker> entered =
        askers.computeIfAbsent(place, p -> role.enter(p.node().address(), p.database()));
    return entered
        .thenCompose(asker -> asker.ask(sql))
        .whenComplete(
            (rows, cause) -> {
              if (entered.isCompletedExceptionally()) {
                forget(place, entered);
              }
            });
  }

  private void forget(Place place, CompletableFuture<Asker> known) {
    if (askers.remove(place, known)) {
      known.thenAccept(Asker::close);
    }
  }

  @Override
  public void close() {
    askers.forEach(this::forget);
  }
}
