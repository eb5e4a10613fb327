package io.mgtm.query.sql;

import java.util.ArrayList;
import java.util.List;

/**
 * A query of one row by its key, a statement of class K, or an INSERT of class R, with its whole
 * numbers as parameters of type integer, so that a server need not read and plan it each time. It
 * does the same: PostgreSQL takes such a number for an integer, too, and all columns that it is
 * compared with, added to or put in are of whole numbers.
 *
 * @param sql the leader's text, which is the same for all that differ in these numbers only
 * @param othersSql that of class K for the others, with the table's schema
 * @param values of its parameters, as texts
 */
public record Numbers(String sql, String othersSql, List<String> values) {
  private static final int COUNT_MAX = 100;

  /** More digits may be more than an integer holds, and then the number is of another type. */
  private static final int DIGITS_MAX = 9;

  public Numbers {
    values = List.copyOf(values);
  }

  /** Whether statements of this shape, which are of this class, have no other constants. */
  static boolean mayBeParameters(Catalogue catalogue, StatementClass of, List<Token> tokens) {
    boolean insert = tokens.get(0).isWord("insert");
    boolean written = of == StatementClass.KEY_LOCAL || (of == StatementClass.ROWS && insert);
    TableName name =
        written
            ? WriteTarget.of(tokens).table()
            : of == StatementClass.READ ? KeyRead.table(catalogue, tokens) : null;
    if (name == null) {
      return false;
    }
    Catalogue.Table table = name.in(catalogue, tokens);
    int rest = name.last() + 1;
    return insert
        ? new ValuesInsert(table, tokens, rest).matches()
        : fit(table, tokens.subList(rest, tokens.size()));
  }

  private static boolean fit(Catalogue.Table table, List<Token> afterName) {
    for (Token token : afterName) {
      Catalogue.Column column = token.isName() ? table.columns().get(token.text()) : null;
      boolean other =
          token.kind() == Token.Kind.STRING
              || token.kind() == Token.Kind.PARAMETER
              || token.isWord("true")
              || token.isWord("false");
      if (other || (column != null && !column.integer())) {
        return false;
      }
    }
    return true;
  }

  /** Of a statement whose shape fits; null where one of its numbers is no integer. */
  static Numbers of(Statement statement) {
    String text = statement.text();
    List<Token> tokens = statement.tokens();
    int start = tokens.get(0).start();
    StringBuilder sql = new StringBuilder(text.length());
    List<String> values = new ArrayList<>();
    int copied = 0;
    for (Token token : tokens) {
      if (token.kind() != Token.Kind.NUMBER) {
        continue;
      }
      String number = text.substring(token.start() - start, token.end() - start);
      if (number.length() > DIGITS_MAX
          || !number.chars().allMatch(c -> c >= '0' && c <= '9')
          || values.size() == COUNT_MAX) {
        return null;
      }
      values.add(number);
      sql.append(text, copied, token.start() - start).append('$').append(values.size());
      copied = token.end() - start;
    }
    String all = sql.append(text, copied, text.length()).toString();
    RowWrite write = statement.write();
    boolean byRows = write != null && statement.statementClass() != StatementClass.KEY_LOCAL;
    // The names stand before the first number.
    String othersSql = write == null ? all : write.inSchema(all);
    return new Numbers(byRows ? all + write.shape().returns() : all, othersSql, values);
  }
}
