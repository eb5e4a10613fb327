package io.mgtm.query.sql;

import java.util.ArrayList;
import java.util.List;

/**
 * Calls of {@code nextval} and {@code setval} that name their sequence by a constant, so that the
 * same text finds it a second time. Pure.
 *
 * <pre>
 * nextval('app.s')   nextval('s'::regclass)   setval(pg_get_serial_sequence('t', 'id'), 7)
 * </pre>
 */
final class SequenceCalls extends TokenReader {
  /** How a call names its sequence: from the parenthesis that opens it to what ends the name. */
  private int nameFrom;

  private SequenceCalls(List<Token> tokens, int at) {
    super(tokens, at);
  }

  /** Whether the name at a place is that of a function that is called so. */
  static boolean isAt(List<Token> tokens, int at) {
    return at(tokens, at) != null;
  }

  /** The call that was read at a place, or null. Most tokens are none, of many in a statement. */
  private static SequenceCalls at(List<Token> tokens, int at) {
    Token function = tokens.get(at);
    if (!function.isName() || !(isSet(function) || function.text().equals("nextval"))) {
      return null;
    }
    SequenceCalls call = new SequenceCalls(tokens, at);
    return call.takesCall() ? call : null;
  }

  /** Whether there is such a call. */
  static boolean areIn(List<Token> tokens) {
    for (int i = 0; i < tokens.size(); i++) {
      if (isAt(tokens, i)) {
        return true;
      }
    }
    return false;
  }

  /** What is drawn from by a statement, and set. */
  static List<Statement.Draw> of(String text, List<Token> tokens) {
    int start = tokens.get(0).start();
    List<Statement.Draw> draws = new ArrayList<>();
    for (int i = 0; i < tokens.size(); i++) {
      SequenceCalls call = at(tokens, i);
      if (call != null) {
        int from = tokens.get(call.nameFrom).start() - start;
        int to = tokens.get(call.at - 1).end() - start;
        draws.add(new Statement.Draw(text.substring(from, to), isSet(tokens.get(i))));
      }
    }
    return draws;
  }

  private static boolean isSet(Token function) {
    return function.text().equals("setval");
  }

  /** To what follows the sequence's name. */
  private boolean takesCall() {
    int name = at;
    boolean sets = isSet(take());
    boolean own =
        name == 0
            || !tokens.get(name - 1).isSymbol(".")
            || (name > 1 && tokens.get(name - 2).isWord("pg_catalog"));
    if (!own || !takeSymbol("(")) {
      return false;
    }
    nameFrom = at;
    return takesName() && isSymbol(sets ? "," : ")");
  }

  private boolean takesName() {
    boolean named = takesString() || takesSerial();
    while (named && takeSymbol("::")) {
      named = takeWord("regclass") || takeWord("text");
    }
    return named;
  }

  private boolean takesSerial() {
    return takeWord("pg_get_serial_sequence")
        && takeSymbol("(")
        && takesString()
        && takeSymbol(",")
        && takesString()
        && takeSymbol(")");
  }

  private boolean takesString() {
    return takeIf(peek() != null && peek().kind() == Token.Kind.STRING);
  }
}
