package io.mgtm.query.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Tells which definitions of functions, procedures and triggers do the same at every server when
 * their text is run there. Immutable.
 *
 * <p>What is let through must keep this: no statement of another session that was taken for a read
 * before may run code of users after. Such a statement calls by the names of PostgreSQL's own
 * functions only, so none of these is given to another one. It may also call a function of one
 * value by what looks like a column, {@code value.name}: so who makes one waits, before it commits,
 * until such statements have ended. A trigger takes a lock that who writes to its table holds too.
 */
final class CodeDdl {
  private static final Set<String> LANGUAGES = Set.of("sql", "plpgsql");

  /** Options of a function that other servers may lack, or that stand for a setting of now. */
  private static final Set<String> OPTIONS_REFUSED =
      Set.of("current", "support", "transform", "window");

  private static final Set<String> ALTER_REFUSED = Set.of("current", "depends", "rename", "schema");

  private static final String CAPTURE = "mgtm_capture";
  static final String OWN = "triggers of such names are the replicator's";

  private final Catalogue catalogue;

  CodeDdl(Catalogue catalogue) {
    this.catalogue = catalogue;
  }

  private static boolean isRoutine(String kind) {
    return kind.equals("function") || kind.equals("procedure");
  }

  /** Whether a statement that begins so makes a function or a procedure. */
  static boolean makesRoutine(List<Token> tokens) {
    return !tokens.isEmpty() && tokens.get(0).isWord("create") && isRoutine(kind(tokens));
  }

  /** Whether a statement makes a function that what looks like a column may call. */
  static boolean makesColumnLike(List<Token> tokens) {
    if (!makesRoutine(tokens) || !kind(tokens).equals("function")) {
      return false;
    }
    int open = TableName.at(tokens, kindAt(tokens) + 1).last() + 1;
    return mayTakeOne(tokens.subList(open + 1, Token.afterParenthesis(tokens, open) - 1));
  }

  /** What it makes, or the kind of what it alters. */
  private static String kind(List<Token> tokens) {
    int at = kindAt(tokens);
    return at < tokens.size() && tokens.get(at).kind() == Token.Kind.WORD
        ? tokens.get(at).text()
        : "";
  }

  private static int kindAt(List<Token> tokens) {
    return Token.isWordAt(tokens, 1, "or") ? 3 : 1;
  }

  /** Whether a statement that begins with CREATE or ALTER is of these. */
  boolean isOne(List<Token> tokens) {
    String kind = kind(tokens);
    return isRoutine(kind) || (kind.equals("trigger") && tokens.get(0).isWord("create"));
  }

  /** The tokens without the body of a function, which is no value and read when it is run. */
  static List<Token> withoutBody(List<Token> tokens) {
    if (!makesRoutine(tokens)) {
      return tokens;
    }
    List<Token> without = new ArrayList<>(tokens.size());
    int depth = 0;
    Token before = null;
    for (Token token : tokens) {
      depth += token.isSymbol("(") ? 1 : token.isSymbol(")") ? -1 : 0;
      if (depth > 0 || before == null || !isBody(before, token)) {
        without.add(token);
      }
      before = token;
    }
    return without;
  }

  /**
   * Why one of them may not do the same everywhere, or null when it does.
   *
   * @param sql the whole text, in which the tokens have their places
   */
  String whyNot(String sql, List<Token> tokens) {
    if (tokens.get(0).isWord("alter")) {
      return tokens.stream()
          .filter(token -> token.kind() == Token.Kind.WORD && ALTER_REFUSED.contains(token.text()))
          .findFirst()
          .map(token -> "it has the word " + token.text())
          .orElse(null);
    }
    int at = kindAt(tokens);
    return kind(tokens).equals("trigger")
        ? trigger(tokens, at + 1)
        : routine(sql, tokens, TableName.at(tokens, at + 1));
  }

  private static String trigger(List<Token> tokens, int name) {
    if (name >= tokens.size() || !tokens.get(name).isName()) {
      return "it is no trigger that is understood";
    }
    return isOwn(tokens.get(name)) ? OWN : null;
  }

