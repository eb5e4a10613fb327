package io.mgtm.query.sql;

import java.util.List;

/**
 * The grammar of a query that reads one row by its key and has no other constants.
 *
 * <pre>
 * SELECT column, … FROM t WHERE key                   -- key: as {@link KeyLocal} has it
 * </pre>
 */
final class KeyRead {
  private KeyRead() {}

  /** Where one names its table, or null when it is none. */
  static TableName table(Catalogue catalogue, List<Token> tokens) {
    int from = 1;
    while (from < tokens.size() && isListed(tokens.get(from))) {
      from++;
    }
    if (!tokens.get(0).isWord("select") || !Token.isWordAt(tokens, from, "from")) {
      return null;
    }
    TableName name = TableName.at(tokens, from + 1);
    Catalogue.Table table = name.in(catalogue, tokens);
    boolean byKey = table != null && new KeyLocal(table, tokens, name.last() + 1).isWhereKey();
    return byKey ? name : null;
  }

  /** Not {@code *}: it may come to stand for other columns, which a prepared statement cannot. */
  private static boolean isListed(Token token) {
    return token.isSymbol(",") || (token.isName() && !token.isWord("from"));
  }
}
