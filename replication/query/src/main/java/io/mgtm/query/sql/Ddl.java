package io.mgtm.query.sql;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Tells which changes of the schema do the same at every server when their text is run there: those
 * that compute nothing from the moment, from chance, or by code of users. Immutable.
 *
 * <p>What is let through must keep this as well: no statement of another session that was taken for
 * a read before may write after. So nothing is made that runs code where nothing of it is seen: no
 * rule, operator, cast or policy, no view of anything but a query that provably reads, no domain
 * with any other check; and functions and triggers as far as {@link CodeDdl} lets them through.
 */
final class Ddl {
  private static final Set<String> MADE =
      Set.of("table", "index", "sequence", "schema", "view", "domain");

  private static final Set<String> ALTERED =
      Set.of("table", "index", "sequence", "schema", "view", "type", "default");

  private static final Set<String> DROPPED =
      Set.of(
          "table",
          "index",
          "sequence",
          "schema",
          "view",
          "type",
          "trigger",
          "rule",
          "policy",
          "domain",
          "function",
          "procedure",
          "materialized",
          "role",
          "user",
          "group");

  /** In ALTER TABLE: what makes values that are not written there, or runs code later on. */
  private static final Set<String> ALTER_REFUSED =
      Set.of(
          "trigger",
          "rule",
          "row",
          "inherit",
          "of",
          "identity",
          "serial",
          "bigserial",
          "smallserial",
          "serial2",
          "serial4",
          "serial8",
          "current_catalog",
          "current_date",
          "current_role",
          "current_schema",
          "current_time",
          "current_timestamp",
          "current_user",
          "localtime",
          "localtimestamp",
          "session_user",
          "system_user",
          "unlogged",
          "user");

  /** They may stand before a parenthesis in ALTER TABLE, besides those of queries. */
  private static final Set<String> CLAUSES =
      Set.of("check", "exclude", "include", "key", "reset", "set", "unique", "with");

  private static final Pattern CLOCK =
      Pattern.compile("(?<![a-z])(now|today|tomorrow|yesterday)(?![a-z])");

  private final Catalogue catalogue;
  private final Purity purity;
  private final CodeDdl code;

  Ddl(Catalogue catalogue, Purity purity) {
    this.catalogue = catalogue;
    this.purity = purity;
    this.code = new CodeDdl(catalogue);
  }

  /** Why a text may not do the same everywhere, or null when it does. */
  String whyNot(String sql, List<Token> tokens) {
    if (catalogue.hasEventTriggers()) {
      return "the database has event triggers";
    }
    String verb = tokens.get(0).text();
    String why = verb.equals("comment") ? null : strings(sql, CodeDdl.withoutBody(tokens));
    if (why != null) {
      return why;
    }
    boolean defines = verb.equals("create") || verb.equals("alter");
    if (defines && code.isOne(tokens)) {
      return code.whyNot(sql, tokens);
    }
    if (RoleDdl.isOne(tokens)) {
      return RoleDdl.whyNot(sql, tokens);
    }
    return switch (verb) {
      case "comment", "grant", "revoke" -> null;
      case "create" -> create(tokens);
      case "alter" -> alter(tokens);
      case "drop" -> drop(tokens);
      case "truncate" -> truncate(tokens);
      default -> "what " + verb + " does is not known to be the same everywhere";
    };
  }

  /** Why the rows of a table that a query makes may not be all that it does, or null. */
  String whyNot(CreateAs made) {
    if (catalogue.hasEventTriggers()) {
      return "the database has event triggers";
    }
    String why = null;
    if (made.query().get(0).isWord("execute")) {
      why = "what execute runs is not known";
    } else if (!made.isEmpty() && SequenceCalls.areIn(made.query())) {
      why = "it draws from a sequence";
    } else if (!made.isEmpty()) {
      why =
          made.query().stream().anyMatch(Words::isWrite)
              ? "it may write, or locks rows"
              : purity.whyNotRowsOnly(made.query());
    }
    return why == null ? null : "it makes rows from a query of which they do not tell all: " + why;
  }

  /** Texts become values when a statement is read: one that names the moment gives another. */
  private static String strings(String sql, List<Token> tokens) {
    Token before = null;
    for (Token token : tokens) {
      if (token.kind() == Token.Kind.STRING) {
        String text = sql.substring(token.start(), token.end()).toLowerCase(Locale.ROOT);
        boolean pieces = before != null && before.kind() == Token.Kind.STRING;
        if (pieces || (text.startsWith("e") && text.contains("\\")) || CLOCK.matcher(text).find()) {
          return "a text in it may name the moment in which it is read, as now does";
        }
      }
      if (token.isName() && token.text().startsWith("pg_temp")) {
        return "temporary tables are the session's own";
      }
      if (token.isWord("concurrently")) {
        return "CONCURRENTLY runs in no transaction";
      }
      if (token.isWord("session_user")) {
        return "SESSION_USER is another where a server is given it later: name the role";
      }
      before = token;
    }
    return null;
  }

