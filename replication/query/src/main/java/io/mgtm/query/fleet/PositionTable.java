package io.mgtm.query.fleet;

import io.mgtm.query.catalogue.CaptureSchema;
import io.mgtm.query.connection.Asker;
import io.mgtm.query.connection.Futures;
import io.mgtm.query.connection.LoginException;
import io.mgtm.query.connection.OwnRole;
import io.mgtm.query.order.Position;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The table of each database by which a server says what it has: for each slot the highest number
 * that was committed there, and the fence that a commit must name. Clients note theirs by a
 * function, and cannot write it otherwise. Any thread.
 */
public final class PositionTable {
  private static final Logger log = LoggerFactory.getLogger(PositionTable.class);

  /** Asks a server for its databases that may be entered, but for templates. */
  public static final String DATABASES =
      "SELECT datname FROM pg_database WHERE datallowconn AND NOT datistemplate ORDER BY 1";

  /** What a server says to a commit that names another fence than it has. */
  public static final String TAKEN_OVER = "another replicator has taken this server over";

  /** Notes a slot, an entry, up to which one all are settled, and the fence. */
  public static final String NOTE = "SELECT mgtm.mgtm_commits($1, $2, $3, $4)";

  /** The row of nobody: it says that all before is there, also where nothing was written lately. */
  private static final int NOBODY = -1;

  private static final String EXISTS =
      "SELECT to_regclass('mgtm.position') IS NOT NULL AND"
          + " to_regproc('mgtm.mgtm_commits') IS NOT NULL";

  private static final List<String> CREATE =
      List.of(
          "CREATE SCHEMA IF NOT EXISTS mgtm",
          "CREATE TABLE IF NOT EXISTS mgtm.position (slot int PRIMARY KEY, entry bigint NOT NULL,"
              + " settled bigint NOT NULL, fence bigint NOT NULL) WITH (fillfactor = 20)",
          "CREATE OR REPLACE FUNCTION mgtm.mgtm_commits(of_slot int, of_entry bigint, all_to bigint,"
              + " of_fence bigint) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN"
              + " UPDATE mgtm.position SET entry = of_entry, settled = all_to"
              + " WHERE slot OPERATOR(pg_catalog.=) of_slot"
              + " AND fence OPERATOR(pg_catalog.=) of_fence;"
              + " IF NOT FOUND THEN IF EXISTS (SELECT FROM mgtm.position"
              + " WHERE fence OPERATOR(pg_catalog.>) of_fence) THEN RAISE EXCEPTION '"
              + TAKEN_OVER
              + "'; END IF; RAISE EXCEPTION 'rows of mgtm.position are gone'; END IF; END $$",
          "GRANT USAGE ON SCHEMA mgtm TO PUBLIC");

  private static final String ROWS =
      "INSERT INTO mgtm.position SELECT n, 0, %d, %d FROM generate_series(-1, %d) n"
          + " ON CONFLICT DO NOTHING";

  /** Waits for commits that have noted their number; those that have not yet will fail. */
  private static final String FENCE = "UPDATE mgtm.position SET fence = %1$d WHERE fence < %1$d";

  private static final String READ = "SELECT slot, entry, settled, fence FROM mgtm.position";

  /**
   * Who was let in by a replicator that is gone, or is it, and holds locks or one of the server's
   * connections: where its machine has vanished they would last for hours.
   */
  private static final String END_OTHERS =
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity JOIN pg_roles ON rolname = usename"
          + " WHERE pid <> pg_backend_pid() AND datname = current_database()"
          + " AND (xact_start IS NOT NULL OR usename <> current_user)"
          + " AND backend_type = 'client backend' AND NOT rolsuper AND application_name <> '%s'";

  private final Fleet fleet;
  private final CommitLog commits;
  private final OwnRole role;
  private final Slots slots;
  private final UnknownCommits unknown;
  private final ConcurrentHashMap<String, CompletableFuture<Void>> prepared =
      new ConcurrentHashMap<>();

  /** Databases that have the table at some server. */
  private final Set<String> known = ConcurrentHashMap.newKeySet();

  /** That of all servers; none is asked yet. */
  public PositionTable(Fleet fleet, CommitLog commits, OwnRole role, Slots slots) {
    this.fleet = fleet;
    this.commits = commits;
    this.role = role;
    this.slots = slots;
    this.unknown = new UnknownCommits(commits, role, slots);
  }

