package io.mgtm.query.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Tells the class of a statement. Holds where {@code standard_conforming_strings} is on, where
 * parameters have no declared type or a type of a column that is {@link Catalogue.Column#exact},
 * where the catalogue is that of the statement's snapshot, and where the session has the temporary
 * relations that are named here, and no others. Immutable; any thread.
 */
public final class Classifier {
  static final String LARGE_OBJECTS = "large objects would be written at one server only";

  private final Catalogue catalogue;
  private final Temporaries temporaries;
  private final Purity purity;
  private final Ddl ddl;
  private final TemporaryDdl temporaryDdl;
  private final WriteClassifier writes;

  public Classifier(Catalogue catalogue) {
    this(catalogue, Temporaries.NONE);
  }

  private Classifier(Catalogue catalogue, Temporaries temporaries) {
    this.catalogue = catalogue;
    this.temporaries = temporaries;
    this.purity = new Purity(catalogue);
    this.ddl = new Ddl(catalogue, purity);
    this.temporaryDdl = new TemporaryDdl(temporaries, catalogue, purity);
    this.writes = new WriteClassifier(catalogue, temporaries, purity);
  }

  /** For a session that has these temporary relations. */
  public Classifier with(Temporaries ofSession) {
    return new Classifier(catalogue, ofSession);
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
      statements.add(new Statement(text, tokens, one, write, copy, shape.numbers(), shape.draws()));
    }
    return statements;
  }

  private Shapes.Shape shape(String sql, List<Token> tokens) {
    Classification one = one(sql, tokens);
    StatementClass its = one.statementClass();
    return new Shapes.Shape(
        one,
        its.isToldByRows() ? RowShape.of(catalogue, tokens) : null,
        Numbers.mayBeParameters(catalogue, its, tokens),
        SequenceCalls.areIn(tokens));
  }

  /** The class of a text, which may have several statements. */
  public Classification classify(String sql) {
    List<List<Token>> statements;
    try {
      statements = split(Lexer.tokens(sql));
    } catch (SqlException e) {
      return StatementClass.UNKNOWN.because(e.getMessage());
    }
    if (statements.isEmpty()) {
      return StatementClass.SESSION.because("it is empty");
    }
    if (statements.size() == 1) {
      return one(sql, statements.get(0));
    }
    return statements.stream()
            .map(tokens -> one(sql, tokens))
            .allMatch(c -> c.statementClass() == StatementClass.READ)
        ? StatementClass.READ.because("all its statements only read")
        : StatementClass.UNKNOWN.because("several statements, not all of which provably only read");
  }

  /** Bodies of functions in SQL's own syntax have semicolons: their text stays whole. */
  private static List<List<Token>> split(List<Token> tokens) {
    List<List<Token>> statements = new ArrayList<>();
    List<Token> current = new ArrayList<>();
    int depth = 0;
    boolean body = false;
    Token before = null;
    for (Token token : tokens) {
      depth += token.isSymbol("(") ? 1 : token.isSymbol(")") ? -1 : 0;
      if (body) {
        body = !(token.isWord("end") && (before.isSymbol(";") || before.isWord("atomic")));
      } else if (depth == 0 && token.isWord("atomic") && before != null && before.isWord("begin")) {
        body = CodeDdl.makesRoutine(current);
      }
      before = token;
      if (token.isSymbol(";") && depth == 0 && !body) {
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
      return StatementClass.UNKNOWN.because("it begins with no key word");
    }
    return switch (first.text()) {
      case "select" -> select(sql, tokens);
      case "values", "table", "with" -> query(tokens);
      case "explain" -> explain(tokens);
      case "insert", "update", "delete" -> writes.classify(tokens);
      case "merge" -> writes.merge(tokens);
      case "call", "do" -> writes.captured(tokens, first.text() + " may write to any table");
      case "lock", "listen", "unlisten", "notify" ->
          StatementClass.LEADER.because("locks and notifications are the leader server's");
      case "copy" -> copy(sql, tokens);
      case "prepare" ->
          Token.isWordAt(tokens, 1, "transaction")
              ? StatementClass.TRANSACTION.because("two-phase commit")
              : StatementClass.SESSION.because("prepares a statement");
      case "execute" -> StatementClass.EXECUTE.because("what it executes has a class");
      case "set" -> set(tokens);
      case "declare" -> declare(tokens);
      default -> named(sql, tokens, first.text());
    };
  }

  private Classification named(String sql, List<Token> tokens, String first) {
    if (Words.CURSOR.contains(first)) {
      return StatementClass.LEADER.because(first + " moves a cursor");
    }
    if (Words.TRANSACTION.contains(first)) {
      return StatementClass.TRANSACTION.because(first + " is of transactions");
    }
    if (Words.SESSION.contains(first)) {
      return StatementClass.SESSION.because(first + " is the session's own");
    }
    if (ddl.isCapture(tokens)) {
      return StatementClass.OWN.because("the replicator gives tables this trigger by itself");
    }
    Classification made = first.equals("create") ? createAs(tokens) : null;
    if (made != null) {
      return made;
    }
    boolean schema = Words.MAINTENANCE.contains(first) || Words.DDL.contains(first);
    Classification temporary = schema ? temporaryDdl.of(sql, tokens) : null;
    if (temporary != null) {
      // A default is the leader's alone, and what it does beside is not looked at.
      String does = Token.hasWord(tokens, "default") ? purity.whyNotToldByRows(tokens) : null;
      return does == null ? temporary : StatementClass.REFUSED.because(does);
    }
    if (Words.MAINTENANCE.contains(first)) {
      // The name of an option may be quoted.
      return Token.hasName(tokens, "full")
          ? StatementClass.REFUSED.because(
              "VACUUM FULL may hold up what the leader has done already")
          : StatementClass.MAINTENANCE.because(first + " changes nothing that a statement sees");
    }
    if (Words.DDL.contains(first)) {
      String why = ddl.whyNot(sql, tokens);
      return why == null
          ? StatementClass.DDL.because(first + " does the same at every server")
          : StatementClass.REFUSED.because(why);
    }
    return StatementClass.UNKNOWN.because("what " + first + " runs is not known from the text");
  }

  /** The class of what makes a permanent table of a query; null where that is not seen. */
  private Classification createAs(List<Token> tokens) {
    CreateAs made = CreateAs.of(tokens);
    if (made == null || temporaryDdl.isInSchema(made.name(), tokens)) {
      return null;
    }
    String why = ddl.whyNot(made);
    if (why == null && !made.isEmpty() && temporaries.mayRunCode(made.query())) {
      why = WriteClassifier.TEMPORARY_VIEW;
    }
    return why == null
        ? StatementClass.CREATE_AS.because("its rows are all that the query gives")
        : StatementClass.REFUSED.because(why);
  }

  /** Why the rows that it writes would not be all that it does, or null. */
  public String whyNotCaptured(Statement statement) {
    return purity.whyNotToldByRows(statement.tokens());
  }

  private Classification set(List<Token> tokens) {
    boolean constraints = Token.isWordAt(tokens, 1, "constraints");
    if (constraints && !Token.isWordAt(tokens, 2, "all") && !temporaries.areNone()) {
      return StatementClass.REFUSED.because(
          "a constraint may be of a temporary table, which is the leader server's");
    }
    return StatementClass.SESSION.because("set is the session's own");
  }

  private Classification select(String sql, List<Token> tokens) {
    if (!Token.hasName(tokens, "set_config")) {
      return query(tokens);
    }
    List<Setting> sets = Setting.of(sql.substring(tokens.get(0).start()), tokens);
    boolean listed =
        sets.stream().noneMatch(Setting::ifKnown)
            || (catalogue.table(null, "pg_settings") != null && !temporaries.areNamed(tokens));
    return !sets.isEmpty() && listed && purity.whyUsersCode(tokens) == null
        ? StatementClass.SESSION.because("set_config is the session's own, as SET")
        : query(tokens);
  }

  /** A query by itself: what is learnt of catalogues is asked of one server all the time. */
  private Classification query(List<Token> tokens) {
    Classification its = queryOfOneServer(tokens);
    if (its.statementClass() != StatementClass.READ) {
      return its;
    }
    return Words.tellOfObjects(tokens)
        ? StatementClass.UNPROVEN_READ.because(
            "the numbers of tables, types and their like (OIDs) are each server's own")
        : ofSession(tokens, its);
  }

  /** What reads, where it may name what is at the leader alone. */
  private Classification ofSession(List<Token> tokens, Classification read) {
    if (Token.hasName(tokens, catalogue.sequences())) {
      return StatementClass.LEADER.because("sequences of other servers are further");
    }
    return temporaries.areNamed(tokens)
        ? StatementClass.LEADER.because("temporary tables are the leader server's")
        : read;
  }

  private Classification queryOfOneServer(List<Token> tokens) {
    boolean code = temporaries.mayRunCode(tokens);
    String why = code ? WriteClassifier.TEMPORARY_VIEW : purity.whyNotReadOnly(tokens);
    if (why == null) {
      return StatementClass.READ.because("nothing in it could write");
    }
    if (Token.hasName(tokens, "set_config")) {
      return StatementClass.REFUSED.because(Setting.NOT_PLAIN);
    }
    if (Token.hasName(tokens, Words.LARGE_OBJECT_FUNCTIONS)) {
      return StatementClass.REFUSED.because(LARGE_OBJECTS);
    }
    if (!code && purity.whyNotLeader(tokens) == null) {
      return StatementClass.LEADER.because(
          "it takes locks, draws from a sequence, or is the leader server's: " + why);
    }
    if (tokens.get(0).isWord("with") && tokens.stream().anyMatch(Words::isWrite)) {
      return writes.captured(tokens, "its WITH may write");
    }
    return Token.hasWord(tokens, "into") ? into(tokens) : StatementClass.UNPROVEN_READ.because(why);
  }

  private Classification into(List<Token> tokens) {
    Classification temporary = temporaryDdl.ofSelect(tokens);
    Classification made = temporary == null ? createAs(tokens) : temporary;
    return made == null ? StatementClass.UNKNOWN.because("it makes rows from a query") : made;
  }

  /** A cursor's query runs while rows are fetched, on the server of the transaction. */
  private Classification declare(List<Token> tokens) {
    int at = queryAt(tokens);
    StatementClass query =
        at < tokens.size()
            ? queryOfOneServer(tokens.subList(at, tokens.size())).statementClass()
            : StatementClass.UNKNOWN;
    return !SequenceCalls.areIn(tokens)
            && (query == StatementClass.READ || query == StatementClass.LEADER)
        ? StatementClass.LEADER.because("a cursor of a query that does not write")
        : StatementClass.UNKNOWN.because("a cursor of a query that may write");
  }

  /** Of DECLARE, what follows FOR; the end where that is missing. */
  private static int queryAt(List<Token> tokens) {
    return Math.min(Token.find(tokens, 0, "for") + 1, tokens.size());
  }

  /** Whether DECLARE has WITH HOLD. */
  static boolean isHeld(List<Token> tokens) {
    List<Token> options = tokens.subList(0, queryAt(tokens));
    return Token.hasWord(options, "hold") && !Token.hasWord(options, "without");
  }

  private Classification explain(List<Token> tokens) {
    int statement = Token.isSymbolAt(tokens, 1, "(") ? Token.afterParenthesis(tokens, 1) : 1;
    while (Token.isOneAt(tokens, statement, Set.of("analyze", "analyse", "verbose"))) {
      statement++;
    }
    if (Token.isWordAt(tokens, statement, "execute")) {
      return StatementClass.EXECUTE.because("what it explains has a class");
    }
    if (Token.hasWord(tokens, "analyze") || Token.hasWord(tokens, "analyse")) {
      return writes.captured(tokens, "EXPLAIN ANALYZE runs the statement");
    }
    int from = 1;
    while (from < tokens.size() && tokens.get(from).isWord("verbose")) {
      from++;
    }
    if (from < tokens.size() && tokens.get(from).isSymbol("(")) {
      return StatementClass.UNPROVEN_READ.because("EXPLAIN with options");
    }
    String why =
        temporaries.mayRunCode(tokens)
            ? WriteClassifier.TEMPORARY_VIEW
            : purity.whyNotReadOnly(tokens.subList(from, tokens.size()));
    return why == null
        ? ofSession(tokens, StatementClass.READ.because("EXPLAIN of what only reads"))
        : StatementClass.UNPROVEN_READ.because(why);
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
          return StatementClass.UNKNOWN.because("COPY of a file or program of the server");
        }
        if (in) {
          return copyFrom(sql, tokens);
        }
        String why = purity.whyNotReadOnly(withoutColumns(tokens.subList(1, i)));
        if (why == null && temporaries.mayRunCode(tokens)) {
          why = WriteClassifier.TEMPORARY_VIEW;
        }
        return why == null
            ? ofSession(tokens, StatementClass.COPY_TO.because("rows to the client"))
            : StatementClass.UNKNOWN.because(why);
      }
    }
    return StatementClass.UNKNOWN.because("COPY without FROM and TO");
  }

  private Classification copyFrom(String sql, List<Token> tokens) {
    TableName name = TableName.at(tokens, Token.isWordAt(tokens, 1, "binary") ? 2 : 1);
    Temporaries.Relation temporary = temporaries.at(name, tokens);
    if (temporary != null) {
      return temporary.table()
          ? StatementClass.TEMPORARY.because("temporary tables are the leader server's")
          : StatementClass.REFUSED.because("it may write to other tables");
    }
    if (temporaries.mayBeOf(name, tokens)) {
      return StatementClass.REFUSED.because(TemporaryDdl.MIXED);
    }
    try {
      CopyFrom.of(catalogue, sql, tokens);
      return StatementClass.COPY_FROM.because("the same data make the same rows");
    } catch (SqlException e) {
      return writes.captured(tokens, e.getMessage());
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
}
