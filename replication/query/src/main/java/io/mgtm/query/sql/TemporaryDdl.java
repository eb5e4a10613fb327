package io.mgtm.query.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Tells which changes of the schema, and which ANALYZE and VACUUM, are of temporary relations
 * alone: the leader server runs these, and no other. What names one and is not understood, or names
 * others beside, is refused. Immutable.
 *
 * <p>What is let through must keep this: the name of a temporary table means that table until a
 * statement of its own session says otherwise, and no row of a permanent table is written. So none
 * inherits from a permanent table or is of a type that may be dropped, and none is filled by a
 * query that may write. And COMMIT must not fail at the leader by them, when others have committed.
 */
final class TemporaryDdl {
  private static final Set<String> MADE = Set.of("table", "view", "sequence");

  private static final Set<String> KINDS = Set.of("table", "index", "view", "sequence");

  private static final Set<String> COMMENTED =
      Set.of("table", "index", "view", "sequence", "column");

  static final String MIXED =
      "it names a temporary table, which is the leader server's, in what all servers are to do";

  /** What none of these methods tells of, but others. */
  private static final String OTHER = "-";

  private static final String INHERITS =
      "a temporary table that inherits from another, or is of a type, is not its session's alone";

  private final Temporaries temporaries;
  private final Catalogue catalogue;
  private final Purity purity;

  TemporaryDdl(Temporaries temporaries, Catalogue catalogue, Purity purity) {
    this.temporaries = temporaries;
    this.catalogue = catalogue;
    this.purity = purity;
  }

  /** The class of one that is of temporary relations, or names one; else null. */
  Classification of(String sql, List<Token> tokens) {
    String why =
        switch (tokens.get(0).text()) {
          case "create" -> create(tokens);
          case "alter" -> alter(tokens);
          case "drop" -> drop(tokens);
          case "truncate" -> of(new Names(tokens, Token.isWordAt(tokens, 1, "table") ? 2 : 1));
          case "comment" -> comment(tokens);
          case "analyze", "analyse", "vacuum" -> maintenance(tokens);
          default -> temporaries.areNamed(tokens) ? MIXED : OTHER;
        };
    if (why.equals(OTHER)) {
      boolean quoted = !tokens.get(0).isWord("comment") && temporaries.areQuoted(sql, tokens);
      return quoted ? StatementClass.REFUSED.because(MIXED) : null;
    }
    return because(why);
  }

  /**
   * The class of what is of temporary relations.
   *
   * @param why it is refused, or empty
   */
  private Classification because(String why) {
    String not = catalogue.hasEventTriggers() ? "the database has event triggers" : why;
    return not.isEmpty()
        ? StatementClass.TEMPORARY.because("temporary tables are the leader server's")
        : StatementClass.REFUSED.because(not);
  }

  /** The class of SELECT … INTO, where it makes a temporary table; else null. */
  Classification ofSelect(List<Token> tokens) {
    int into = CreateAs.into(tokens);
    int at = into + 1;
    boolean scope = Token.isWordAt(tokens, at, "local") || Token.isWordAt(tokens, at, "global");
    at += scope ? 1 : 0;
    boolean temporary =
        Token.isWordAt(tokens, at, "temp") || Token.isWordAt(tokens, at, "temporary");
    at += temporary ? 1 : 0;
    at += Token.isWordAt(tokens, at, "table") ? 1 : 0;
    if (at >= tokens.size()) {
      return null;
    }
    TableName name = TableName.at(tokens, at);
    if (!temporary && !isInSchema(name, tokens)) {
      return null;
    }
    List<Token> query = new ArrayList<>(tokens.subList(0, into));
    query.addAll(tokens.subList(Math.min(name.last() + 1, tokens.size()), tokens.size()));
    String why = whyNotFilledBy(query);
    return because(why == null ? "" : why);
  }

  private String of(Names names) {
    if (names.someAre()) {
      return names.allAre() ? "" : MIXED;
    }
    return temporaries.areNamed(names.tokens) ? MIXED : OTHER;
  }

  private String create(List<Token> tokens) {
    int at = Token.isWordAt(tokens, 1, "or") ? 3 : 1;
    at += Token.isWordAt(tokens, at, "local") || Token.isWordAt(tokens, at, "global") ? 1 : 0;
    boolean temporary =
        Token.isWordAt(tokens, at, "temp") || Token.isWordAt(tokens, at, "temporary");
    at += temporary ? 1 : 0;
    at += Token.isWordAt(tokens, at, "recursive") || Token.isWordAt(tokens, at, "unique") ? 1 : 0;
    String kind = at < tokens.size() ? tokens.get(at).text() : "";
    if (kind.equals("index")) {
      at = Token.find(tokens, at, "on");
      at += Token.isWordAt(tokens, at + 1, "only") ? 2 : 1;
      return altered(tokens, at);
    }
    at++;
    at += Token.isWordAt(tokens, at, "if") ? 3 : 0;
    if (at >= tokens.size() || !MADE.contains(kind)) {
      return temporaries.areNamed(tokens) ? MIXED : OTHER;
    }
    TableName name = TableName.at(tokens, at);
    if (!temporary && !isInSchema(name, tokens)) {
      return temporaries.areNamed(tokens) ? MIXED : OTHER;
    }
    return kind.equals("table") ? table(tokens, name.last() + 1) : "";
  }

