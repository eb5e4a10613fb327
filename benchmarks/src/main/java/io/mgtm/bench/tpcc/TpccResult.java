package io.mgtm.bench.tpcc;

import io.mgtm.bench.load.LoadErrors;
import io.mgtm.bench.load.LoadResult.Latency;
import io.mgtm.bench.tpcc.Conditions.Difference;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * What a run saw. It is no TPC-C result: nobody has audited it, there are no terminals and keying
 * times, and the database may be too small for its throughput.
 *
 * @param scale 1 for the specification's population, N for an Nth of it
 * @param transactions that ended in the time that was counted
 * @param newOrdersPerMinute of those that were committed
 * @param newOrdersRolledBack as the specification wants of one in a hundred
 * @param retriesBySqlState transactions that were in the way of another and were tried again,
 *     warm-up included
 * @param failures transactions that failed, warm-up included, and the check if it could not be made
 * @param checked whether the consistency conditions were looked at afterwards
 * @param differences where a consistency condition does not hold afterwards
 */
record TpccResult(
    String database,
    String url,
    int warehouses,
    int scale,
    int connections,
    int thinkMs,
    String isolation,
    long seed,
    double seconds,
    long transactions,
    double transactionsPerSecond,
    double newOrdersPerMinute,
    long newOrdersRolledBack,
    Map<TransactionType, OfType> byType,
    Map<String, Long> retriesBySqlState,
    long failures,
    List<String> firstFailures,
    boolean checked,
    long differences,
    List<Difference> firstDifferences) {

  private static final int KEPT_MAX = 20;

  /**
   * Of one transaction.
   *
   * @param latency from the begin of the first try to the end of the commit
   */
  record OfType(long count, Latency latency) {}

  /**
   * Of a run.
   *
   * @param differences null when the tables could not be checked
   */
  static TpccResult of(
      TpccTarget target,
      Population population,
      RunSettings settings,
      String isolation,
      TpccRun.Outcome outcome,
      List<Difference> differences) {
    Tally tally = outcome.tally();
    LoadErrors failures = outcome.failures();
    double seconds = settings.durationMs() / 1e3;
    Map<TransactionType, Latency> latencies = tally.latencies().each();
    Map<TransactionType, OfType> byType = new EnumMap<>(TransactionType.class);
    latencies.forEach(
        (type, latency) -> byType.put(type, new OfType(tally.latencies().count(type), latency)));
    long newOrders = tally.latencies().count(TransactionType.NEW_ORDER) - tally.rolledBack();
    return new TpccResult(
        target.database().title(),
        target.shownUrl(),
        population.warehouses(),
        population.scale(),
        settings.connections(),
        settings.thinkMs(),
        isolation,
        settings.seed(),
        seconds,
        tally.latencies().count(),
        tally.latencies().count() / seconds,
        newOrders * 60 / seconds,
        tally.rolledBack(),
        byType,
        tally.retries(),
        failures.count(),
        failures.first(),
        differences != null,
        differences == null ? 0 : differences.size(),
        differences == null ? List.of() : differences.stream().limit(KEPT_MAX).toList());
  }

  /** Whether something was done, nothing failed, and all conditions hold. */
  boolean clean() {
    return transactions > 0 && failures == 0 && checked && differences == 0;
  }
}
