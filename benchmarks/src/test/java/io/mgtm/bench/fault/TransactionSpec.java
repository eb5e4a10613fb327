package io.mgtm.bench.fault;

/**
 * What up to 64 transactions and their snapshots are when the commands come one after the other:
 * the specification that histories are checked against. Its methods are called by name.
 *
 * <p>Transactions are counted from 0 by their gxids. A snapshot is the set of those that it shows
 * as ended, one bit each.
 */
public final class TransactionSpec {
  private long begun;
  private long ended;

  /** The next transaction. */
  public long begin() {
    return begun++;
  }

  /** Ends it. */
  public void commit(long transaction) {
    ended |= 1L << transaction;
  }

  /** Which transactions have ended. */
  public long snapshot() {
    return ended;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof TransactionSpec that && begun == that.begun && ended == that.ended;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(begun * 31 + ended);
  }
}
