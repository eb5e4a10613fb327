package io.mgtm.bench.query;

import io.mgtm.bench.query.Pgbench.Script;
import io.mgtm.bench.report.Spread;
import io.mgtm.query.config.QueryConfig.Reads;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * Reads through the replicator of one server and of two, each with a part of a processor, as if it
 * had a machine of its own. One thread.
 */
final class CappedReads {
  private CappedReads() {}

  /** The head of the table. */
  static String head(int percent) {
    return "| reads, servers with %d %% of a processor | clients | 1 server /s | 2 servers /s | ratio"
            .formatted(percent)
        + " | lowest to highest |\n|---|--:|--:|--:|--:|--:|";
  }

  /** The row. */
  static String measure(
      Servers servers,
      int percent,
      Path jar,
      Path folder,
      int clients,
      int rounds,
      int seconds,
      Consumer<String> told)
      throws IOException, InterruptedException {
    Pgbench pgbench = new Pgbench(servers, folder);
    double[] one = new double[rounds];
    double[] two = new double[rounds];
    try (Replicator first =
            Replicator.start(jar, folder, "capped1", 0, Reads.COMMITTED, servers.start(1));
        Replicator second =
            Replicator.start(jar, folder, "capped2", 0, Reads.COMMITTED, servers.start(2))) {
      servers.cap(percent);
      for (int round = 0; round < rounds; round++) {
        one[round] = pgbench.run(first.listen(), Script.SELECT, clients, seconds).perSecond();
        two[round] = pgbench.run(second.listen(), Script.SELECT, clients, seconds).perSecond();
        told.accept(
            "reads, round %d of %d: one server %.0f /s, two %.0f /s"
                .formatted(round + 1, rounds, one[round], two[round]));
      }
    }
    Spread times = Spread.of(two).to(Spread.of(one));
    return String.format(
        Locale.ROOT,
        "| SELECT | %d | %,.0f | %,.0f | **%.2f** | %.2f to %.2f |",
        clients,
        Spread.of(one).median(),
        Spread.of(two).median(),
        times.median(),
        times.lowest(),
        times.highest());
  }
}