  private static String word(List<Token> tokens, int at) {
    return at < tokens.size() && tokens.get(at).kind() == Token.Kind.WORD
        ? tokens.get(at).text()
        : "";
  }

  /** What runs code of users now, or null. */
  private String suspect(List<Token> tokens) {
    if (catalogue.hasUserSyntax()) {
      return Purity.USER_SYNTAX;
    }
    for (Token token : tokens) {
      boolean operator =
          token.kind() == Token.Kind.OPERATOR && !catalogue.pureOperators().contains(token.text());
      if (operator || (token.isName() && catalogue.suspects().contains(token.text()))) {
        return token.text() + " may run code of users";
      }
    }
    return null;
  }

  private String create(List<Token> tokens) {
    int at = word(tokens, 1).equals("or") ? 3 : 1;
    String kind = word(tokens, at);
    if (kind.equals("unlogged")) {
      return "a server that starts again after a crash has emptied tables that are not logged";
    }
    if (kind.equals("unique")) {
      at++;
      kind = word(tokens, at);
    }
    if (kind.equals("type")) {
      return Token.hasWord(tokens, "range") || !Token.hasWord(tokens, "as")
          ? "it makes a type that runs code"
          : null;
    }
    if (!MADE.contains(kind)) {
      return "it makes a " + kind + ", or what that is is not known";
    }
    if (tokens.stream().filter(token -> token.isWord("create")).count() > 1) {
      return "it creates several things in one";
    }
    return switch (kind) {
      case "table" -> table(tokens);
      case "index" -> suspect(tokens);
      case "view" -> view(tokens.subList(at, tokens.size()));
      case "domain" -> domain(tokens.subList(at + 1, tokens.size()));
      default -> null;
    };
  }

  private String table(List<Token> tokens) {
    int depth = 0;
    for (int i = 0; i < tokens.size(); i++) {
      Token token = tokens.get(i);
      depth += token.isSymbol("(") ? 1 : token.isSymbol(")") ? -1 : 0;
      boolean rows = depth == 0 && (token.isWord("as") || token.isWord("execute"));
      if (rows) {
        return "it makes rows from a query, and is not understood";
      }
      if (depth == 0 && token.isWord("inherits")) {
        return "who writes to a table holds up nobody who lets another one inherit from it";
      }
      if (depth == 0 && token.isWord("values")) {
        // FOR VALUES: a part's bounds are computed now, unlike defaults and checks.
        String why = actions(untilPartition(tokens.subList(i + 1, tokens.size())));
        if (why != null) {
          return why;
        }
      }
    }
    return partitionKey(tokens);
  }

  /** Why the key by which a table is parted runs code of users, or null. */
  private String partitionKey(List<Token> tokens) {
    int by = 0;
    int depth = 0;
    for (int i = 1; i < tokens.size(); i++) {
      depth += tokens.get(i).isSymbol("(") ? 1 : tokens.get(i).isSymbol(")") ? -1 : 0;
      by =
          depth == 0 && tokens.get(i).isWord("by") && tokens.get(i - 1).isWord("partition")
              ? i
              : by;
    }
    // Behind it stands how: BY RANGE (…).
    return by == 0
        ? null
        : purity.whyNotReadOnly(tokens.subList(Math.min(by + 2, tokens.size()), tokens.size()));
  }

  private static List<Token> untilPartition(List<Token> tokens) {
    int end = 0;
    while (end < tokens.size() && !tokens.get(end).isWord("partition")) {
      end++;
    }
    return tokens.subList(0, end);
  }

  /** Who casts to it runs its checks. */
  private String domain(List<Token> tokens) {
    String why = suspect(tokens);
    int depth = 0;
    int check = 0;
    for (int i = 0; i < tokens.size() && why == null; i++) {
      depth += tokens.get(i).isSymbol("(") ? 1 : tokens.get(i).isSymbol(")") ? -1 : 0;
      if (depth == 0 && tokens.get(i).isWord("check")) {
        check = i + 1;
      } else if (depth == 0 && check > 0) {
        why = purity.whyNotReadOnly(tokens.subList(check, i + 1));
        check = 0;
      }
    }
    return why;
  }

  private String view(List<Token> tokens) {
    int as = 0;
    while (as < tokens.size() && !tokens.get(as).isWord("as")) {
      as++;
    }
    if (as + 1 >= tokens.size()) {
      return "it is no view that is understood";
    }
    String why = purity.whyNotReadOnly(tokens.subList(as + 1, tokens.size()));
    return why == null ? null : "who reads the view may write: " + why;
  }

