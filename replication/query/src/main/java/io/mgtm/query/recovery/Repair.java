package io.mgtm.query.recovery;

import io.mgtm.query.catalogue.CaptureSchema;
import io.mgtm.query.connection.Asker;
import io.mgtm.query.connection.Futures;
import io.mgtm.query.connection.OwnRole;
import io.mgtm.query.fleet.Node;
import io.mgtm.query.fleet.PositionTable;
import io.mgtm.query.session.Shared;
import io.mgtm.query.sql.Quoting;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives a server that is in the leader's rows where its own differ, one table after the other,
 * while nobody can write to that table: whoever writes to it locks it at the leader first, and the
 * leader commits last. Rows are told apart by all that is in them, so that no key is needed. Any
 * thread; calls wait.
 */
public final class Repair {
  private static final Logger log = LoggerFactory.getLogger(Repair.class);
  private static final int CHUNK_ROWS = 200;

  private static final String OUT = "one of both servers was put out meanwhile";

  /** How often it is looked whether a server is still in. */
  private static final int AGAIN_MS = 1_000;

  private static final String BEGIN =
      "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;"
          + " SET LOCAL lock_timeout = %d; LOCK TABLE ONLY %s IN %s MODE";

  /** The columns that are written, and whether triggers run all the same. */
  private static final String COLUMNS =
      "SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FILTER (WHERE attgenerated ="
          + " ''), EXISTS (SELECT FROM pg_trigger WHERE tgrelid = %1$s::regclass AND tgenabled IN"
          + " ('A', 'R') AND NOT "
          + CaptureSchema.IS_OURS
          + ") FROM pg_attribute WHERE attrelid = %1$s::regclass AND attnum > 0 AND"
          + " NOT attisdropped";

  private static final String ROWS =
      "SELECT ctid, md5(" + Verifier.ROW + ") FROM ONLY %s AS \"a row\"";
  private static final String AT = " ctid = ANY ('{%s}'::tid[])";

  private static final String TEXTS =
      "SELECT " + Verifier.ROW + " FROM ONLY %s AS \"a row\" WHERE" + AT;

  /** Fails where another replicator has taken the server over, and holds it up until the end. */
  private static final String FENCED =
      "UPDATE mgtm.position SET fence = fence WHERE slot = -1 AND fence = %d RETURNING 1";

  /**
   * What was changed at a server.
   *
   * @param removed rows that the leader has not
   * @param written rows of the leader's
   */
  public record Repaired(Node node, String database, String table, long removed, long written) {
    /** As operators are told it. */
    public String text() {
      return "%s: %d rows of %s of %s removed, %d written"
          .formatted(node, removed, table, database, written);
    }
  }

  private final Shared shared;
  private final OwnRole role;
  private final Verifier verifier;

  /** That of what the verifier finds. */
  public Repair(Shared shared, OwnRole role, Verifier verifier) {
    this.shared = shared;
    this.role = role;
    this.verifier = verifier;
  }

  /**
   * Repairs all tables of which rows differ.
   *
   * @param left is added to: what cannot be repaired
   */
  public List<Repaired> all(List<String> left) throws IOException {
    List<Repaired> all = new ArrayList<>();
    for (Verifier.Difference one : Futures.await(verifier.verify())) {
      if (one.rows() < 0) {
        left.add(one.node() + ": " + one.text());
      } else {
        all.add(repair(one.node(), one.database(), one.table()));
      }
    }
    return all;
  }

  /**
   * Repairs a table at all servers.
   *
   * @param name as verify tells it; what has no schema is of public
   * @throws IOException when there is none, it cannot be locked in time, or rows still differ
   */
  public List<Repaired> table(String database, String name) throws IOException {
    Node leader = shared.fleet().leader();
    List<String> names =
        Futures.await(role.ask(leader.address(), database, Verifier.TABLES)).stream()
            .map(row -> row.get(0))
            .toList();
    String table = names.contains(name) ? name : "public." + name;
    if (!names.contains(table)) {
      throw new IOException(
          "there is no table %s in the database %s; name it as verify does"
              .formatted(name, database));
    }
    List<Repaired> all = new ArrayList<>();
    for (Node node : shared.fleet().in()) {
      if (node != leader) {
        all.add(repair(node, database, table));
      }
    }
    return all;
  }

