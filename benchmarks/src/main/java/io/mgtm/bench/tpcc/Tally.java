package io.mgtm.bench.tpcc;

import io.mgtm.bench.load.LatencyRecorder;
import java.util.SortedMap;
import java.util.TreeMap;

/** What one connection has done. One thread; others read it when that has ended. */
final class Tally {
  private final LatencyRecorder<TransactionType> latencies =
      new LatencyRecorder<>(TransactionType.class);
  private final SortedMap<String, Long> retries = new TreeMap<>();
  private long rolledBack;

  /** A transaction has ended in the time that is counted. */
  void ended(TransactionType type, boolean committed, long nanos) {
    latencies.record(type, nanos);
    if (!committed) {
      rolledBack++;
    }
  }

  /** A transaction is tried again. */
  void retried(String sqlState) {
    retries.merge(sqlState, 1L, Long::sum);
  }

  void add(Tally other) {
    latencies.add(other.latencies);
    other.retries.forEach((state, count) -> retries.merge(state, count, Long::sum));
    rolledBack += other.rolledBack;
  }

  LatencyRecorder<TransactionType> latencies() {
    return latencies;
  }

  /** By SQLSTATE, warm-up included. */
  SortedMap<String, Long> retries() {
    return retries;
  }

  /** New-Orders of an item that does not exist. */
  long rolledBack() {
    return rolledBack;
  }
}
