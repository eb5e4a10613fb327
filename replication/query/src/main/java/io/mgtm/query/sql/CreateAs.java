package io.mgtm.query.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * A CREATE TABLE … AS or SELECT … INTO that makes a permanent table. The leader server runs its
 * text; the others are given the {@link #definition} of the table that came of it, and its rows, so
 * that nothing of the query is read or run there. Immutable.
 */
public final class CreateAs {
  /** The answer to its {@link #definition}. */
  public static final String DEFINED = "CREATE TABLE";

  /** The answer to one whose query was not run, as the table was there or was to be empty. */
  private static final String NO_ROWS = "CREATE TABLE AS";

  /** What may stand between the name and AS, besides a list of columns. */
  private static final Set<String> OPTIONS = Set.of("using", "with", "without", "on", "tablespace");

  private static final Set<String> NOT_PERMANENT =
      Set.of("temp", "temporary", "local", "global", "unlogged");

  private final List<Token> tokens;
  private final TableName name;
  private final boolean ifNotExists;
  private final List<Token> options;
  private final List<Token> query;

  private CreateAs(
      List<Token> tokens,
      TableName name,
      boolean ifNotExists,
      List<Token> options,
      List<Token> query) {
    this.tokens = tokens;
    this.name = name;
    this.ifNotExists = ifNotExists;
    this.options = options;
    this.query = query;
  }

  /** What a statement makes, or null when it is none of these, or not understood. */
  static CreateAs of(List<Token> tokens) {
    return tokens.get(0).isWord("create") ? create(tokens) : select(tokens);
  }

  /** Of a statement; null unless it is of the class CREATE_AS. */
  public static CreateAs of(Statement statement) {
    return statement.statementClass() == StatementClass.CREATE_AS ? of(statement.tokens()) : null;
  }

  private static CreateAs create(List<Token> tokens) {
    boolean ifNotExists = Token.isWordAt(tokens, 2, "if");
    int at = ifNotExists ? 5 : 2;
    if (!Token.isWordAt(tokens, 1, "table") || at >= tokens.size() || !tokens.get(at).isName()) {
      return null;
    }
    TableName name = TableName.at(tokens, at);
    int from = name.last() + 1;
    if (from < tokens.size() && tokens.get(from).isSymbol("(")) {
      from = Token.afterParenthesis(tokens, from);
    }
    int as = wordAt(tokens, from, "as");
    boolean understood = as == from || Token.isOneAt(tokens, from, OPTIONS);
    return understood && as + 1 < tokens.size()
        ? new CreateAs(
            tokens,
            name,
            ifNotExists,
            tokens.subList(from, as),
            tokens.subList(as + 1, tokens.size()))
        : null;
  }

  private static CreateAs select(List<Token> tokens) {
    int into = into(tokens);
    int at = into + (Token.isWordAt(tokens, into + 1, "table") ? 2 : 1);
    if (at >= tokens.size()
        || !tokens.get(at).isName()
        || Token.isOneAt(tokens, into + 1, NOT_PERMANENT)) {
      return null;
    }
    TableName name = TableName.at(tokens, at);
    List<Token> query = new ArrayList<>(tokens.subList(0, into));
    query.addAll(tokens.subList(name.last() + 1, tokens.size()));
    return isPointAt(tokens, name.last() + 1)
        ? null
        : new CreateAs(tokens, name, false, List.of(), query);
  }

  /** Where INTO stands in a SELECT, not as the name of a column; where it has none, its end. */
  static int into(List<Token> tokens) {
    int at = wordAt(tokens, 0, "into");
    while (at > 0
        && at < tokens.size()
        && (tokens.get(at - 1).isWord("as") || tokens.get(at - 1).isSymbol("."))) {
      at = wordAt(tokens, at + 1, "into");
    }
    return at;
  }

  /** Where a key word stands outside of all parentheses; at the end where it does not. */
  private static int wordAt(List<Token> tokens, int from, String word) {
    int at = from;
    while (at < tokens.size() && !tokens.get(at).isWord(word)) {
      at = tokens.get(at).isSymbol("(") ? Token.afterParenthesis(tokens, at) : at + 1;
    }
    return at;
  }

  private static boolean isPointAt(List<Token> tokens, int at) {
    return at < tokens.size() && tokens.get(at).isSymbol(".");
  }

  /** Without the name of the table. */
  List<Token> query() {
    return query;
  }

  /** Whether PostgreSQL does not run the query. */
  boolean isEmpty() {
    return isEmpty(query);
  }

  /** Whether a query ends with WITH NO DATA: then PostgreSQL does not run it. */
  static boolean isEmpty(List<Token> query) {
    int with = query.size() - 3;
    return with >= 0
        && query.get(with).isWord("with")
        && query.get(with + 1).isWord("no")
        && query.get(with + 2).isWord("data");
  }

  /** The schema that it names, or null. */
  public String schema() {
    return name.schema(tokens);
  }

  /** The table, without its schema. */
  public String table() {
    return tokens.get(name.last()).text();
  }

  TableName name() {
    return name;
  }

  /** Whether it has done nothing, by what PostgreSQL has answered: IF NOT EXISTS, and it exists. */
  public boolean isSkipped(String tag) {
    return ifNotExists && !isEmpty() && tag.equals(NO_ROWS);
  }

  /** How many rows the table was made with, by what PostgreSQL has answered. */
  public static long rows(String tag) {
    return tag.equals(NO_ROWS) ? 0 : Long.parseLong(tag.substring(tag.lastIndexOf(' ') + 1));
  }

  /**
   * What makes the table without its rows.
   *
   * @param text of the statement, for the options of the table
   * @param target with its schema, quoted
   * @param columns with their types, as CREATE TABLE has them
   */
  public String definition(String text, String target, String columns) {
    int start = tokens.get(0).start();
    String as =
        options.isEmpty()
            ? ""
            : " "
                + text.substring(
                    options.get(0).start() - start, options.get(options.size() - 1).end() - start);
    return "CREATE TABLE %s%s (%s)%s"
        .formatted(ifNotExists ? "IF NOT EXISTS " : "", target, columns, as);
  }
}
