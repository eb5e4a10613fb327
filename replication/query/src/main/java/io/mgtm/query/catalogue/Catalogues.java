package io.mgtm.query.catalogue;

import io.mgtm.common.HostPort;
import io.mgtm.query.connection.Asker;
import io.mgtm.query.connection.Futures;
import io.mgtm.query.connection.LoginException;
import io.mgtm.query.connection.OwnRole;
import io.mgtm.query.sql.Catalogue;
import io.mgtm.query.sql.Classifier;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** What is known of each database, read from the leader server when it is first asked for. */
public final class Catalogues {
  /**
   * What sessions in a database need.
   *
   * @param deferrable whether constraints may be checked at COMMIT
   * @param captures which rows can be given to others whatever has written them
   */
  public record Known(Classifier classifier, boolean deferrable, Captures captures) {}

  private static final String NOT_PREPARED = "SELECT 'No client has entered the database yet.'";

  private final OwnRole role;
  private final Supplier<HostPort> leader;
  private final BooleanSupplier newerLeads;
  private final ConcurrentHashMap<String, CompletableFuture<Known>> byDatabase =
      new ConcurrentHashMap<>();

  /**
   * Nothing is known.
   *
   * @param newerLeads whether a server that is in is of an older major version than the leader, and
   *     may not read what the leader reads
   */
  public Catalogues(OwnRole role, Supplier<HostPort> leader, BooleanSupplier newerLeads) {
    this.role = role;
    this.leader = leader;
    this.newerLeads = newerLeads;
  }

  /** Of a database; fails with a {@link LoginException}, and is then asked again the next time. */
  public CompletableFuture<Known> of(String database) {
    CompletableFuture<Known> known = byDatabase.computeIfAbsent(database, this::load);
    if (known.isCompletedExceptionally()) {
      byDatabase.remove(database, known);
      known = byDatabase.computeIfAbsent(database, this::load);
    }
    return known;
  }

  /** Whether nothing was changed since this was read, nor is about to be. */
  public boolean isCurrent(String database, Known known) {
    CompletableFuture<Known> now = byDatabase.get(database);
    return now != null
        && now.isDone()
        && !now.isCompletedExceptionally()
        && now.join().equals(known);
  }

  /** The schema begins to be another: who asks waits until {@link #changed}. */
  public CompletableFuture<Known> change(String database) {
    CompletableFuture<Known> next = new CompletableFuture<>();
    byDatabase.put(database, next);
    return next;
  }

  /** The change is at all servers, or at none. */
  public void changed(String database, CompletableFuture<Known> next) {
    load(database)
        .whenComplete(
            (known, cause) -> {
              if (cause == null) {
                next.complete(known);
              } else {
                next.completeExceptionally(cause);
              }
            });
  }

  /**
   * Servers of several versions lead or follow in another way: what is known, and not about to
   * change, is read anew.
   */
  public void forget() {
    byDatabase.values().removeIf(CompletableFuture::isDone);
  }

  /** The databases that were asked for. */
  public Set<String> databases() {
    return Set.copyOf(byDatabase.keySet());
  }

  /** Of each database that is known, whether rows are captured there, for people. */
  public List<String> captures() {
    return byDatabase.entrySet().stream()
        .filter(one -> one.getValue().isDone() && !one.getValue().isCompletedExceptionally())
        .map(one -> one.getKey() + ": " + one.getValue().join().captures().text())
        .sorted()
        .toList();
  }

  private CompletableFuture<Known> load(String database) {
    return role.use(
        leader.get(),
        database,
        asker ->
            asker
                .ask(CaptureSchema.EXISTS)
                .thenCompose(rows -> read(asker, rows.get(0).get(0).equals("t"))));
  }

  /** A database that no client has entered yet has nothing of the replicator's. */
  private CompletableFuture<Known> read(Asker asker, boolean prepared) {
    List<CompletableFuture<List<List<String>>>> answers =
        CatalogueSql.QUERIES.stream()
            .map(sql -> prepared || !sql.equals(CaptureSchema.ASK_LACKS) ? sql : NOT_PREPARED)
            .map(asker::ask)
            .toList();
    return Futures.results(answers).thenApply(this::read);
  }

