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
final class ValuesInsert extends TokenReader {
  private final Catalogue.Table table;
  private final List<String> columns = new ArrayList<>();

  /**
   * A reader.
   *
   * @param at the first token after the table's name
   */
  ValuesInsert(Catalogue.Table table, List<Token> tokens, int at) {
    super(tokens, at);
    this.table = table;
  }

  boolean matches() {
    return takesColumns() && takeWord("values") && takesRows();
  }

  private boolean takesColumns() {
    at++; // The parenthesis.
    do {
      Token name = take();
      if (name == null || !name.isName()) {
        return false;
      }
      columns.add(name.text());
    } while (takeSymbol(","));
    return takeSymbol(")");
  }

  private boolean takesRows() {
    do {
      if (!takeSymbol("(") || !takesRow()) {
        return false;
      }
    } while (takeSymbol(","));
    return atEnd();
  }

  /** From behind one parenthesis to behind the other. */
  private boolean takesRow() {
    int column = 0;
    do {
      if (!takesValue(column++)) {
        return false;
      }
    } while (takeSymbol(","));
    return takeSymbol(")");
  }

  /** To the comma or parenthesis behind it. */
  private boolean takesValue(int column) {
    int sign = isSign(peek()) ? 1 : 0;
    Token number = peek(sign);
    if (number != null && number.kind() == Token.Kind.NUMBER) {
      at += sign + 1;
      return isInteger(column) && isAfterValue();
    }
    for (int depth = 0; !atEnd() && !peek().isConstant(); at++) {
      if (depth == 0 && isAfterValue()) {
        return true;
      }
      depth += isSymbol("(") ? 1 : isSymbol(")") ? -1 : 0;
    }
    return false;
  }

  private boolean isInteger(int column) {
    Catalogue.Column its =
        column < columns.size() ? table.columns().get(columns.get(column)) : null;
    return its != null && its.integer();
  }

  private boolean isAfterValue() {
    return isSymbol(",") || isSymbol(")");
  }

  private static boolean isSign(Token token) {
    return token != null && (token.isOperator("-") || token.isOperator("+"));
  }
}
