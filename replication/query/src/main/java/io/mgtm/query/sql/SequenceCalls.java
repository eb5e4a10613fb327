package io.mgtm.query.sql;

import java.util.List;
import java.util.stream.IntStream;

/** Calls of {@code nextval} and {@code setval}, which draw from sequences or set them. Pure. */
final class SequenceCalls {
  private SequenceCalls() {}

  /** Whether the name at a place is that of a function that is called so. */
  static boolean isAt(List<Token> tokens, int at) {
    return isAt(tokens, at, "nextval") || isSetAt(tokens, at);
  }

  /** Whether there is such a call. */
  static boolean areIn(List<Token> tokens) {
    return IntStream.range(0, tokens.size()).anyMatch(at -> isAt(tokens, at));
  }

  /** Whether there is a call of {@code setval}. */
  static boolean set(List<Token> tokens) {
    return IntStream.range(0, tokens.size()).anyMatch(at -> isSetAt(tokens, at));
  }

  private static boolean isSetAt(List<Token> tokens, int at) {
    return isAt(tokens, at, "setval");
  }

  private static boolean isAt(List<Token> tokens, int at, String function) {
    Token name = tokens.get(at);
    return name.isName()
        && name.text().equals(function)
        && Token.isSymbolAt(tokens, at + 1, "(")
        && (at == 0
            || !tokens.get(at - 1).isSymbol(".")
            || (at > 1 && tokens.get(at - 2).isWord("pg_catalog")));
  }
}
