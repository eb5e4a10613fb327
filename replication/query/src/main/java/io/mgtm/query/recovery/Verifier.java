package io.mgtm.query.recovery;

import io.mgtm.query.connection.Asker;
import io.mgtm.query.connection.Futures;
import io.mgtm.query.connection.LoginException;
import io.mgtm.query.connection.OwnRole;
import io.mgtm.query.fleet.Node;
import io.mgtm.query.fleet.PositionTable;
import io.mgtm.query.session.Shared;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Compares the tables of all servers that are in, in snapshots of one boundary between commits.
 * While there are clients one server after the other reads a table, with one process, so that the
 * processors are left to them. Any thread.
 */
public final class Verifier {
  static final String TABLES =
      "SELECT quote_ident(nspname) || '.' || quote_ident(relname) FROM pg_class c JOIN pg_namespace"
          + " n ON n.oid = relnamespace WHERE relkind = 'r' AND relpersistence <> 't' AND nspname"
          + " NOT IN ('pg_catalog', 'information_schema', 'mgtm') ORDER BY 1";

  private static final String BEGIN = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT 1";

  private static final String ONE_PROCESS = "; SET LOCAL max_parallel_workers_per_gather = 0";

  /** A row as a text: by format and not by a cast, which users may make their own. */
  static final String ROW = "format('%%s', \"a row\")";

  /** A sum over the rows, in whatever order they are. */
  static final String SUM =
      "SELECT count(*), sum(('x' || substr(md5("
          + ROW
          + "), 1, 15))::bit(60)::bigint) FROM %s AS \"a row\"";

  private static final String ROWS = "SELECT md5(" + ROW + ") FROM %s AS \"a row\"";

  /**
   * A table that is not the leader's.
   *
   * @param rows how many differ; -1 where the table is at one of them only
   */
  public record Difference(Node node, String database, String table, long rows) {
    /** As operators are told it. */
    public String text() {
      return rows < 0
          ? "the table %s of %s is not at both servers".formatted(table, database)
          : "%d rows of %s of %s differ".formatted(rows, table, database);
    }
  }

  private final Shared shared;
  private final OwnRole role;

  Verifier(Shared shared, OwnRole role) {
    this.shared = shared;
    this.role = role;
  }

  /** All differences, of all databases; fails with a {@link LoginException}. */
  public CompletableFuture<List<Difference>> verify() {
    return verify(shared.fleet().in(), Verifier::nothing);
  }

  /**
   * The same of some servers, the leader first.
   *
   * @param quiet what is to be done at each boundary before rows are compared, while no commit is
   *     under way
   */
  CompletableFuture<List<Difference>> verify(
      List<Node> nodes, Supplier<CompletableFuture<Void>> quiet) {
    return verify(nodes, quiet, true);
  }

  /** The same of all that are in, as fast as they can, while there are no clients. */
  CompletableFuture<List<Difference>> verifyUnserved() {
    return verify(shared.fleet().in(), Verifier::nothing, false);
  }

  private static CompletableFuture<Void> nothing() {
    return CompletableFuture.completedFuture(null);
  }

  private CompletableFuture<List<Difference>> verify(
      List<Node> nodes, Supplier<CompletableFuture<Void>> quiet, boolean served) {
    return role.ask(nodes.get(0).address(), role.database(), PositionTable.DATABASES)
        .thenCompose(
            rows -> Futures.inTurn(rows, row -> database(nodes, row.get(0), quiet, served)))
        .thenApply(found -> found.stream().flatMap(List::stream).toList());
  }

  private CompletableFuture<List<Difference>> database(
      List<Node> nodes, String database, Supplier<CompletableFuture<Void>> quiet, boolean served) {
    List<CompletableFuture<Asker>> entered =
        nodes.stream().map(node -> role.enter(node.address(), database)).toList();
    return Futures.results(entered)
        .thenApply(askers -> new Snapshots(nodes, database, askers, served))
        .thenCompose(
            snapshots -> take(snapshots, quiet).thenCompose(done -> differences(snapshots)))
        .whenComplete((found, cause) -> entered.forEach(one -> one.thenAccept(Asker::close)));
  }

