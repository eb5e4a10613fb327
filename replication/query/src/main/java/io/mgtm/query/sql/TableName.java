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

  /** The table, or null when it is not known which it is. */
  Catalogue.Table in(Catalogue catalogue, List<Token> tokens) {
    Token token = last < tokens.size() ? tokens.get(last) : null;
    return token != null && token.isName() ? catalogue.table(schema(tokens), token.text()) : null;
  }

  /** The schema that is named, or null. */
  String schema(List<Token> tokens) {
    return last > first ? tokens.get(first).text() : null;
  }
}
