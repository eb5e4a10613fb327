package io.mgtm.query.sql;

import java.util.List;
import java.util.Set;

/**
 * Tells which ALTER of tables and others do the same at every server when their text is run there.
 * Immutable.
 */
final class AlterDdl {
  private static final Set<String> ALTERED =
      Set.of("table", "index", "sequence", "schema", "view", "type", "default");

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

  private final Purity purity;

  AlterDdl(Purity purity) {
    this.purity = purity;
  }

  /** Why one of them may not do the same everywhere, or null when it does. */
  String whyNot(List<Token> tokens) {
    String kind = Ddl.word(tokens, 1);
    if (kind.equals("domain") && isOwner(tokens)) {
      return null;
    }
    if (!ALTERED.contains(kind)) {
      return "it alters a " + kind + ", or what that is is not known";
    }
    if (kind.equals("schema") && Token.hasWord(tokens, "rename")) {
      return "who writes to a table of the schema does not hold it up";
    }
    if (!kind.equals("table")) {
      return purity.whyUsersCode(tokens);
    }
    int at = 2;
    at += Ddl.word(tokens, at).equals("if") ? 2 : 0;
    at += Ddl.word(tokens, at).equals("only") ? 1 : 0;
    at += at + 1 < tokens.size() && tokens.get(at + 1).isSymbol(".") ? 3 : 1;
    if (at >= tokens.size()) {
      return "it is no ALTER TABLE that is understood";
    }
    List<Token> actions = tokens.subList(at, tokens.size());
    if (isSetDefault(actions)) {
      return purity.whyNotToldByRows(actions);
    }
    return isIdentity(actions) ? null : whyNotSteady(actions);
  }

  /** ALTER … OWNER TO a role. */
  private static boolean isOwner(List<Token> tokens) {
    int end = tokens.size();
    return end > 4
        && tokens.get(end - 3).isWord("owner")
        && tokens.get(end - 2).isWord("to")
        && tokens.get(end - 1).isName();
  }

  /**
   * ALTER COLUMN … ADD GENERATED … AS IDENTITY, or DROP IDENTITY: what is there keeps its value.
   */
  private static boolean isIdentity(List<Token> actions) {
    int at = Ddl.word(actions, 1).equals("column") ? 3 : 2;
    boolean adds =
        Ddl.word(actions, at).equals("add") && Ddl.word(actions, at + 1).equals("generated");
    boolean drops =
        Ddl.word(actions, at).equals("drop") && Ddl.word(actions, at + 1).equals("identity");
    return Ddl.word(actions, 0).equals("alter") && (adds || drops) && isOne(actions);
  }

  /** Whether it is no list of several actions. */
  private static boolean isOne(List<Token> actions) {
    int depth = 0;
    for (Token token : actions) {
      depth += token.isSymbol("(") ? 1 : token.isSymbol(")") ? -1 : 0;
      if (depth == 0 && token.isSymbol(",")) {
        return false;
      }
    }
    return true;
  }

  /** ALTER COLUMN … SET DEFAULT computes nothing now; with several actions it is not told apart. */
  private static boolean isSetDefault(List<Token> actions) {
    int at = Ddl.word(actions, 1).equals("column") ? 3 : 2;
    return Ddl.word(actions, 0).equals("alter")
        && Ddl.word(actions, at).equals("set")
        && Ddl.word(actions, at + 1).equals("default")
        && isOne(actions);
  }

  /** Why actions of ALTER TABLE, or bounds of a partition, may give other values, or null. */
  String whyNotSteady(List<Token> tokens) {
    String why = purity.whyUsersCode(tokens);
    why = why == null ? OwnNumbers.whyNot(tokens) : why;
    for (int i = 0; i < tokens.size() && why == null; i++) {
      Token token = tokens.get(i);
      if (token.kind() == Token.Kind.OPERATOR && !Words.PLAIN_OPERATORS.contains(token.text())) {
        why = "the operator " + token.text() + " may make a text that names the moment";
      } else if (Token.isOneAt(tokens, i, ALTER_REFUSED) && !isSwitch(tokens, i)) {
        why = "it has the word " + token.text();
      } else if (token.isWord("type") && !Words.STEADY_TYPES.contains(Ddl.word(tokens, i + 1))) {
        why = "values may be read as of the moment by the type " + Ddl.word(tokens, i + 1);
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
}