  /**
   * A database as each server has it.
   *
   * @param served whether there are clients, for which the servers are to go on
   */
  private record Snapshots(List<Node> nodes, String database, List<Asker> askers, boolean served) {
    String begin() {
      return served ? BEGIN + ONE_PROCESS : BEGIN;
    }

    CompletableFuture<List<List<List<String>>>> ask(String sql) {
      return served
          ? Futures.inTurn(askers, asker -> asker.ask(sql))
          : Futures.results(askers.stream().map(asker -> asker.ask(sql)).toList());
    }
  }

  private CompletableFuture<Void> take(
      Snapshots snapshots, Supplier<CompletableFuture<Void>> quiet) {
    return shared
        .gate()
        .close()
        .thenCompose(closed -> quiet.get())
        .thenCompose(
            done ->
                // Nobody commits meanwhile, and a server that stands still would never answer.
                Futures.results(
                        snapshots.askers.stream().map(a -> a.ask(snapshots.begin())).toList())
                    .orTimeout(shared.config().timeouts().silentMs(), TimeUnit.MILLISECONDS))
        .<Void>thenApply(done -> null)
        .whenComplete((done, cause) -> shared.gate().open());
  }

  private static CompletableFuture<List<Difference>> differences(Snapshots snapshots) {
    return snapshots
        .ask(TABLES)
        .thenCompose(
            lists -> {
              List<String> names = names(lists.get(0));
              List<Difference> found = new ArrayList<>();
              for (int i = 1; i < snapshots.nodes.size(); i++) {
                List<String> theirs = names(lists.get(i));
                Node node = snapshots.nodes.get(i);
                names.stream()
                    .filter(name -> !theirs.contains(name))
                    .forEach(name -> found.add(missing(node, snapshots.database, name)));
                theirs.stream()
                    .filter(name -> !names.contains(name))
                    .forEach(name -> found.add(missing(node, snapshots.database, name)));
              }
              List<String> common =
                  names.stream()
                      .filter(name -> lists.stream().allMatch(list -> names(list).contains(name)))
                      .toList();
              return Futures.inTurn(common, name -> table(snapshots, name))
                  .thenApply(
                      more -> {
                        more.forEach(found::addAll);
                        return found;
                      });
            });
  }

  private static Difference missing(Node node, String database, String table) {
    return new Difference(node, database, table, -1);
  }

  private static List<String> names(List<List<String>> rows) {
    return rows.stream().map(row -> row.get(0)).toList();
  }

  private static CompletableFuture<List<Difference>> table(Snapshots snapshots, String name) {
    return snapshots
        .ask(SUM.formatted(name))
        .thenCompose(
            sums -> {
              boolean same = sums.stream().allMatch(sum -> Objects.equals(sum, sums.get(0)));
              return same
                  ? CompletableFuture.completedFuture(List.<Difference>of())
                  : snapshots
                      .ask(ROWS.formatted(name))
                      .thenApply(rows -> compare(snapshots, name, rows));
            });
  }

  private static List<Difference> compare(
      Snapshots snapshots, String name, List<List<List<String>>> rows) {
    List<Difference> found = new ArrayList<>();
    for (int i = 1; i < snapshots.nodes.size(); i++) {
      long differing = differing(rows.get(0), rows.get(i));
      if (differing > 0) {
        found.add(new Difference(snapshots.nodes.get(i), snapshots.database, name, differing));
      }
    }
    return found;
  }

  /** Rows of one that the other has not: the greater of both numbers. */
  static long differing(List<List<String>> mine, List<List<String>> theirs) {
    Map<String, Integer> counts = new HashMap<>();
    mine.forEach(row -> counts.merge(row.get(0), 1, Integer::sum));
    theirs.forEach(row -> counts.merge(row.get(0), -1, Integer::sum));
    long missing = counts.values().stream().filter(n -> n > 0).mapToLong(n -> n).sum();
    long added = -counts.values().stream().filter(n -> n < 0).mapToLong(n -> n).sum();
    return Math.max(missing, added);
  }
}
