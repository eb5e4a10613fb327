package io.mgtm.query.sql;

import java.util.List;
import java.util.Set;

/**
 * One token of SQL.
 *
 * @param text of a name as PostgreSQL knows it: folded to lower case unless quoted; of an operator
 *     or symbol as written; of a number {@link #NEWER} or empty, of others empty
 * @param start where it begins in the statement's text, and where it ends
 */
public record Token(Kind kind, String text, int start, int end) {
  /** What it is. */
  public enum Kind {
    /** A key word or a name without quotes. */
    WORD('w'),
    /** A name in double quotes. */
    QUOTED('q'),
    /** A string of any kind, a bit string too. */
    STRING('s'),
    NUMBER('n'),
    /** {@code $1}. */
    PARAMETER('p'),
    OPERATOR('o'),
    /** One of {@code ( ) [ ] , ; . :} and {@code ::}, {@code :=}. */
    SYMBOL(',');

    private final char mark;

    Kind(char mark) {
      this.mark = mark;
    }
  }

  /** The text of a number as PostgreSQL 16 and newer alone read it. */
  static final String NEWER = "16";

  private static final int PARAMETER_DIGITS_MAX = 5;

  /** Stands in no text: no message of PostgreSQL's has it in one. */
  private static final char END = '\0';

  /** The same for statements that differ in nothing but constants, white space and comments. */
  static String shape(List<Token> tokens) {
    StringBuilder shape = new StringBuilder();
    for (Token token : tokens) {
      shape.append(token.kind.mark).append(token.text).append(END);
    }
    return shape.toString();
  }

  /** Whether a key word stands among these. */
  static boolean hasWord(List<Token> tokens, String word) {
    return tokens.stream().anyMatch(token -> token.isWord(word));
  }

  /** Whether a key word stands at a place. */
  static boolean isWordAt(List<Token> tokens, int at, String word) {
    return at < tokens.size() && tokens.get(at).isWord(word);
  }

  /** Where a key word stands first, from a place on; the end where it does not. */
  static int find(List<Token> tokens, int from, String word) {
    int at = from;
    while (at < tokens.size() && !tokens.get(at).isWord(word)) {
      at++;
    }
    return at;
  }

  /** Whether a symbol stands at a place. */
  static boolean isSymbolAt(List<Token> tokens, int at, String symbol) {
    return at < tokens.size() && tokens.get(at).isSymbol(symbol);
  }

  /** Whether one of some key words stands at a place. */
  static boolean isOneAt(List<Token> tokens, int at, Set<String> words) {
    return at < tokens.size()
        && tokens.get(at).kind == Kind.WORD
        && words.contains(tokens.get(at).text);
  }

  /** What follows the parenthesis that is opened at a place; the end where it is not closed. */
  static int afterParenthesis(List<Token> tokens, int open) {
    int at = open;
    int depth = 0;
    do {
      Token token = tokens.get(at++);
      depth += token.isSymbol("(") ? 1 : token.isSymbol(")") ? -1 : 0;
    } while (depth > 0 && at < tokens.size());
    return at;
  }

  /** Whether a name or key word stands among these. */
  static boolean hasName(List<Token> tokens, String name) {
    return hasName(tokens, Set.of(name));
  }

  /** Whether one of some does. */
  static boolean hasName(List<Token> tokens, Set<String> names) {
    return tokens.stream().anyMatch(token -> token.isName() && names.contains(token.text));
  }

  /**
   * The number of a parameter; 0 where it is none, or has more digits than a statement can have.
   *
   * @param text of its statement, which begins at {@code from}
   */
  int parameterIn(String text, int from) {
    int digits = end - start - 1;
    return kind == Kind.PARAMETER && digits <= PARAMETER_DIGITS_MAX
        ? Integer.parseInt(text.substring(start - from + 1, end - from))
        : 0;
  }

  boolean isWord(String word) {
    return kind == Kind.WORD && text.equals(word);
  }

  boolean isSymbol(String symbol) {
    return kind == Kind.SYMBOL && text.equals(symbol);
  }

  boolean isOperator(String operator) {
    return kind == Kind.OPERATOR && text.equals(operator);
  }

  boolean isName() {
    return kind == Kind.WORD || kind == Kind.QUOTED;
  }

  boolean isConstant() {
    return kind == Kind.STRING || kind == Kind.NUMBER || kind == Kind.PARAMETER;
  }
}
