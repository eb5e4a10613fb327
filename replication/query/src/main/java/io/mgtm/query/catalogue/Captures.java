package io.mgtm.query.catalogue;

import io.mgtm.query.sql.Refusal;
import io.mgtm.query.sql.Statement;
import io.mgtm.query.sql.StatementClass;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Which rows of a database can be captured where a statement writes them, and so be given to other
 * servers whatever has written them; and what was seen to write more than it says, for which they
 * are captured from the first. Any thread.
 *
 * @param lacks what is to be done before any can be, or null
 * @param tables by name, as {@link CaptureSchema#NAME} has it: why rows of it cannot, empty where
 *     they can
 * @param bare those of them that had no trigger of the replicator's, in their order
 * @param lasting names of functions and views that leave more than rows behind, as {@link
 *     LastingSql} tells
 * @param catching names of those that catch all errors
 * @param more tables, and texts that look like reads
 */
public record Captures(
    String lacks,
    Map<String, String> tables,
    List<String> bare,
    Set<String> lasting,
    Set<String> catching,
    Set<String> more) {
  private static final int MORE_MAX = 1_000;
  private static final int TEXT_MAX = 1_000;

  public Captures {
    tables = Map.copyOf(tables);
    bare = List.copyOf(bare);
    lasting = Set.copyOf(lasting);
    catching = Set.copyOf(catching);
  }

  /**
   * Of what a server says.
   *
   * @param rows each a table's name, the reason, and whether it has a trigger
   * @param untried each a name, and what it is
   */
  static Captures of(
      String lacks, boolean userSyntax, List<List<String>> rows, List<List<String>> untried) {
    Map<String, String> tables = new HashMap<>();
    rows.forEach(row -> tables.put(row.get(0), row.get(1)));
    List<String> bare =
        rows.stream()
            .filter(row -> row.get(1).isEmpty() && row.get(2).equals("f"))
            .map(row -> plain(row.get(0)))
            .sorted()
            .toList();
    return new Captures(
        userSyntax ? NO_USER_SYNTAX : lacks,
        tables,
        bare,
        names(untried, LastingSql.LASTING),
        names(untried, LastingSql.CATCHING),
        ConcurrentHashMap.newKeySet());
  }

  private static Set<String> names(List<List<String>> untried, String kind) {
    return untried.stream()
        .filter(row -> row.get(1).equals(kind))
        .map(row -> row.get(0))
        .collect(Collectors.toSet());
  }

  private static final String NO_USER_SYNTAX =
      "Leave casts, domains and common operators that run functions of users out of the database.";

  /** Without quotes where they are not needed. */
  private static String plain(String name) {
    return name.replaceAll("\"([a-z_][a-z0-9_]*)\"", "$1");
  }

  /** Whether rows can be captured in this database. */
  public boolean areOn() {
    return lacks == null;
  }

  /** What a statement names that leaves more than rows behind, or null. */
  public String lasting(Statement statement) {
    return words(statement).filter(lasting::contains).findFirst().orElse(statement.locks());
  }

  /** Whether it names what would catch the error by which a write shows. */
  public boolean isCatching(Statement statement) {
    return words(statement).anyMatch(catching::contains);
  }

  private static Stream<String> words(Statement statement) {
    return IntStream.range(0, statement.tokens().size()).mapToObj(statement::word);
  }

  /** Whether a table, or a text, was seen to write more than it says. */
  public boolean writesMore(String what) {
    return more.contains(what);
  }

  /** It was seen to. What is known of texts is forgotten where it is too much. */
  public void sawMore(String what) {
    if (more.size() >= MORE_MAX) {
      more.removeIf(seen -> !tables.containsKey(seen));
    }
    if (what.length() <= TEXT_MAX) {
      more.add(what);
    }
  }

  /** Why a statement is not run, or null when it is. */
  public Refusal refusal(Statement statement) {
    Refusal refusal = Refusal.of(statement);
    boolean off = statement.statementClass() == StatementClass.CAPTURED && !areOn();
    return refusal == null && off
        ? new Refusal(
            "it cannot be told which rows this writes: " + statement.classification().why(), lacks)
        : refusal;
  }

  /**
   * Why rows that were written to a table cannot be told, or null when they can.
   *
   * @param captured whether the table had the trigger
   */
  public String whyNot(String table, boolean captured) {
    String why = tables.get(table);
    if (why == null) {
      return "a trigger or function has changed the schema, as " + plain(table) + " tells";
    }
    if (!why.isEmpty()) {
      return "rows of %s were written, which %s".formatted(plain(table), why);
    }
    return captured
        ? null
        : "rows of %s were written, which has no trigger of the replicator's"
            .formatted(plain(table));
  }

  /** For people. */
  String text() {
    if (!areOn()) {
      return "off. " + lacks;
    }
    return bare.isEmpty() ? "on" : "on, but for " + String.join(", ", bare);
  }
}