  private synchronized Repaired repair(Node node, String database, String table)
      throws IOException {
    Node leader = shared.fleet().leader();
    Futures.await(shared.positions().prepared(database));
    CompletableFuture<Asker> from = role.enter(leader.address(), database);
    CompletableFuture<Asker> to = role.enter(node.address(), database);
    try {
      BooleanSupplier both = () -> node.isIn() && leader.isIn();
      lock(Futures.await(from), table, "SHARE", both);
      // It has all that was committed before, and of this table nothing more comes.
      if (!both.getAsBoolean()) {
        throw new IOException(OUT);
      }
      lock(Futures.await(to), table, "SHARE ROW EXCLUSIVE", both);
      if (ask(Futures.await(to), FENCED.formatted(node.fence()), both).size() != 1) {
        throw new IOException(PositionTable.TAKEN_OVER);
      }
      Repaired done = new Table(node, database, table, from.join(), to.join(), both).repair();
      log.info("{}", done.text());
      return done;
    } finally {
      // What is not committed is undone.
      from.thenAccept(Asker::close);
      to.thenAccept(Asker::close);
    }
  }

  private void lock(Asker at, String table, String mode, BooleanSupplier bothAreIn)
      throws IOException {
    int withinMs = shared.config().timeouts().applyMs();
    try {
      ask(at, BEGIN.formatted(withinMs, table, mode), bothAreIn);
    } catch (IOException e) {
      throw new IOException(
          "%s is not locked within %d ms: %s".formatted(table, withinMs, e.getMessage()), e);
    }
  }

  /** Who writes to the table waits for this: it is given up when one stands still. */
  private static List<List<String>> ask(Asker at, String sql, BooleanSupplier bothAreIn)
      throws IOException {
    CompletableFuture<List<List<String>>> asked = at.ask(sql);
    while (true) {
      try {
        return Futures.await(asked.copy(), AGAIN_MS);
      } catch (IOException e) {
        if (!(e.getCause() instanceof TimeoutException)) {
          throw e;
        }
        if (!bothAreIn.getAsBoolean()) {
          throw new IOException(OUT, e);
        }
      }
    }
  }

  /** A table that is locked at both. */
  private static final class Table {
    private final Node node;
    private final String database;
    private final String table;
    private final Asker from;
    private final Asker to;
    private final BooleanSupplier bothAreIn;

    Table(
        Node node, String database, String table, Asker from, Asker to, BooleanSupplier bothAreIn) {
      this.bothAreIn = bothAreIn;
      this.node = node;
      this.database = database;
      this.table = table;
      this.from = from;
      this.to = to;
    }

    Repaired repair() throws IOException {
      List<String> columns = ask(to, COLUMNS.formatted(Quoting.literal(table))).get(0);
      if (columns.get(1).equals("t")) {
        throw new IOException(table + " has triggers that are ENABLE ALWAYS or REPLICA");
      }
      Map<String, Deque<String>> missing = new HashMap<>();
      for (List<String> row : ask(from, ROWS.formatted(table))) {
        missing.computeIfAbsent(row.get(1), sum -> new ArrayDeque<>()).add(row.get(0));
      }
      List<String> surplus = new ArrayList<>();
      for (List<String> row : ask(to, ROWS.formatted(table))) {
        Deque<String> same = missing.get(row.get(1));
        if (same == null || same.poll() == null) {
          surplus.add(row.get(0));
        }
      }
      List<String> lacking = missing.values().stream().flatMap(Deque::stream).toList();
      ask(to, "SET LOCAL session_replication_role = replica");
      // What is unique stands in one row at a time.
      for (String some : chunks(surplus)) {
        ask(to, "DELETE FROM ONLY " + table + " WHERE" + AT.formatted(some));
      }
      for (String some : chunks(lacking)) {
        write(columns.get(0), some);
      }
      String sum = Verifier.SUM.formatted("ONLY " + table);
      if (!ask(from, sum).equals(ask(to, sum))) {
        throw new IOException("rows of %s of %s differ still".formatted(table, database));
      }
      ask(to, "COMMIT");
      return new Repaired(node, database, table, surplus.size(), lacking.size());
    }

    private List<List<String>> ask(Asker at, String sql) throws IOException {
      return Repair.ask(at, sql, bothAreIn);
    }

    private static List<String> chunks(List<String> ids) {
      List<String> chunks = new ArrayList<>();
      for (int i = 0; i < ids.size(); i += CHUNK_ROWS) {
        chunks.add(
            ids.subList(i, Math.min(ids.size(), i + CHUNK_ROWS)).stream()
                .collect(Collectors.joining("\",\"", "\"", "\"")));
      }
      return chunks;
    }

    private void write(String columns, String ids) throws IOException {
      String rows =
          ask(from, TEXTS.formatted(table, ids)).stream()
              .map(row -> Quoting.literal(row.get(0)))
              .collect(Collectors.joining(","));
      ask(
          to,
          "INSERT INTO %1$s (%2$s) OVERRIDING SYSTEM VALUE SELECT %2$s FROM unnest(ARRAY[%3$s]::%1$s[])"
              .formatted(table, columns, rows));
    }
  }
}
