package io.mgtm.query.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * What of a {@link RowWrite} is the same for all statements that differ in nothing but constants
 * and white space.
 *
 * @param target its table with the schema, quoted
 * @param schema the table's, quoted
 * @param at where the table is named
 * @param returns what follows the text at the leader
 */
record RowShape(
    String target,
    String schema,
    TableName at,
    String returns,
    String effectSql,
    List<String> columns,
    Set<String> texts,
    boolean keyTold,
    boolean returning) {
  RowShape {
    columns = List.copyOf(columns);
    texts = Set.copyOf(texts);
  }

  /** Of an INSERT, UPDATE or DELETE whose rows tell what it does, as {@link Classifier} has it. */
  static RowShape of(Catalogue catalogue, List<Token> tokens) {
    WriteTarget to = WriteTarget.of(tokens);
    String verb = to.verb();
    TableName at = to.table();
    String name = tokens.get(at.last()).text();
    Catalogue.Table table = at.in(catalogue, tokens);
    String alias = alias(verb, tokens, at.last() + 1);
    List<String> columns = columns(verb, table);
    Set<String> texts =
        columns.stream()
            .filter(c -> table.columns().get(c).input() == Catalogue.Input.OTHER)
            .collect(Collectors.toSet());
    boolean returning = Token.hasWord(tokens, "returning");
    String prefix = Quoting.name(alias == null ? name : alias) + ".";
    String returns =
        (returning ? ", " : " RETURNING ")
            + columns.stream()
                .map(c -> prefix + Quoting.name(c) + (texts.contains(c) ? "::pg_catalog.text" : ""))
                .collect(Collectors.joining(", "));
    boolean upsert = verb.equals("insert") && isUpsert(tokens);
    String schema = Quoting.name(table.schema());
    String target = schema + "." + Quoting.name(name);
    boolean keyTold = verb.equals("update") && table.writes() == Catalogue.Writes.KEY_TRIGGERS;
    if (keyTold) {
      returns += ", " + wasThere(target, table.key(), prefix);
    }
    String effect = effect(verb, target, table, columns, upsert);
    return new RowShape(target, schema, at, returns, effect, columns, texts, keyTold, returning);
  }

  /**
   * Whether a row has the key of one that was in the table before: a query in RETURNING does not
   * see what its own statement writes. A key that a trigger has changed is new: was it that of
   * another row, that row has changed its own, and the last in such a chain has a new one.
   */
  private static String wasThere(String target, List<String> key, String prefix) {
    String old = Quoting.name("mgtm old") + ".";
    return key.stream()
        .map(c -> old + Quoting.name(c) + " OPERATOR(pg_catalog.=) " + prefix + Quoting.name(c))
        .collect(
            Collectors.joining(
                " AND ",
                "EXISTS (SELECT FROM ONLY " + target + " AS \"mgtm old\" WHERE ",
                " AND pg_catalog.record_image_eq(%s, %s))"
                    .formatted(row(old, key), row(prefix, key))));
  }

  /** For record_image_eq, to which 1.0 is not 1.00. */
  private static String row(String prefix, List<String> columns) {
    return columns.stream()
        .map(c -> prefix + Quoting.name(c))
        .collect(Collectors.joining(", ", "ROW(", ")"));
  }

  private static boolean isUpsert(List<Token> tokens) {
    return Token.hasWord(tokens, "conflict") && Token.hasWord(tokens, "update");
  }

  /** The other name that the statement gives its table, or null. */
  private static String alias(String verb, List<Token> tokens, int from) {
    int at = from;
    if (at < tokens.size() && tokens.get(at).isOperator("*")) {
      at++;
    }
    if (at + 1 < tokens.size() && tokens.get(at).isWord("as")) {
      return tokens.get(at + 1).text();
    }
    boolean named =
        !verb.equals("insert")
            && at < tokens.size()
            && tokens.get(at).isName()
            && !isClause(tokens.get(at));
    return named ? tokens.get(at).text() : null;
  }

  private static boolean isClause(Token token) {
    return token.isWord("set")
        || token.isWord("using")
        || token.isWord("where")
        || token.isWord("returning");
  }

  private static List<String> columns(String verb, Catalogue.Table table) {
    if (verb.equals("delete")) {
      return table.key();
    }
    List<String> columns = new ArrayList<>(table.key());
    new TreeSet<>(table.columns().keySet())
        .stream()
            .filter(c -> !table.columns().get(c).generated() && !table.key().contains(c))
            .forEach(columns::add);
    return columns;
  }

  private static String effect(
      String verb, String table, Catalogue.Table shape, List<String> columns, boolean upsert) {
    List<String> others = columns.subList(shape.key().size(), columns.size());
    String key =
        shape.key().stream()
            .map(c -> Quoting.name(c) + " OPERATOR(pg_catalog.=) $" + (columns.indexOf(c) + 1))
            .collect(Collectors.joining(" AND "));
    if (verb.equals("delete")) {
      return "DELETE FROM ONLY " + table + " WHERE " + key;
    }
    if (verb.equals("update")) {
      // Of generated columns no value is given, and they may be all that there is to write.
      String set =
          (others.isEmpty() ? shape.columns().keySet() : others)
              .stream()
                  .filter(c -> !shape.key().contains(c))
                  .map(
                      c ->
                          Quoting.name(c)
                              + " = "
                              + (others.isEmpty() ? "DEFAULT" : parameter(columns, c)))
                  .collect(Collectors.joining(", "));
      return "UPDATE ONLY " + table + " SET " + set + " WHERE " + key;
    }
    StringBuilder insert = new StringBuilder("INSERT INTO " + table);
    // A table may be named excluded.
    insert.append(upsert ? " AS kept (" : " (");
    insert.append(columns.stream().map(Quoting::name).collect(Collectors.joining(", ")));
    insert.append(") OVERRIDING SYSTEM VALUE VALUES (");
    for (int i = 1; i <= columns.size(); i++) {
      insert.append(i == 1 ? "$" : ", $").append(i);
    }
    insert.append(')');
    if (upsert) {
      String names = shape.key().stream().map(Quoting::name).collect(Collectors.joining(", "));
      String set =
          others.stream()
              .map(c -> Quoting.name(c) + " = EXCLUDED." + Quoting.name(c))
              .collect(Collectors.joining(", "));
      insert.append(" ON CONFLICT (").append(names).append(") DO ");
      insert.append(set.isEmpty() ? "NOTHING" : "UPDATE SET " + set);
    }
    return insert.toString();
  }

  private static String parameter(List<String> columns, String column) {
    return "$" + (columns.indexOf(column) + 1);
  }
}