  /**
   * Whether what is made is temporary by its name: other names are none of those that there are.
   */
  boolean isInSchema(TableName name, List<Token> tokens) {
    return name.last() > name.first() && temporaries.isOf(name, tokens);
  }

  private String table(List<Token> tokens, int after) {
    int depth = 0;
    boolean deletes = false;
    for (int i = after; i < tokens.size(); i++) {
      Token token = tokens.get(i);
      depth += token.isSymbol("(") ? 1 : token.isSymbol(")") ? -1 : 0;
      if (depth == 0 && token.isWord("as")) {
        String why = whyNotFilledBy(tokens.subList(i + 1, tokens.size()));
        if (why != null) {
          return why;
        }
        break;
      }
      boolean partition = i > after && tokens.get(i - 1).isWord("partition");
      boolean inherits =
          token.isWord("inherits") && !(i + 2 < tokens.size() && new Names(tokens, i + 2).allAre());
      if (depth == 0 && (inherits || (token.isWord("of") && !partition))) {
        return INHERITS;
      }
      deletes |= depth == 0 && token.isWord("delete");
    }
    boolean refers = refers(tokens);
    return (deletes && (refers || temporaries.haveForeignKeys()))
            || (refers && temporaries.emptied())
        ? "COMMIT may fail by foreign keys of tables that it is to empty"
        : "";
  }

  private static boolean refers(List<Token> tokens) {
    return Token.hasWord(tokens, "references");
  }

  /** Why a query may do more than to give rows to a table that is made, or null. */
  private String whyNotFilledBy(List<Token> query) {
    if (CreateAs.isEmpty(query)) {
      return null;
    }
    boolean writes = query.stream().anyMatch(Words::isWrite) || Token.isWordAt(query, 0, "execute");
    String why = writes ? "it may write" : purity.whyNotRowsOnly(query);
    return why == null && temporaries.mayRunCode(query) ? "it may run code of users" : why;
  }

  private String alter(List<Token> tokens) {
    if (tokens.size() < 3 || !KINDS.contains(tokens.get(1).text())) {
      return temporaries.areNamed(tokens) ? MIXED : OTHER;
    }
    int at = Token.isWordAt(tokens, 2, "if") ? 4 : 2;
    return altered(tokens, at + (Token.isWordAt(tokens, at, "only") ? 1 : 0));
  }

  /** What is done to the relation whose name begins at a token. */
  private String altered(List<Token> tokens, int at) {
    if (at >= tokens.size() || !temporaries.isOf(TableName.at(tokens, at), tokens)) {
      return temporaries.areNamed(tokens) ? MIXED : OTHER;
    }
    List<Token> actions = tokens.subList(TableName.at(tokens, at).last() + 1, tokens.size());
    if (Token.hasWord(actions, "inherit") || Token.hasWord(actions, "of")) {
      return INHERITS;
    }
    if (refers(actions) && temporaries.emptied()) {
      return "COMMIT may fail by foreign keys of tables that it is to empty";
    }
    String code = purity.whyUsersCode(actions);
    String why = code == null ? purity.whyNotToldByRows(actions) : code;
    return why == null ? "" : why;
  }

  private String drop(List<Token> tokens) {
    if (tokens.size() < 3 || !KINDS.contains(tokens.get(1).text())) {
      return temporaries.areNamed(tokens) ? MIXED : OTHER;
    }
    int at = Token.isWordAt(tokens, 2, "concurrently") ? 3 : 2;
    return of(new Names(tokens, at + (Token.isWordAt(tokens, at, "if") ? 2 : 0)));
  }

  /** COMMENT ON COLUMN t.c IS …: what stands before the last point is the table. */
  private String comment(List<Token> tokens) {
    String kind = tokens.size() > 3 ? tokens.get(2).text() : "";
    if (!COMMENTED.contains(kind)) {
      return temporaries.areNamed(tokens) ? MIXED : OTHER;
    }
    int is = Token.find(tokens, 3, "is");
    int end = kind.equals("column") ? is - 2 : is;
    List<Token> name = tokens.subList(3, Math.max(3, end));
    if (name.isEmpty() || !temporaries.isOf(TableName.at(name, 0), name)) {
      return temporaries.areNamed(tokens) ? MIXED : OTHER;
    }
    return "";
  }

  private String maintenance(List<Token> tokens) {
    int at = 1;
    if (at < tokens.size() && tokens.get(at).isSymbol("(")) {
      while (at < tokens.size() && !tokens.get(at).isSymbol(")")) {
        at++;
      }
      at++;
    }
    while (at < tokens.size() && Words.MAINTENANCE_OPTIONS.contains(tokens.get(at).text())) {
      at++;
    }
    return of(new Names(tokens, at));
  }

  /** A list of names, each with ONLY before it, and columns or a star behind it. */
  private final class Names extends TokenReader {
    private int count;
    private int temporary;

    Names(List<Token> tokens, int at) {
      super(tokens, at);
      do {
        takeWord("only");
        if (atEnd()) {
          break;
        }
        TableName name = TableName.at(tokens, this.at);
        count++;
        temporary += temporaries.isOf(name, tokens) ? 1 : 0;
        this.at = name.last() + 1;
        takeOperator("*");
        if (takeSymbol("(")) {
          while (!atEnd() && !takeSymbol(")")) {
            this.at++;
          }
        }
      } while (takeSymbol(","));
    }

    boolean someAre() {
      return temporary > 0;
    }

    boolean allAre() {
      return temporary == count;
    }
  }
}
