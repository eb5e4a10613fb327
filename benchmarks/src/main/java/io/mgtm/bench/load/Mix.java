package io.mgtm.bench.load;

/** What each connection does, again and again. */
public enum Mix {
  /** Begin with gxid, snapshot, commit. */
  TXN(1),
  /** Begin with gxid, a snapshot for each of five statements, commit. */
  STATEMENTS(5),
  /** Begin with gxid, rollback. */
  BEGIN(0),
  /** The next value of a sequence. */
  SEQ(0);

  private final int snapshots;

  Mix(int snapshots) {
    this.snapshots = snapshots;
  }

  /** How many requests one cycle is. */
  public int operations() {
    return this == SEQ ? 1 : snapshots + 2;
  }

  Operation first() {
    return this == SEQ ? Operation.NEXT_VALUE : Operation.BEGIN;
  }

  /**
   * What comes after {@code operation}; null when the cycle is over.
   *
   * @param taken how many snapshots the cycle has had
   */
  Operation after(Operation operation, int taken) {
    return switch (operation) {
      case BEGIN -> snapshots > 0 ? Operation.SNAPSHOT : Operation.ROLLBACK;
      case SNAPSHOT -> taken < snapshots ? Operation.SNAPSHOT : Operation.COMMIT;
      case COMMIT, ROLLBACK, NEXT_VALUE -> null;
    };
  }
}
