package io.mgtm.query.sql;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The grammar of class K, and no more: a statement that it does not take is of another class. The
 * operators + - * must be PostgreSQL's own, which the caller has seen to.
 *
 * <pre>
 * INSERT INTO t (column, …) VALUES (constant, …), …   -- no other column has a default
 * UPDATE t SET column = expression, … WHERE key       -- expression: a constant, or + - * of
 * DELETE FROM t WHERE key                             --   integer columns and numbers
 * key: column = constant AND …                        -- each column of the primary key once
 * </pre>
 */
final class KeyLocal extends TokenReader {
  private final Catalogue.Table table;

  /**
   * A reader.
   *
   * @param at the first token after the table's name
   */
  KeyLocal(Catalogue.Table table, List<Token> tokens, int at) {
    super(tokens, at);
    this.table = table;
  }

  boolean isInsert() {
    Set<String> named = new HashSet<>();
    if (!takeSymbol("(")) {
      return false;
    }
    do {
      Token name = take();
      Catalogue.Column column = column(name);
      if (column == null || !column.exact() || !named.add(name.text())) {
        return false;
      }
    } while (takeSymbol(","));
    boolean othersAreNull =
        table.columns().entrySet().stream()
            .allMatch(entry -> named.contains(entry.getKey()) || !entry.getValue().hasDefault());
    if (!othersAreNull || !takeSymbol(")") || !takeWord("values")) {
      return false;
    }
    do {
      if (!isRow(named.size())) {
        return false;
      }
    } while (takeSymbol(","));
    return atEnd();
  }

  private boolean isRow(int columns) {
    if (!takeSymbol("(")) {
      return false;
    }
    for (int i = 0; i < columns; i++) {
      if ((i > 0 && !takeSymbol(",")) || !takeConstant()) {
        return false;
      }
    }
    return takeSymbol(")");
  }

  boolean isUpdate() {
    if (!takeWord("set")) {
      return false;
    }
    do {
      Token name = take();
      Catalogue.Column column = column(name);
      if (column == null || table.key().contains(name.text()) || !takeOperator("=")) {
        return false;
      }
      int before = at;
      boolean constant = column.exact() && takeConstant() && isAfterExpression();
      if (!constant) {
        at = before;
        if (!column.integer() || !takeSum() || !isAfterExpression()) {
          return false;
        }
      }
    } while (takeSymbol(","));
    return isWhereKey();
  }

  /** The rest of a DELETE, or of a query. */
  boolean isWhereKey() {
    return takeWord("where") && isKey();
  }

  private boolean isAfterExpression() {
    Token token = peek();
    return token != null && (token.isSymbol(",") || token.isWord("where"));
  }

  private boolean isKey() {
    Set<String> fixed = new HashSet<>();
    do {
      Token name = take();
      Catalogue.Column column = column(name);
      boolean part = column != null && column.exact() && table.key().contains(name.text());
      if (!part || !fixed.add(name.text()) || !takeOperator("=") || !takeConstant()) {
        return false;
      }
    } while (takeWord("and"));
    return !fixed.isEmpty() && fixed.size() == table.key().size() && atEnd();
  }

  /**
   * A sum of integer columns, numbers and parameters. It counts parentheses and does not descend:
   * how deep they are is the client's, and for PostgreSQL to judge.
   */
  private boolean takeSum() {
    int open = 0;
    do {
      while (takeSymbol("(")) {
        open++;
      }
      if (!takeOperand()) {
        return false;
      }
      while (open > 0 && takeSymbol(")")) {
        open--;
      }
    } while (takeOperator("+") || takeOperator("-") || takeOperator("*"));
    return open == 0;
  }

  private boolean takeOperand() {
    Token token = peek();
    Catalogue.Column column = column(token);
    if (column != null && column.integer()) {
      at++;
      return true;
    }
    return (token == null || token.kind() != Token.Kind.STRING) && takeConstant();
  }

  private boolean takeConstant() {
    boolean signed = takeOperator("-") || takeOperator("+");
    Token token = take();
    if (token == null) {
      return false;
    }
    if (token.kind() == Token.Kind.NUMBER && token.text().equals(Token.NEWER)) {
      return false;
    }
    boolean word = token.isWord("null") || token.isWord("true") || token.isWord("false");
    return signed ? token.kind() == Token.Kind.NUMBER : token.isConstant() || word;
  }

  private Catalogue.Column column(Token name) {
    return name != null && name.isName() ? table.columns().get(name.text()) : null;
  }
}