  private String alter(List<Token> tokens) {
    String kind = word(tokens, 1);
    if (!ALTERED.contains(kind)) {
      return "it alters a " + kind + ", or what that is is not known";
    }
    if (kind.equals("schema") && Token.hasWord(tokens, "rename")) {
      return "who writes to a table of the schema does not hold it up";
    }
    if (!kind.equals("table")) {
      return suspect(tokens);
    }
    int at = 2;
    at += word(tokens, at).equals("if") ? 2 : 0;
    at += word(tokens, at).equals("only") ? 1 : 0;
    at += at + 1 < tokens.size() && tokens.get(at + 1).isSymbol(".") ? 3 : 1;
    if (at >= tokens.size()) {
      return "it is no ALTER TABLE that is understood";
    }
    List<Token> actions = tokens.subList(at, tokens.size());
    return isSetDefault(actions) ? null : actions(actions);
  }

  /** ALTER COLUMN … SET DEFAULT computes nothing now; with several actions it is not told apart. */
  private static boolean isSetDefault(List<Token> actions) {
    int at = word(actions, 1).equals("column") ? 3 : 2;
    boolean set =
        word(actions, 0).equals("alter")
            && word(actions, at).equals("set")
            && word(actions, at + 1).equals("default");
    int depth = 0;
    for (Token token : actions) {
      depth += token.isSymbol("(") ? 1 : token.isSymbol(")") ? -1 : 0;
      set &= depth > 0 || !token.isSymbol(",");
    }
    return set;
  }

  private String actions(List<Token> tokens) {
    String why = suspect(tokens);
    for (int i = 0; i < tokens.size() && why == null; i++) {
      Token token = tokens.get(i);
      if (token.kind() == Token.Kind.OPERATOR && !Words.PLAIN_OPERATORS.contains(token.text())) {
        why = "the operator " + token.text() + " may make a text that names the moment";
      } else if (Token.isOneAt(tokens, i, ALTER_REFUSED) && !isSwitch(tokens, i)) {
        why = "it has the word " + token.text();
      } else if (token.isWord("type") && !Words.STEADY_TYPES.contains(word(tokens, i + 1))) {
        why = "values may be read as of the moment by the type " + word(tokens, i + 1);
      } else if (token.isName() && i + 1 < tokens.size() && tokens.get(i + 1).isSymbol("(")) {
        why = isClause(tokens, i) ? null : "it calls " + token.text();
      }
    }
    return why;
  }

  /** ENABLE TRIGGER x and DISABLE TRIGGER x, of one that is not the replicator's. */
  private static boolean isSwitch(List<Token> tokens, int trigger) {
    Token name = Purity.next(tokens, trigger);
    return tokens.get(trigger).isWord("trigger")
        && trigger > 0
        && Token.isOneAt(tokens, trigger - 1, Set.of("enable", "disable"))
        && name != null
        && !name.isWord("all")
        && !name.isWord("user")
        && !CodeDdl.isOwn(name);
  }

  private static boolean isClause(List<Token> tokens, int i) {
    Token token = tokens.get(i);
    boolean clause =
        token.kind() == Token.Kind.WORD
            && (CLAUSES.contains(token.text()) || Words.BEFORE_PARENTHESIS.contains(token.text()));
    int name = i > 1 && tokens.get(i - 1).isSymbol(".") ? i - 2 : i;
    return clause || (name > 0 && tokens.get(name - 1).isWord("references"));
  }

  private static String drop(List<Token> tokens) {
    int name = Token.isWordAt(tokens, 2, "if") ? 4 : 2;
    if (Token.isWordAt(tokens, 1, "trigger")
        && name < tokens.size()
        && CodeDdl.isOwn(tokens.get(name))) {
      return CodeDdl.OWN;
    }
    return DROPPED.contains(word(tokens, 1))
        ? null
        : "it drops a " + word(tokens, 1) + ", or what that is is not known";
  }

  /** TRUNCATE [TABLE] [ONLY] t, … [RESTART IDENTITY | CONTINUE IDENTITY] [RESTRICT]. */
  private String truncate(List<Token> tokens) {
    int at = word(tokens, 1).equals("table") ? 2 : 1;
    while (true) {
      at += word(tokens, at).equals("only") ? 1 : 0;
      TableName name = TableName.at(tokens, at);
      Catalogue.Table table = name.in(catalogue, tokens);
      if (table == null || !table.isRowsOnly()) {
        return "it has a table that has triggers, or that one name alone does not tell of";
      }
      at = name.last() + 1;
      if (at >= tokens.size() || !tokens.get(at).isSymbol(",")) {
        break;
      }
      at++;
    }
    return Token.hasWord(tokens.subList(at, tokens.size()), "cascade")
        ? "CASCADE may reach tables with triggers: name them all"
        : null;
  }
}
