package io.mgtm.query.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Tells the class of a statement. Holds where {@code standard_conforming_strings} is on, where
 * parameters have no declared type or a type of a column that is {@link Catalogue.Column#exact},
 * where the catalogue is that of the statement's snapshot, and where the session has no temporary
 * table of a name that the catalogue gives to another. Immutable; any thread.
 */
public final class Classifier {
  static final String LARGE_OBJECTS = "large objects would be written at one server only";

  private final Catalogue catalogue;
  private final Purity purity;
  private final Ddl ddl;

  public Classifier(Catalogue catalogue) {
    this.catalogue = catalogue;
    this.purity = new Purity(catalogue);
    this.ddl = new Ddl(catalogue, purity);
  }

  /** The statements of a text, each with its class; none where the text is empty. */
  public List<Statement> statements(String sql) throws SqlException {
    return statements(sql, new Shapes());
  }

  /**
   * The same.
   *
   * @param known of this classifier, to which is added
   */
  public List<Statement> statements(String sql, Shapes known) throws SqlException {
    List<Statement> statements = new ArrayList<>();
    for (List<Token> tokens : split(Lexer.tokens(sql))) {
      Token last = tokens.get(tokens.size() - 1);
      String text = sql.substring(tokens.get(0).start(), last.end());
      Shapes.Shape shape = known.of(tokens, () -> shape(sql, tokens));
      Classification one = shape.classification();
      RowWrite write = shape.rows() == null ? null : RowWrite.of(shape.rows(), text, tokens);
      CopyFrom copy =
          one.statementClass() == StatementClass.COPY_FROM
              ? CopyFrom.of(catalogue, sql, tokens)
              : null;
      statements.add(new Statement(text, tokens, one, write, copy));
    }
    return statements;
  }

  private Shapes.Shape shape(String sql, List<Token> tokens) {
    Classification one = one(sql, tokens);
    boolean told = one.statementClass().isToldByRows();
    return new Shapes.Shape(one, told ? RowShape.of(catalogue, tokens) : null);
  }

  /** The class of a text, which may have several statements. */
  public Classification classify(String sql) {
    List<List<Token>> statements;
    try {
      statements = split(Lexer.tokens(sql));
    } catch (SqlException e) {
      return of(StatementClass.UNKNOWN, e.getMessage());
    }
    if (statements.isEmpty()) {
      return of(StatementClass.SESSION, "it is empty");
    }
    if (statements.size() == 1) {
      return one(sql, statements.get(0));
    }
    return statements.stream()
            .map(tokens -> one(sql, tokens))
            .allMatch(c -> c.statementClass() == StatementClass.READ)
        ? of(StatementClass.READ, "all its statements only read")
        : of(StatementClass.UNKNOWN, "several statements, not all of which provably only read");
  }

  private static Classification of(StatementClass statementClass, String why) {
    return new Classification(statementClass, why);
  }

  /** Bodies of functions in SQL's own syntax have semicolons: their text then stays whole. */
  private static List<List<Token>> split(List<Token> tokens) {
    boolean atomic = !tokens.isEmpty() && tokens.get(0).isWord("create") && has(tokens, "atomic");
    List<List<Token>> statements = new ArrayList<>();
    List<Token> current = new ArrayList<>();
    int depth = 0;
    for (Token token : tokens) {
      depth += token.isSymbol("(") ? 1 : token.isSymbol(")") ? -1 : 0;
      if (token.isSymbol(";") && depth == 0 && !atomic) {
        if (!current.isEmpty()) {
          statements.add(current);
          current = new ArrayList<>();
        }
      } else {
        current.add(token);
      }
    }
    if (!current.isEmpty()) {
      statements.add(current);
    }
    return statements;
  }

  private Classification one(String sql, List<Token> tokens) {
    Token first = tokens.get(0);
    if (first.isSymbol("(")) {
      return query(tokens);
    }
    if (first.kind() != Token.Kind.WORD) {
      return of(StatementClass.UNKNOWN, "it begins with no key word");
    }
    return switch (first.text()) {
      case "select", "values", "table", "with" -> query(tokens);
      case "explain" -> explain(tokens);
      case "insert", "update", "delete" -> write(tokens);
      case "merge", "call", "do" -> captured(tokens, first.text() + " may write to any table");
      case "lock", "listen", "unlisten", "notify" ->
          of(StatementClass.LEADER, "locks and notifications are the leader server's");
      case "copy" -> copy(sql, tokens);
      case "prepare" ->
          second(tokens, "transaction")
              ? of(StatementClass.TRANSACTION, "two-phase commit")
              : of(StatementClass.SESSION, "prepares a statement");
      case "set" -> set(tokens);
      case "declare" -> declare(tokens);
      default -> named(sql, tokens, first.text());
    };
  }

  private Classification named(String sql, List<Token> tokens, String first) {
    if (Words.CURSOR.contains(first)) {
      return of(StatementClass.LEADER, first + " moves a cursor");
    }
    if (Words.TRANSACTION.contains(first)) {
      return of(StatementClass.TRANSACTION, first + " is of transactions");
    }
    if (Words.SESSION.contains(first)) {
      return of(StatementClass.SESSION, first + " is the session's own");
    }
    if (Words.MAINTENANCE.contains(first)) {
      // The name of an option may be quoted.
      return tokens.stream().anyMatch(token -> token.isName() && token.text().equals("full"))
          ? of(StatementClass.REFUSED, "VACUUM FULL may hold up what the leader has done already")
          : of(StatementClass.MAINTENANCE, first + " changes nothing that a statement sees");
    }
    if (Words.DDL.contains(first)) {
      String why = ddl.whyNot(sql, tokens);
      return why == null
          ? of(StatementClass.DDL, first + " does the same at every server")
          : of(StatementClass.REFUSED, why);
    }
    return of(StatementClass.UNKNOWN, "what " + first + " runs is not known from the text");
  }

  private Classification captured(List<Token> tokens, String why) {
    String not = purity.whyNotToldByRows(tokens);
    return not == null ? of(StatementClass.CAPTURED, why) : of(StatementClass.REFUSED, not);
  }

  /** Why the rows that it writes would not be all that it does, or null. */
  public String whyNotCaptured(Statement statement) {
    return purity.whyNotToldByRows(statement.tokens());
  }

  private static boolean second(List<Token> tokens, String word) {
    return tokens.size() > 1 && tokens.get(1).isWord(word);
  }

  private static boolean has(List<Token> tokens, String word) {
    for (Token token : tokens) {
      if (token.isWord(word)) {
        return true;
      }
    }
    return false;
  }

  private static Classification set(List<Token> tokens) {
    return tokens.stream()
            .anyMatch(t -> t.isName() && t.text().equals("standard_conforming_strings"))
        ? of(StatementClass.REFUSED, "the classes hold with standard_conforming_strings on only")
        : of(StatementClass.SESSION, "set is the session's own");
  }

  private Classification query(List<Token> tokens) {
    String why = purity.whyNotReadOnly(tokens);
    if (why == null) {
      return of(StatementClass.READ, "nothing in it could write");
    }
    if (tokens.stream().anyMatch(t -> t.isName() && t.text().equals("set_config"))) {
      return of(StatementClass.REFUSED, "set_config would set it at one server only");
    }
    if (tokens.stream()
        .anyMatch(t -> t.isName() && Words.LARGE_OBJECT_FUNCTIONS.contains(t.text()))) {
      return of(StatementClass.REFUSED, LARGE_OBJECTS);
    }
    if (purity.whyNotLeader(tokens) == null) {
      return of(StatementClass.LEADER, "it takes locks, or is the leader server's: " + why);
    }
    boolean writes =
        tokens.get(0).isWord("with")
            && tokens.stream().anyMatch(t -> t.kind() == Token.Kind.WORD && isWrite(t));
    if (writes) {
      return captured(tokens, "its WITH may write");
    }
    return has(tokens, "into")
        ? of(StatementClass.UNKNOWN, "it makes rows from a query")
        : of(StatementClass.UNPROVEN_READ, why);
  }

  private static boolean isWrite(Token token) {
    return Words.WRITES.contains(token.text());
  }

  /** A cursor's query runs while rows are fetched, on the server of the transaction. */
  private Classification declare(List<Token> tokens) {
    int at = 0;
    while (at < tokens.size() && !tokens.get(at).isWord("for")) {
      at++;
    }
    boolean hold = has(tokens.subList(0, at), "hold") && !has(tokens.subList(0, at), "without");
    if (hold || at + 1 >= tokens.size()) {
      return of(StatementClass.UNKNOWN, "a cursor that outlives its transaction");
    }
    StatementClass query = query(tokens.subList(at + 1, tokens.size())).statementClass();
    return query == StatementClass.READ || query == StatementClass.LEADER
        ? of(StatementClass.LEADER, "a cursor of a query that does not write")
        : of(StatementClass.UNKNOWN, "a cursor of a query that may write");
  }

  private Classification explain(List<Token> tokens) {
    if (has(tokens, "analyze") || has(tokens, "analyse")) {
      return captured(tokens, "EXPLAIN ANALYZE runs the statement");
    }
    int from = 1;
    while (from < tokens.size() && tokens.get(from).isWord("verbose")) {
      from++;
    }
    if (from < tokens.size() && tokens.get(from).isSymbol("(")) {
      return of(StatementClass.UNPROVEN_READ, "EXPLAIN with options");
    }
    String why = purity.whyNotReadOnly(tokens.subList(from, tokens.size()));
    return why == null
        ? of(StatementClass.READ, "EXPLAIN of what only reads")
        : of(StatementClass.UNPROVEN_READ, why);
  }

  private Classification copy(String sql, List<Token> tokens) {
    int depth = 0;
    for (int i = 1; i < tokens.size(); i++) {
      Token token = tokens.get(i);
      depth += token.isSymbol("(") ? 1 : token.isSymbol(")") ? -1 : 0;
      boolean in = depth == 0 && token.isWord("from");
      boolean out = depth == 0 && token.isWord("to");
      if (in || out) {
        Token end = Purity.next(tokens, i);
        boolean client = end != null && (end.isWord("stdin") || end.isWord("stdout"));
        if (!client) {
          return of(StatementClass.UNKNOWN, "COPY of a file or program of the server");
        }
        if (in) {
          return copyFrom(sql, tokens);
        }
        String why = purity.whyNotReadOnly(withoutColumns(tokens.subList(1, i)));
        return why == null
            ? of(StatementClass.COPY_TO, "rows to the client")
            : of(StatementClass.UNKNOWN, why);
      }
    }
    return of(StatementClass.UNKNOWN, "COPY without FROM and TO");
  }

  private Classification copyFrom(String sql, List<Token> tokens) {
    try {
      CopyFrom.of(catalogue, sql, tokens);
      return of(StatementClass.COPY_FROM, "the same data make the same rows");
    } catch (SqlException e) {
      return of(StatementClass.REFUSED, e.getMessage());
    }
  }

  /** COPY t (a, b) TO: the list is none of arguments. */
  private static List<Token> withoutColumns(List<Token> source) {
    int columns = 0;
    while (columns < source.size() && !source.get(columns).isSymbol("(")) {
      columns++;
    }
    return columns == 0 ? source : source.subList(0, columns);
  }

  private Classification write(List<Token> tokens) {
    Classification one = written(tokens);
    return one.statementClass() == StatementClass.CAPTURED
        ? captured(assignments(tokens), one.why())
        : one;
  }

  private Classification written(List<Token> tokens) {
    String verb = tokens.get(0).text();
    int at = verb.equals("update") ? 1 : 2;
    boolean shaped =
        verb.equals("update") || second(tokens, verb.equals("insert") ? "into" : "from");
    if (!shaped || at >= tokens.size()) {
      return of(StatementClass.UNKNOWN, "it is no " + verb + " that is understood");
    }
    boolean only = tokens.get(at).isWord("only");
    at += only ? 1 : 0;
    String schema = null;
    if (at + 2 < tokens.size() && tokens.get(at + 1).isSymbol(".")) {
      schema = tokens.get(at).text();
      at += 2;
    }
    Token name = at < tokens.size() ? tokens.get(at) : null;
    Catalogue.Table table =
        name != null && name.isName() ? catalogue.tables().get(name.text()) : null;
    if (table == null || (schema != null && !schema.equals(table.schema()))) {
      return of(StatementClass.CAPTURED, "its target is no table that one name alone tells of");
    }
    Classification bad = whyNotRows(verb, tokens, table);
    if (bad != null) {
      return bad;
    }
    String more = whyMoreThanRows(tokens, table);
    boolean columns = table.writes() == Catalogue.Writes.COLUMNS;
    if (more != null && !columns) {
      return of(StatementClass.CHECKED_ROWS, more);
    }
    KeyLocal grammar = new KeyLocal(table, tokens, at + 1);
    boolean keyLocal =
        more == null
            && (columns || table.writes() == Catalogue.Writes.PLAIN)
            && !only
            && switch (verb) {
              case "insert" -> grammar.isInsert();
              case "update" -> grammar.isUpdate();
              default -> grammar.isDelete();
            };
    if (!keyLocal && columns) {
      return of(
          StatementClass.CAPTURED,
          "roles are granted some columns of the table, and may not write whole rows elsewhere");
    }
    if (!keyLocal && table.linked()) {
      return of(StatementClass.LINKED_ROWS, "its rows refer to others of the table");
    }
    return keyLocal
        ? of(StatementClass.KEY_LOCAL, "the same text does the same to the rows of its keys")
        : of(StatementClass.ROWS, "it writes rows of " + name.text() + " only");
  }

  /** Why it may write more than rows of its table, or null. */
  private String whyMoreThanRows(List<Token> tokens, Catalogue.Table table) {
    return table.isRowsOnly()
        ? purity.whyNotRowsOnly(assignments(tokens))
        : "its triggers, or what its foreign keys act on, may write more than its rows";
  }

  /** The class when its rows do not tell what it does, or null. */
  private Classification whyNotRows(String verb, List<Token> tokens, Catalogue.Table table) {
    if (tokens.stream().anyMatch(t -> t.isName() && Words.SYSTEM_COLUMNS.contains(t.text()))) {
      return of(StatementClass.REFUSED, "system columns differ between servers");
    }
    if (table.writes() == Catalogue.Writes.ANYTHING) {
      return of(
          StatementClass.CAPTURED,
          "the table has rules, partitions, row security, checks that read the clock, or triggers that"
              + " fire at COMMIT or always");
    }
    boolean insert = verb.equals("insert");
    if (!insert && table.key().isEmpty()) {
      return of(StatementClass.REFUSED, verb + " of a table without a primary key");
    }
    if (table.key().stream().anyMatch(column -> table.columns().get(column).generated())) {
      return of(StatementClass.CAPTURED, "its primary key is computed from other columns");
    }
    long verbs =
        IntStream.range(0, tokens.size())
            .filter(i -> tokens.get(i).kind() == Token.Kind.WORD && isWrite(tokens.get(i)))
            .filter(i -> insert || !Purity.isLockAt(tokens, i))
            .count();
    boolean conflict = insert && has(tokens, "conflict");
    if (verbs > (conflict && has(tokens, "update") ? 2 : 1)) {
      return of(StatementClass.CAPTURED, "a part of it may write too");
    }
    if (conflict && verbs > 1 && table.key().isEmpty()) {
      return of(StatementClass.CAPTURED, "ON CONFLICT DO UPDATE without a primary key");
    }
    if (SetClause.targets(tokens).stream().anyMatch(table.key()::contains)) {
      return of(StatementClass.CAPTURED, "it may change a primary key");
    }
    if (conflict && verbs > 1 && table.writes() == Catalogue.Writes.KEY_TRIGGERS) {
      return of(StatementClass.CAPTURED, "a trigger may change the key of a row that conflicts");
    }
    String why = purity.whyNotToldByRows(assignments(tokens));
    return why == null ? null : of(StatementClass.REFUSED, why);
  }

  /** Without INSERT's target, which before its list of columns looks like a call. */
  private static List<Token> assignments(List<Token> tokens) {
    if (!tokens.get(0).isWord("insert")) {
      return tokens;
    }
    int at = tokens.size() > 3 && tokens.get(3).isSymbol(".") ? 5 : 3;
    at += at < tokens.size() && tokens.get(at).isWord("as") ? 2 : 0;
    at = Math.min(at, tokens.size());
    return tokens.subList(at, tokens.size());
  }
}
