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

  private static final Pattern CLOCK =
      Pattern.compile("(?<![a-z])(now|today|tomorrow|yesterday)(?![a-z])");

  private final Catalogue catalogue;
  private final Purity purity;
  private final CodeDdl code;
  private final AlterDdl alter;

  Ddl(Catalogue catalogue, Purity purity) {
    this.catalogue = catalogue;
    this.purity = purity;
    this.code = new CodeDdl(catalogue);
    this.alter = new AlterDdl(purity);
  }

  /** Whether it is of the trigger that the replicator gives tables by itself. */
  boolean isCapture(List<Token> tokens) {
    return code.isCapture(tokens);
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
      case "alter" -> alter.whyNot(tokens);
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

  static String word(List<Token> tokens, int at) {
    return at < tokens.size() && tokens.get(at).kind() == Token.Kind.WORD
        ? tokens.get(at).text()
        : "";
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
      case "index" -> purity.whyUsersCode(tokens);
      case "view" -> view(tokens.subList(at, tokens.size()));
      case "domain" -> domain(tokens.subList(at + 1, tokens.size()));
      default -> null;
    };
  }

  /** What it computes for rows is only a part of them. */
  private String whyNotValues(List<Token> tokens) {
    String why = OwnNumbers.whyNot(tokens);
    return why == null ? purity.whyNotToldByRows(tokens) : why;
  }

  private String table(List<Token> tokens) {
    String values = whyNotValues(tokens);
    if (values != null) {
      return values;
    }
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
        String why = alter.whyNotSteady(untilPartition(tokens.subList(i + 1, tokens.size())));
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
    if (by == 0) {
      return null;
    }
    List<Token> how = tokens.subList(by + 1, tokens.size());
    String why = OwnNumbers.whyNotPartition(parent(tokens), tokens.subList(0, by), how);
    // Behind it stands how: BY RANGE (…).
    return why == null
        ? purity.whyNotReadOnly(how.subList(Math.min(1, how.size()), how.size()))
        : why;
  }

  /** Of which CREATE TABLE makes a partition; null where it makes none, or that is not known. */
  private Catalogue.Table parent(List<Token> tokens) {
    int of = 1;
    while (of < tokens.size()
        && !(tokens.get(of).isWord("of") && tokens.get(of - 1).isWord("partition"))) {
      of++;
    }
    return TableName.at(tokens, of + 1).in(catalogue, tokens);
  }

  private static List<Token> untilPartition(List<Token> tokens) {
    return tokens.subList(0, Token.find(tokens, 0, "partition"));
  }

  /** Who casts to it runs its checks. */
  private String domain(List<Token> tokens) {
    String why = purity.whyUsersCode(tokens);
    why = why == null ? whyNotValues(tokens) : why;
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
    int as = Token.find(tokens, 0, "as");
    if (as + 1 >= tokens.size()) {
      return "it is no view that is understood";
    }
    String why = purity.whyNotReadOnly(tokens.subList(as + 1, tokens.size()));
    return why == null ? null : "who reads the view may write: " + why;
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
      if (table == null || !table.emptied()) {
        return "it has a table that has triggers of TRUNCATE, or that one name alone does not tell of";
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
