package io.mgtm.query.sql;

import java.util.List;

/**
 * Where an INSERT, UPDATE or DELETE names the table that it writes to.
 *
 * @param only whether ONLY stands before it
 */
record WriteTarget(String verb, boolean only, TableName table) {
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
    return new WriteTarget(verb, only, TableName.at(tokens, first));
  }
}
