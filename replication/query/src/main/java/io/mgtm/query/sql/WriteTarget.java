package io.mgtm.query.sql;

import java.util.List;

/**
 * Where an INSERT, UPDATE or DELETE names the table that it writes to.
 *
 * @param only whether ONLY stands before it
 * @param first the token with which the name begins, and that of the name without a schema
 */
record WriteTarget(String verb, boolean only, int first, int name) {
  /** What a statement says, or null when it is none that is understood. */
  static WriteTarget of(List<Token> tokens) {
    String verb = tokens.get(0).text();
    int at = verb.equals("update") ? 1 : 2;
    boolean shaped = at == 1 || Token.isWordAt(tokens, 1, verb.equals("insert") ? "into" : "from");
    if (!shaped || at >= tokens.size()) {
      return null;
    }
    boolean only = tokens.get(at).isWord("only");
    int first = only ? at + 1 : at;
    boolean qualified = first + 2 < tokens.size() && tokens.get(first + 1).isSymbol(".");
    return new WriteTarget(verb, only, first, qualified ? first + 2 : first);
  }

  /** The table, or null when one name alone does not tell which it is. */
  Catalogue.Table in(Catalogue catalogue, List<Token> tokens) {
    Token token = name < tokens.size() ? tokens.get(name) : null;
    Catalogue.Table table =
        token != null && token.isName() ? catalogue.tables().get(token.text()) : null;
    boolean other =
        table != null && name > first && !tokens.get(first).text().equals(table.schema());
    return other ? null : table;
  }
}
