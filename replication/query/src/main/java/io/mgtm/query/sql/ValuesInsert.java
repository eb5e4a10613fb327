package io.mgtm.query.sql;

import java.util.ArrayList;
import java.util.List;

/**
 * The grammar of an INSERT whose constants are numbers, each the whole value of a column of whole
 * numbers.
 *
 * <pre>
 * INSERT INTO t (column, …) VALUES (value, …), …      -- value: a number, or what has no constant
 * </pre>
 */
final class ValuesInsert {
  private final Catalogue.Table table;
  private final List<Token> tokens;
  private final List<String> columns = new ArrayList<>();
  private int at;

  /**
   * A reader.
   *
   * @param at the first token after the table's name
   */
  ValuesInsert(Catalogue.Table table, List<Token> tokens, int at) {
    this.table = table;
    this.tokens = tokens;
    this.at = at;
  }

  boolean matches() {
    do {
      at++; // The parenthesis, or a comma.
      if (!isName(at)) {
        return false;
      }
      columns.add(tokens.get(at++).text());
    } while (isSymbol(at, ","));
    boolean rows = isSymbol(at, ")") && Token.isWordAt(tokens, at + 1, "values");
    at += 2;
    while (rows && isSymbol(at, "(")) {
      rows = takesRow();
      if (at == tokens.size()) {
        return rows;
      }
      rows &= isSymbol(at++, ",");
    }
    return false;
  }

  /** From one parenthesis to behind the other. */
  private boolean takesRow() {
    int column = 0;
    do {
      at++;
      if (!takesValue(column++)) {
        return false;
      }
    } while (isSymbol(at, ","));
    return at++ < tokens.size();
  }

  /** To the comma or parenthesis behind it. */
  private boolean takesValue(int column) {
    int sign = at < tokens.size() && isSign(tokens.get(at)) ? 1 : 0;
    if (at + sign < tokens.size() && tokens.get(at + sign).kind() == Token.Kind.NUMBER) {
      at += sign + 1;
      return isInteger(column) && (isSymbol(at, ",") || isSymbol(at, ")"));
    }
    for (int depth = 0; at < tokens.size(); at++) {
      if (tokens.get(at).isConstant()) {
        return false;
      }
      if (depth == 0 && (isSymbol(at, ",") || isSymbol(at, ")"))) {
        return true;
      }
      depth += isSymbol(at, "(") ? 1 : isSymbol(at, ")") ? -1 : 0;
    }
    return false;
  }

  private boolean isInteger(int column) {
    Catalogue.Column its =
        column < columns.size() ? table.columns().get(columns.get(column)) : null;
    return its != null && its.integer();
  }

  private static boolean isSign(Token token) {
    return token.isOperator("-") || token.isOperator("+");
  }

  private boolean isName(int place) {
    return place < tokens.size() && tokens.get(place).isName();
  }

  private boolean isSymbol(int place, String symbol) {
    return place < tokens.size() && tokens.get(place).isSymbol(symbol);
  }
}
