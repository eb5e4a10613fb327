package io.mgtm.query.sql;

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
    WORD,
    /** A name in double quotes. */
    QUOTED,
    /** A string of any kind, a bit string too. */
    STRING,
    NUMBER,
    /** {@code $1}. */
    PARAMETER,
    OPERATOR,
    /** One of {@code ( ) [ ] , ; . :} and {@code ::}, {@code :=}. */
    SYMBOL
  }

  /** The text of a number as PostgreSQL 16 and newer alone read it. */
  static final String NEWER = "16";

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