  /** What answers to the queries of {@link CatalogueSql} tell. */
  Known read(List<List<List<String>>> answers) {
    boolean newer = newerLeads.getAsBoolean();
    Set<String> pure = new HashSet<>();
    Set<String> builtin = new HashSet<>();
    Set<String> suspects = new HashSet<>();
    for (List<String> row : answers.get(0)) {
      if (row.get(1).equals("t")) {
        builtin.add(row.get(0));
        if (row.get(2).equals("t")) {
          pure.add(row.get(0));
        }
      } else {
        suspects.add(row.get(0));
      }
    }
    Set<String> sequences = new HashSet<>();
    answers.get(2).forEach(row -> (row.get(1).equals("t") ? sequences : suspects).add(row.get(0)));
    Set<String> operators = new HashSet<>();
    answers.get(1).forEach(row -> operators.add(row.get(0)));
    boolean code =
        !answers.get(3).get(0).get(0).equals("0")
            || !operators.containsAll(CatalogueSql.IMPLIED_OPERATORS);
    Catalogue catalogue =
        new Catalogue(
            pure,
            builtin,
            operators,
            suspects,
            sequences,
            tables(answers.get(4), newer),
            code,
            !answers.get(6).get(0).get(0).equals("0"));
    return new Known(
        new Classifier(catalogue),
        !answers.get(5).get(0).get(0).equals("0"),
        Captures.of(answers.get(7).get(0).get(0), code, answers.get(8), answers.get(9)));
  }

  private static Map<String, List<Catalogue.Table>> tables(List<List<String>> rows, boolean newer) {
    return rows.stream()
        .collect(
            Collectors.groupingBy(
                row -> row.get(1),
                Collectors.mapping(row -> table(row, newer), Collectors.toList())));
  }

  /**
   * One of them.
   *
   * @param newer whether others may not read the leader's texts, so that rows tell what it did
   */
  private static Catalogue.Table table(List<String> row, boolean newer) {
    Map<String, Catalogue.Column> columns = new LinkedHashMap<>();
    for (String column : split(row.get(4))) {
      int colon = column.lastIndexOf(':');
      String flags = column.substring(colon + 1);
      columns.put(
          unquote(column.substring(0, colon)),
          new Catalogue.Column(
              flags.contains("e"),
              flags.contains("i"),
              fill(flags),
              flags.contains("g"),
              newer && flags.contains("v") ? Catalogue.Input.OTHER : input(flags)));
    }
    boolean deferrable = "t".equals(row.get(6));
    boolean users = !row.get(0).equals("pg_catalog");
    boolean known = row.get(2).equals("t") && users && !deferrable;
    return new Catalogue.Table(
        row.get(0),
        columns,
        split(row.get(5)).stream().map(Catalogues::unquote).toList(),
        known ? granted(writes(row, newer), row.get(10)) : Catalogue.Writes.ANYTHING,
        row.get(8).equals("t"),
        row.get(11).equals("t") && users && !deferrable,
        row.get(12).equals("t") && users);
  }

  private static Catalogue.Writes granted(Catalogue.Writes writes, String partly) {
    if (!partly.equals("t")) {
      return writes;
    }
    return writes == Catalogue.Writes.PLAIN ? Catalogue.Writes.COLUMNS : Catalogue.Writes.ANYTHING;
  }

  private static Catalogue.Writes writes(List<String> row, boolean newer) {
    return switch (row.get(7)) {
      case "0" ->
          row.get(9).equals("t")
              ? Catalogue.Writes.TRIGGERS
              : row.get(3).equals("t") && !newer ? Catalogue.Writes.PLAIN : Catalogue.Writes.ROWS;
      case "1" -> Catalogue.Writes.TRIGGERS;
      default -> Catalogue.Writes.KEY_TRIGGERS;
    };
  }

  private static Catalogue.Fill fill(String flags) {
    if (!flags.contains("d")) {
      return Catalogue.Fill.NULL;
    }
    return flags.contains("c") ? Catalogue.Fill.CONSTANT : Catalogue.Fill.COMPUTED;
  }

  private static Catalogue.Input input(String flags) {
    if (flags.contains("s")) {
      return Catalogue.Input.SAME;
    }
    return flags.contains("t") ? Catalogue.Input.CLOCK : Catalogue.Input.OTHER;
  }

  private static List<String> split(String list) {
    return list == null || list.isEmpty() ? List.of() : Arrays.asList(list.split("\u0001"));
  }

  private static String unquote(String name) {
    return name.startsWith("\"")
        ? name.substring(1, name.length() - 1).replace("\"\"", "\"")
        : name;
  }
}
