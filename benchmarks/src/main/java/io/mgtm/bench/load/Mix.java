package io.mgtm.bench.load;

/** What each connection does, again and again. */
public enum Mix {
  /** Begin with gxid, snapshot, commit. */
  TXN,
  /** Begin with gxid, rollback. */
  BEGIN,
  /** The next value of a sequence. */
  SEQ;

  Operation first() {
    return this == SEQ ? Operation.NEXT_VALUE : Operation.BEGIN;
  }

  /** What comes after {@code operation}; null when the cycle is over. */
  Operation after(Operation operation) {
    return switch (operation) {
      case BEGIN -> this == TXN ? Operation.SNAPSHOT : Operation.ROLLBACK;
      case SNAPSHOT -> Operation.COMMIT;
      case COMMIT, ROLLBACK, NEXT_VALUE -> null;
    };
  }
}
