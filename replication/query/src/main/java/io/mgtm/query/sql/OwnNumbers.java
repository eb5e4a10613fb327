package io.mgtm.query.sql;

import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Finds what a table would compute of numbers that are each server's own: those of rows, of
 * objects, and of the labels of enums, which also tell in which partition by hash a row is. Pure.
 */
final class OwnNumbers {
  private static final Pattern HASHES = Pattern.compile("hash(enum|oid|_array|_record)\\w*");

  /** Types whose values have the same hash everywhere, beside those that are steady. */
  private static final Set<String> HASHED =
      Set.of(
          "cidr",
          "date",
          "inet",
          "interval",
          "macaddr",
          "time",
          "timestamp",
          "timestamptz",
          "timetz");

  private OwnNumbers() {}

  /** Why a check, or a column that is generated, may have another value elsewhere; or null. */
  static String whyNot(List<Token> tokens) {
    for (int i = 1; i < tokens.size(); i++) {
      boolean computed =
          tokens.get(i - 1).isWord("check")
              || (tokens.get(i - 1).isWord("as") && Token.isWordAt(tokens, i - 2, "always"));
      if (computed && tokens.get(i).isSymbol("(")) {
        String why = whyNotOne(tokens.subList(i, Token.afterParenthesis(tokens, i)));
        if (why != null) {
          return why;
        }
      }
    }
    return null;
  }

  /** Of one expression. */
  private static String whyNotOne(List<Token> expression) {
    boolean own =
        Token.hasName(expression, Words.SYSTEM_COLUMNS)
            || Words.tellOfObjects(expression)
            || expression.stream().anyMatch(t -> t.isName() && HASHES.matcher(t.text()).matches());
    return own ? "it computes something of numbers that are each server's own" : null;
  }

  /**
   * Why a row may be of another partition elsewhere, or null.
   *
   * @param parent of which the table is a partition itself; null where it is none, or not known
   * @param table what stands before PARTITION BY
   * @param by what follows it: {@code HASH (id)}
   */
  static String whyNotPartition(Catalogue.Table parent, List<Token> table, List<Token> by) {
    boolean hash = Token.isWordAt(by, 0, "hash");
    for (int i = 2; hash && i < by.size(); i += 2) {
      Token column = by.get(i);
      boolean alone =
          i + 1 < by.size() && (by.get(i + 1).isSymbol(",") || by.get(i + 1).isSymbol(")"));
      if (!alone || !(isHashedAlike(parent, column) || isHashedAlike(table, column))) {
        return "a hash of its key may be another where numbers of types and labels are: name columns of plain types";
      }
    }
    return whyNotOne(by);
  }

  private static boolean isHashedAlike(Catalogue.Table parent, Token column) {
    Catalogue.Column known = parent == null ? null : parent.columns().get(column.text());
    return known != null && (known.exact() || known.input() == Catalogue.Input.CLOCK);
  }

  private static boolean isHashedAlike(List<Token> table, Token column) {
    for (int i = 1; i + 2 < table.size(); i++) {
      boolean defined =
          (table.get(i - 1).isSymbol("(") || table.get(i - 1).isSymbol(","))
              && table.get(i).isName()
              && table.get(i).text().equals(column.text());
      if (defined) {
        String type = Ddl.word(table, i + 1);
        return Words.STEADY_TYPES.contains(type) || HASHED.contains(type);
      }
    }
    return false;
  }
}
