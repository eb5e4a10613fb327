package io.mgtm.query.sql;

import java.util.List;
import java.util.Objects;

/** Whether tokens name anything that could run code of users, or that writes. Pure. */
final class Purity {
  /** Why nothing is provable. */
  static final String USER_SYNTAX =
      "the database has casts, domains or common operators that run functions of users";

  static final String THE_FUNCTION = "the function ";

  private final Catalogue catalogue;

  Purity(Catalogue catalogue) {
    this.catalogue = catalogue;
  }

  /** Why a query is not provably read-only, or null when it is. */
  String whyNotReadOnly(List<Token> tokens) {
    return whyNot(tokens, false);
  }

  /**
   * The same, where row locks, {@link SequenceCalls} and the functions of {@link
   * Words#LEADER_FUNCTIONS} are allowed.
   */
  String whyNotLeader(List<Token> tokens) {
    return whyNot(tokens, true);
  }

  private String whyNot(List<Token> tokens, boolean leader) {
    if (catalogue.hasUserSyntax()) {
      return USER_SYNTAX;
    }
    for (int i = 0; i < tokens.size(); i++) {
      Token token = tokens.get(i);
      boolean lock = isLockAt(tokens, i);
      if (lock && leader) {
        continue;
      }
      if (Words.isWrite(token) || token.isWord("into")) {
        return "it has the word " + token.text();
      }
      if (lock) {
        return "it locks rows";
      }
      String code = whyUsersCode(token);
      if (code != null) {
        return code;
      }
      boolean leaders =
          leader
              && (Words.LEADER_FUNCTIONS.contains(token.text()) || SequenceCalls.isAt(tokens, i));
      if (isCall(tokens, i) && !leaders && !isPureFunction(token.text())) {
        return THE_FUNCTION + token.text() + " is not known to be free of effects";
      }
    }
    return null;
  }

  /** The first of these that may run code of users by itself, and why; or null. */
  String whyUsersCode(List<Token> tokens) {
    return catalogue.hasUserSyntax()
        ? USER_SYNTAX
        : tokens.stream().map(this::whyUsersCode).filter(Objects::nonNull).findFirst().orElse(null);
  }

  /** Why a token may run code of users by itself, or null. */
  private String whyUsersCode(Token token) {
    if (token.kind() == Token.Kind.OPERATOR && !catalogue.pureOperators().contains(token.text())) {
      return "the operator " + token.text() + " may be a user's";
    }
    return token.isName() && catalogue.suspects().contains(token.text())
        ? token.text() + " may run code of users"
        : null;
  }

  private boolean isPureFunction(String name) {
    return catalogue.pureFunctions().contains(name) && !Words.IMPURE.contains(name);
  }

  /**
   * Why a statement may do more than to write rows of its table, or null when it may not: it calls
   * nothing but PostgreSQL's own functions without effects, clocks, chance and {@link
   * SequenceCalls}.
   */
  String whyNotRowsOnly(List<Token> tokens) {
    if (catalogue.hasUserSyntax()) {
      return USER_SYNTAX;
    }
    for (int i = 0; i < tokens.size(); i++) {
      Token token = tokens.get(i);
      String code = whyUsersCode(token);
      if (code != null) {
        return code;
      }
      if (isCall(tokens, i) && !isOfRows(token.text()) && !SequenceCalls.isAt(tokens, i)) {
        return THE_FUNCTION + token.text() + " may write";
      }
    }
    return null;
  }

  /**
   * Why rows do not tell all that a statement does, or null: it calls a function of PostgreSQL's
   * own that sends, locks or sets something.
   */
  String whyNotToldByRows(List<Token> tokens) {
    for (int i = 0; i < tokens.size(); i++) {
      String name = tokens.get(i).text();
      boolean builtin = isCall(tokens, i) && catalogue.builtinFunctions().contains(name);
      if (builtin && !isOfRows(name) && !SequenceCalls.isAt(tokens, i)) {
        return THE_FUNCTION + name + " does what its rows do not tell";
      }
    }
    return null;
  }

  /** Whether a function does nothing but to give a value. */
  private boolean isOfRows(String name) {
    return isPureFunction(name)
        || (Words.HARMLESS_VOLATILE.contains(name) && catalogue.builtinFunctions().contains(name));
  }

  /** Whether a word belongs to FOR UPDATE, FOR NO KEY UPDATE, FOR SHARE or FOR KEY SHARE. */
  static boolean isLockAt(List<Token> tokens, int i) {
    boolean afterFor = i > 0 && tokens.get(i - 1).isWord("for") && isLock(tokens.get(i));
    boolean afterKey =
        i > 2
            && tokens.get(i).isWord("update")
            && tokens.get(i - 1).isWord("key")
            && tokens.get(i - 2).isWord("no")
            && tokens.get(i - 3).isWord("for");
    return afterFor || afterKey;
  }

  private static boolean isLock(Token after) {
    return after != null
        && (after.isWord("update")
            || after.isWord("share")
            || after.isWord("no")
            || after.isWord("key"));
  }

  static Token next(List<Token> tokens, int i) {
    return i + 1 < tokens.size() ? tokens.get(i + 1) : null;
  }

  /** Whether a name before a parenthesis may be a function's. */
  private static boolean isCall(List<Token> tokens, int i) {
    Token token = tokens.get(i);
    Token after = next(tokens, i);
    boolean harmless =
        token.kind() == Token.Kind.WORD
            && Words.BEFORE_PARENTHESIS.contains(token.text())
            && (i == 0 || !tokens.get(i - 1).isSymbol("."));
    return token.isName() && after != null && after.isSymbol("(") && !harmless;
  }
}