  /**
   * Whether it makes, switches on or drops the trigger by which the replicator captures rows of a
   * table, and nothing else.
   */
  boolean isCapture(List<Token> tokens) {
    int end = tokens.size();
    return switch (tokens.get(0).text() + " " + tokens.get(Math.min(1, end - 1)).text()) {
      case "create trigger" ->
          end > 7
              && tokens.get(2).isWord(CAPTURE)
              && tokens.get(end - 5).isWord("mgtm")
              && tokens.get(end - 3).isWord(CAPTURE)
              && isTable(tokens, Token.find(tokens, 0, "on") + 1, Token.find(tokens, 0, "for"));
      case "alter table" -> {
        int at = Token.isWordAt(tokens, 2, "if") ? 4 : 2;
        at += Token.isWordAt(tokens, at, "only") ? 1 : 0;
        yield end > 6
            && isTable(tokens, at, end - 4)
            && tokens.get(end - 4).isWord("enable")
            && tokens.get(end - 3).isWord("always")
            && tokens.get(end - 2).isWord("trigger")
            && tokens.get(end - 1).isWord(CAPTURE);
      }
      case "drop trigger" ->
          Token.isWordAt(tokens, Token.isWordAt(tokens, 2, "if") ? 4 : 2, CAPTURE)
              && isTable(tokens, Token.find(tokens, 0, "on") + 1, end);
      default -> false;
    };
  }

  /** Whether the name of a table that is known stands there, and ends before another place. */
  private boolean isTable(List<Token> tokens, int from, int to) {
    TableName name = TableName.at(tokens, from);
    return name.last() + 1 == to && name.in(catalogue, tokens) != null;
  }

  /** Whether a trigger may be the replicator's, by its name. */
  static boolean isOwn(Token name) {
    return name.text().startsWith("mgtm");
  }

  private String routine(String sql, List<Token> tokens, TableName name) {
    int open = name.last() + 1;
    if (open >= tokens.size() || !tokens.get(open).isSymbol("(")) {
      return "it is no function that is understood";
    }
    Token called = tokens.get(name.last());
    if (catalogue.builtinFunctions().contains(called.text())
        || Words.BEFORE_PARENTHESIS.contains(called.text())) {
      return "a function of PostgreSQL's own has the name " + called.text();
    }
    return options(sql, tokens.subList(Token.afterParenthesis(tokens, open), tokens.size()));
  }

  /** Whether it can be called with one argument, as far as can be told: else with none, or two. */
  private static boolean mayTakeOne(List<Token> arguments) {
    List<List<Token>> in =
        split(arguments).stream()
            .filter(one -> !one.isEmpty() && !Token.hasWord(first(one), "out"))
            .toList();
    boolean two = in.size() > 1 && !isOptional(in.get(0)) && !isOptional(in.get(1));
    return !in.isEmpty() && !two;
  }

  /** Where the mode may stand, before the name or behind it. */
  private static List<Token> first(List<Token> argument) {
    return argument.subList(0, Math.min(2, argument.size()));
  }

  private static boolean isOptional(List<Token> argument) {
    return Token.hasWord(first(argument), "variadic")
        || argument.stream()
            .anyMatch(
                t -> t.isWord("default") || t.kind() == Token.Kind.OPERATOR || t.isSymbol(":="));
  }

  private static List<List<Token>> split(List<Token> arguments) {
    List<List<Token>> parts = new ArrayList<>();
    List<Token> part = new ArrayList<>();
    int depth = 0;
    for (Token token : arguments) {
      depth += token.isSymbol("(") || token.isSymbol("[") ? 1 : 0;
      depth -= token.isSymbol(")") || token.isSymbol("]") ? 1 : 0;
      if (depth == 0 && token.isSymbol(",")) {
        parts.add(part);
        part = new ArrayList<>();
      } else {
        part.add(token);
      }
    }
    parts.add(part);
    return parts;
  }

  private static String options(String sql, List<Token> options) {
    String language = "";
    int bodies = 0;
    int depth = 0;
    for (int i = 0; i < options.size(); i++) {
      Token token = options.get(i);
      Token next = Purity.next(options, i);
      depth += token.isSymbol("(") ? 1 : token.isSymbol(")") ? -1 : 0;
      if (depth > 0) {
        continue;
      }
      if (Token.isOneAt(options, i, OPTIONS_REFUSED)) {
        return "it has the word " + token.text();
      }
      if (token.isWord("return")
          || (token.isWord("begin") && next != null && next.isWord("atomic"))) {
        // A body of SQL's own, which is the last.
        language = language.isEmpty() ? "sql" : language;
        bodies++;
        break;
      }
      if (token.isWord("language") && next != null) {
        language = next.isName() ? next.text() : unquoted(sql, next);
      } else if (isBody(token, next)) {
        Token after = Purity.next(options, i + 1);
        bodies += after == null || after.isName() ? 1 : 2;
      }
    }
    if (!LANGUAGES.contains(language)) {
      return "its language is not SQL or PL/pgSQL, said by LANGUAGE";
    }
    return bodies == 1 ? null : "it has no body, or one in several pieces";
  }

  private static boolean isBody(Token token, Token next) {
    return token.isWord("as") && next != null && next.kind() == Token.Kind.STRING;
  }

  private static String unquoted(String sql, Token string) {
    return sql.substring(string.start(), string.end()).replace("'", "");
  }
}
