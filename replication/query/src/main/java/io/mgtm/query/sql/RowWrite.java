package io.mgtm.query.sql;

import java.util.List;
import java.util.Set;

/**
 * How the rows that a statement writes are learnt and written elsewhere: the leader server runs the
 * text with RETURNING, and the others write the rows that it returned, by their primary key.
 *
 * @param text of the statement alone
 * @param first where in it the table's name begins, and where the name without a schema does
 */
public record RowWrite(RowShape shape, String text, int first, int name) {
  static RowWrite of(RowShape shape, String text, List<Token> tokens) {
    int start = tokens.get(0).start();
    return new RowWrite(
        shape,
        text,
        tokens.get(shape.at().first()).start() - start,
        tokens.get(shape.at().last()).start() - start);
  }

  /** Its table with the schema, quoted. */
  public String target() {
    return shape.target();
  }

  /** The text with {@link #columns} at the end of its RETURNING. */
  public String leaderSql() {
    return text + shape.returns();
  }

  /** The text with the table's schema. */
  public String othersSql() {
    return inSchema(text);
  }

  /** The same for one that is like it up to the name. */
  String inSchema(String like) {
    return like.substring(0, first) + shape.schema() + "." + like.substring(name);
  }

  /** What writes one row, with a parameter for each of {@link #columns}. */
  public String effectSql() {
    return shape.effectSql();
  }

  /** Those of the row: of a DELETE the primary key. */
  public List<String> columns() {
    return shape.columns();
  }

  /**
   * Those of {@link #columns} that the leader returns as texts, whatever format is asked for: in
   * others their values have numbers of types, which are not the same at each server.
   */
  public Set<String> texts() {
    return shape.texts();
  }

  /**
   * Whether the row's last column, after {@link #columns}, tells whether its key was in the table
   * before: triggers may have changed it.
   */
  public boolean keyTold() {
    return shape.keyTold();
  }

  /** Whether the text had a RETURNING of its own, whose columns come first. */
  public boolean returning() {
    return shape.returning();
  }

  /** How many columns the leader's rows have after those that the text asked for. */
  public int added() {
    return columns().size() + (keyTold() ? 1 : 0);
  }
}
