package io.mgtm.query.server;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Compares the tables of all servers that are in, in snapshots of one boundary between commits,
 * while clients go on. Any thread.
 */
final class Verifier {
  static final String DATABASES =
      "SELECT datname FROM pg_database WHERE datallowconn AND NOT datistemplate ORDER BY 1";

  static final String TABLES =
      "SELECT quote_ident(nspname) || '.' || quote_ident(relname) FROM pg_class c JOIN pg_namespace"
          + " n ON n.oid = relnamespace WHERE relkind = 'r' AND relpersistence <> 't' AND nspname"
          + " NOT IN ('pg_catalog', 'information_schema', 'mgtm') ORDER BY 1";

  private static final String SNAPSHOT =
      "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT 1";

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
  record Difference(Node node, String database, String table, long rows) {
    String text() {
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
  CompletableFuture<List<Difference>> verify() {
    return verify(shared.fleet().in(), () -> CompletableFuture.completedFuture(null));
  }

  /**
   * The same of some servers, the leader first.
   *
   * @param quiet what is to be done at each boundary before rows are compared, while no commit is
   *     under way
   */
  CompletableFuture<List<Difference>> verify(
      List<Node> nodes, Supplier<CompletableFuture<Void>> quiet) {
    return role.ask(nodes.get(0).address(), role.database(), DATABASES)
        .thenCompose(
            rows -> {
              CompletableFuture<List<Difference>> all =
                  CompletableFuture.completedFuture(new ArrayList<>());
              for (List<String> row : rows) {
                all =
                    all.thenCompose(
                        found ->
                            database(nodes, row.get(0), quiet)
                                .thenApply(
                                    more -> {
                                      found.addAll(more);
                                      return found;
                                    }));
              }
              return all;
            });
  }

  private CompletableFuture<List<Difference>> database(
      List<Node> nodes, String database, Supplier<CompletableFuture<Void>> quiet) {
    List<CompletableFuture<Asker>> entered =
        nodes.stream().map(node -> role.enter(node.address(), database)).toList();
    return all(entered)
        .thenCompose(
            askers -> snapshots(askers, quiet).thenCompose(done -> tables(nodes, database, askers)))
        .whenComplete((found, cause) -> entered.forEach(one -> one.thenAccept(Asker::close)));
  }

  private CompletableFuture<Void> snapshots(
      List<Asker> askers, Supplier<CompletableFuture<Void>> quiet) {
    return shared
        .gate()
        .close()
        .thenCompose(closed -> quiet.get())
        .thenCompose(
            done ->
                // Nobody commits meanwhile, and a server that stands still would never answer.
                all(askers.stream().map(a -> a.ask(SNAPSHOT)).toList())
                    .orTimeout(shared.config().timeouts().silentMs(), TimeUnit.MILLISECONDS))
        .<Void>thenApply(done -> null)
        .whenComplete((done, cause) -> shared.gate().open());
  }

  private CompletableFuture<List<Difference>> tables(
      List<Node> nodes, String database, List<Asker> askers) {
    return all(askers.stream().map(a -> a.ask(TABLES)).toList())
        .thenCompose(
            lists -> {
              List<String> names = names(lists.get(0));
              List<Difference> found = new ArrayList<>();
              for (int i = 1; i < nodes.size(); i++) {
                List<String> theirs = names(lists.get(i));
                Node node = nodes.get(i);
                names.stream()
                    .filter(name -> !theirs.contains(name))
                    .forEach(name -> found.add(new Difference(node, database, name, -1)));
                theirs.stream()
                    .filter(name -> !names.contains(name))
                    .forEach(name -> found.add(new Difference(node, database, name, -1)));
              }
              List<String> common =
                  names.stream()
                      .filter(name -> lists.stream().allMatch(list -> names(list).contains(name)))
                      .toList();
              CompletableFuture<List<Difference>> all = CompletableFuture.completedFuture(found);
              for (String name : common) {
                all =
                    all.thenCompose(
                        so ->
                            table(nodes, database, askers, name)
                                .thenApply(
                                    more -> {
                                      so.addAll(more);
                                      return so;
                                    }));
              }
              return all;
            });
  }

  private static List<String> names(List<List<String>> rows) {
    return rows.stream().map(row -> row.get(0)).toList();
  }

  private CompletableFuture<List<Difference>> table(
      List<Node> nodes, String database, List<Asker> askers, String name) {
    return all(askers.stream().map(a -> a.ask(SUM.formatted(name))).toList())
        .thenCompose(
            sums -> {
              boolean same = sums.stream().allMatch(sum -> Objects.equals(sum, sums.get(0)));
              return same
                  ? CompletableFuture.completedFuture(List.<Difference>of())
                  : all(askers.stream().map(a -> a.ask(ROWS.formatted(name))).toList())
                      .thenApply(rows -> compare(nodes, database, name, rows));
            });
  }

  private static List<Difference> compare(
      List<Node> nodes, String database, String name, List<List<List<String>>> rows) {
    List<Difference> found = new ArrayList<>();
    for (int i = 1; i < nodes.size(); i++) {
      long differing = differing(rows.get(0), rows.get(i));
      if (differing > 0) {
        found.add(new Difference(nodes.get(i), database, name, differing));
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

  private static <T> CompletableFuture<List<T>> all(List<CompletableFuture<T>> each) {
    return CompletableFuture.allOf(each.toArray(CompletableFuture[]::new))
        .thenApply(done -> each.stream().map(CompletableFuture::join).toList());
  }
}
