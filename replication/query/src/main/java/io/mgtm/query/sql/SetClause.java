package io.mgtm.query.sql;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The SET of an UPDATE, or of an INSERT's DO UPDATE. */
final class SetClause {
  private SetClause() {}

  /**
   * The columns that it assigns to: the first name after SET and after each comma, or all names of
   * a list there. Rather one too many than one too few: FROM does not end it, as in IS DISTINCT
   * FROM.
   */
  static Set<String> targets(List<Token> tokens) {
    Set<String> targets = new HashSet<>();
    int depth = 0;
    int listed = 0;
    boolean within = false;
    boolean awaited = false;
    for (int i = 0; i < tokens.size(); i++) {
      Token token = tokens.get(i);
      boolean word = depth == 0 && (i == 0 || !tokens.get(i - 1).isSymbol("."));
      if (token.isSymbol("(")) {
        depth++;
        listed += (awaited || listed > 0) ? 1 : 0;
        awaited = false;
      } else if (token.isSymbol(")")) {
        depth--;
        listed -= listed > 0 ? 1 : 0;
      } else if (word && token.isWord("set")) {
        if (awaited) {
          targets.add(token.text()); // a column may be named so
        }
        within = true;
        awaited = true;
      } else if (word && (token.isWord("where") || token.isWord("returning"))) {
        within = false;
        awaited = false;
      } else if (depth == 0 && token.isSymbol(",")) {
        awaited = within;
      } else if (token.isName() && (awaited || listed > 0)) {
        targets.add(token.text());
        awaited = false;
      }
    }
    return targets;
  }
}
