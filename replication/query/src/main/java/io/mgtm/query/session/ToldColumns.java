package io.mgtm.query.session;

import io.mgtm.query.wire.ErrorFields;
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

  private String told;

  /** What it is told first, as {@link io.mgtm.query.wire.Rows#columns}: that counts. */
  void tell(String columns) {
    told = columns;
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
