package io.mgtm.query.session;

import io.mgtm.query.wire.ErrorFields;
import io.mgtm.query.wire.Rows;
import java.util.BitSet;
import java.util.Map;

/**
 * The columns that a client was told a prepared statement of its gives. It may not be told again,
 * and reads rows by what it was told: where they have become others, PostgreSQL does not run the
 * statement any more. Belongs to a session.
 */
final class ToldColumns {
  /** As PostgreSQL says it, by which drivers know that they are to prepare the statement again. */
  static final ErrorFields CHANGED =
      new ErrorFields(
          "ERROR",
          "0A000",
          "cached plan must not change result type",
          "",
          Map.of((byte) 'R', "RevalidateCachedQuery"));

  private static final int BINARY = 1;

  /** As {@link Rows#columns}. */
  private String told;

  /** As {@link Rows#typed}. */
  private BitSet typed = new BitSet();

  /** What it is told first counts. */
  void tell(String columns, BitSet typedColumns) {
    told = columns;
    typed = typedColumns;
  }

  /** Whether the rows that a Bind asks for tell numbers of types that are each server's own. */
  boolean areTyped(Step bind) {
    return !typed.isEmpty() && areTyped(Step.resultFormats(bind.afterNames()));
  }

  private boolean areTyped(int[] formats) {
    return typed.stream()
        .map(at -> formats.length == 1 ? 0 : at)
        .anyMatch(at -> at < formats.length && formats[at] == BINARY);
  }

  /** Whether it was told any. */
  boolean areTold() {
    return told != null;
  }

  /** Whether it was told just these. */
  boolean are(String columns) {
    return columns.equals(told);
  }
}
