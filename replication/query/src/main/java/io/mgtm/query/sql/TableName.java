package io.mgtm.query.sql;

import java.util.List;

/**
 * Where a statement names a table.
 *
 * @param first the token with which the name begins
 * @param last that of the name without a schema
 */
record TableName(int first, int last) {
  /** The name that begins at a token. */
  static TableName at(List<Token> tokens, int first) {
    boolean qualified = first + 2 < tokens.size() && tokens.get(first + 1).isSymbol(".");
    return new TableName(first, qualified ? first + 2 : first);
  }

  /** The table, or null when one name alone does not tell which it is. */
  Catalogue.Table in(Catalogue catalogue, List<Token> tokens) {
    Token token = last < tokens.size() ? tokens.get(last) : null;
    Catalogue.Table table =
        token != null && token.isName() ? catalogue.tables().get(token.text()) : null;
    boolean other =
        table != null && last > first && !tokens.get(first).text().equals(table.schema());
    return other ? null : table;
  }
}
