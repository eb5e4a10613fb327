package io.mgtm.bench.tpcc;

/**
 * One run.
 *
 * @param warmupMs load before it is counted
 * @param durationMs load that is counted
 * @param thinkMs how long a connection rests after each transaction
 * @param triesMax how often a transaction is tried that is in the way of another
 */
record RunSettings(
    int connections, int warmupMs, int durationMs, int thinkMs, long seed, int triesMax) {
  private static final int CONNECTIONS_MAX = 1_000;

  RunSettings {
    require(
        connections > 0 && connections <= CONNECTIONS_MAX,
        "--connections must be from 1 to " + CONNECTIONS_MAX);
    require(durationMs > 0 && warmupMs >= 0, "--seconds must be above 0, --warmup not below");
    require(thinkMs >= 0, "--think must not be below 0");
    require(triesMax > 0, "--tries must be above 0");
  }

  private static void require(boolean holds, String message) {
    if (!holds) {
      throw new IllegalArgumentException(message);
    }
  }
}
