package io.mgtm.query.sql;

import java.util.List;

/** Reads a statement's tokens from left to right, for the grammars of this package. */
abstract class TokenReader {
  protected final List<Token> tokens;

  /** The next token's place. */
  protected int at;

  /**
   * A reader.
   *
   * @param at the first token to read
   */
  protected TokenReader(List<Token> tokens, int at) {
    this.tokens = tokens;
    this.at = at;
  }

  /** The next token, or null at the end. */
  protected final Token peek() {
    return peek(0);
  }

  /** The token that is so many behind the next one, or null. */
  protected final Token peek(int behind) {
    return at + behind < tokens.size() ? tokens.get(at + behind) : null;
  }

  /** Takes the next token; null at the end. */
  protected final Token take() {
    return at < tokens.size() ? tokens.get(at++) : null;
  }

  protected final boolean takeIf(boolean wanted) {
    at += wanted ? 1 : 0;
    return wanted;
  }

  protected final boolean isSymbol(String symbol) {
    return peek() != null && peek().isSymbol(symbol);
  }

  protected final boolean takeSymbol(String symbol) {
    return takeIf(isSymbol(symbol));
  }

  protected final boolean takeOperator(String operator) {
    return takeIf(peek() != null && peek().isOperator(operator));
  }

  protected final boolean takeWord(String word) {
    return takeIf(peek() != null && peek().isWord(word));
  }

  protected final boolean atEnd() {
    return at >= tokens.size();
  }
}