  /** Those of which nobody knows whether a server has them. */
  public UnknownCommits unknown() {
    return unknown;
  }

  /** Notes, in a transaction, that an entry is committed with it: {@link #NOTE} with its values. */
  public static String noteSql(int slot, long number, long settled, long fence) {
    return "SELECT mgtm.mgtm_commits(%d, %d, %d, %d)".formatted(slot, number, settled, fence);
  }

  // ---- a database that is used for the first time ----------------------------------------------

  /** A database has the table at all servers that are in; fails with a {@link LoginException}. */
  public CompletableFuture<Void> prepared(String database) {
    CompletableFuture<Void> done = prepared.computeIfAbsent(database, this::prepareAll);
    if (done.isCompletedExceptionally()) {
      prepared.remove(database, done);
      done = prepared.computeIfAbsent(database, this::prepareAll);
    }
    return done;
  }

  /**
   * A server that comes in meanwhile makes the table too, as the database is known before. Where it
   * cannot be had, as in one that does not exist, nothing more is done about it.
   */
  private CompletableFuture<Void> prepareAll(String database) {
    boolean added = known.add(database);
    // Whatever the log has is of other databases, or was noted here before.
    return commits
        .lastNumber()
        .thenCompose(
            last -> Futures.all(fleet.in().stream().map(node -> prepare(node, database, last))))
        .whenComplete(
            (nothing, cause) -> {
              if (added && cause != null) {
                known.remove(database);
              }
            });
  }

  /** One server has it, which has all entries up to a number. */
  public CompletableFuture<Void> prepare(Node node, String database, long settled) {
    return role.use(node.address(), database, asker -> makeFenced(asker, settled, node.fence()))
        .thenApply(done -> null);
  }

  /** The same with this fence, also where one that was deposed has made it before it wrote. */
  private CompletableFuture<List<List<String>>> makeFenced(Asker asker, long settled, long fence) {
    return make(asker, settled, fence).thenCompose(done -> asker.ask(FENCE.formatted(fence)));
  }

  private CompletableFuture<List<List<String>>> make(Asker asker, long settled, long fence) {
    return makeUnless(asker, EXISTS, CREATE)
        .thenCompose(
            done -> makeUnless(asker, PreparedTransactions.EXISTS, PreparedTransactions.CREATE))
        .thenCompose(done -> makeUnless(asker, CaptureSchema.EXISTS, CaptureSchema.CREATE))
        .thenCompose(done -> asker.ask(CaptureSchema.INSTALLS))
        .thenCompose(done -> asker.ask(ROWS.formatted(settled, fence, slots.count() - 1)));
  }

  private static CompletableFuture<List<List<List<String>>>> makeUnless(
      Asker asker, String exists, List<String> create) {
    return asker
        .ask(exists)
        .thenCompose(
            rows ->
                Futures.inTurn(rows.get(0).get(0).equals("f") ? create : List.of(), asker::ask));
  }

  /** A database has it at all servers that are in, as they were taken over. */
  public void arePrepared(String database) {
    prepared.put(database, CompletableFuture.completedFuture(null));
  }

  // ---- a server that is taken over -------------------------------------------------------------

  /** Databases of which some server has the table. */
  public Set<String> databases() {
    return Set.copyOf(known);
  }

  /** The databases of a server. */
  CompletableFuture<List<String>> databases(Node node) {
    return role.ask(node.address(), role.database(), DATABASES)
        .thenApply(rows -> rows.stream().map(row -> row.get(0)).toList());
  }

  /** What a server has, by database, of those that have the table; commits may be under way. */
  public CompletableFuture<Map<String, Position>> read(Node node) {
    return each(
        node,
        (asker, there) ->
            there
                ? asker.ask(READ).thenApply(PositionTable::position)
                : CompletableFuture.completedFuture(new Position()));
  }

  /**
   * Takes a server over: whoever has no other fence commits nothing any more, and what is under way
   * is done or undone, before it is asked what it has. Where only other servers have the table it
   * is made, and says that nothing is there.
   */
  public CompletableFuture<Map<String, Position>> takeOver(Node node, long fence) {
    return each(
        node,
        (asker, there) ->
            endOthers(node, asker)
                .thenCompose(done -> PreparedTransactions.rollBackOthers(asker, 0))
                .thenCompose(done -> makeFenced(asker, 0, fence))
                .thenCompose(done -> asker.ask(READ))
                .thenCompose(rows -> PreparedTransactions.addCommitted(asker, position(rows))));
  }

  private CompletableFuture<List<List<String>>> endOthers(Node node, Asker asker) {
    return asker
        .ask(END_OTHERS.formatted(role.application()))
        .exceptionally(
            cause -> {
              log.warn(
                  "Backends of before are not ended at {}, and are waited for: {}",
                  node,
                  cause.getMessage());
              return List.of();
            });
  }

  /** What is asked of each database, which has the table or only has it at other servers. */
  private interface Question {
    CompletableFuture<Position> ask(Asker asker, boolean there);
  }

  private CompletableFuture<Map<String, Position>> each(Node node, Question question) {
    Map<String, Position> found = new HashMap<>();
    return databases(node)
        .thenCompose(
            names -> Futures.inTurn(names, database -> one(node, database, question, found)))
        .thenApply(done -> found);
  }

  private CompletableFuture<Void> one(
      Node node, String database, Question question, Map<String, Position> found) {
    return role.use(
        node.address(),
        database,
        asker ->
            asker
                .ask(EXISTS)
                .thenCompose(
                    rows -> {
                      boolean there = rows.get(0).get(0).equals("t");
                      if (!there && !known.contains(database)) {
                        return CompletableFuture.completedFuture(null);
                      }
                      known.add(database);
                      return question
                          .ask(asker, there)
                          .thenAccept(position -> found.put(database, position));
                    }));
  }

  private static Position position(List<List<String>> rows) {
    Position position = new Position();
    for (List<String> row : rows) {
      position.row(
          Integer.parseInt(row.get(0)),
          Long.parseLong(row.get(1)),
          Long.parseLong(row.get(2)),
          Long.parseLong(row.get(3)));
    }
    return position;
  }

  /**
   * A server has all up to a number, and what was written without waiting for its disk is on it.
   */
  public CompletableFuture<Void> reached(
      Node node, Set<String> databases, long number, long fence) {
    return ask(node, databases, reached(number, fence));
  }

  /** The same, of connections to all databases. */
  public CompletableFuture<Void> reached(List<Asker> databases, long number, long fence) {
    return Futures.all(databases.stream().map(asker -> asker.ask(reached(number, fence))));
  }

  /** The same, and forgets the tokens of what it has prepared: all that it has is noted by now. */
  public CompletableFuture<Void> level(Node node, Set<String> databases, long number, long fence) {
    String forget = PreparedTransactions.forgetSql(fence);
    return ask(node, databases, reached(number, fence) + "; " + forget);
  }

  private CompletableFuture<Void> ask(Node node, Set<String> databases, String sql) {
    return Futures.all(databases.stream().map(database -> role.ask(node.address(), database, sql)));
  }

  private static String reached(long number, long fence) {
    return "UPDATE mgtm.position SET settled = %1$d WHERE slot = %2$d AND fence = %3$d AND settled <= %1$d"
        .formatted(number, NOBODY, fence);
  }

  /** A server whose rows are those of another has what that has. */
  public CompletableFuture<Void> copy(Node from, Node to, long fence) {
    return read(from)
        .thenCompose(
            positions ->
                Futures.all(
                    positions.entrySet().stream()
                        .map(one -> write(to, one.getKey(), one.getValue(), fence))));
  }

  private CompletableFuture<List<List<String>>> write(
      Node to, String database, Position position, long fence) {
    StringBuilder sql =
        new StringBuilder("UPDATE mgtm.position p SET entry = v.entry, settled = ")
            .append(position.settled())
            .append(" FROM (VALUES (-1, 0::bigint)");
    position.entries().forEach((slot, entry) -> sql.append(", (%d, %d)".formatted(slot, entry)));
    sql.append(") v (slot, entry) WHERE v.slot = p.slot AND p.fence = ").append(fence);
    return role.use(
        to.address(),
        database,
        asker -> makeFenced(asker, 0, fence).thenCompose(done -> asker.ask(sql.toString())));
  }
}
