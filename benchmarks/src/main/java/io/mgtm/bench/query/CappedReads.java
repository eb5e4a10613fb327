package io.mgtm.bench.query;

import io.mgtm.bench.query.Pgbench.Script;
import io.mgtm.bench.report.Spread;
import io.mgtm.query.local.LocalPostgres;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * Reads through the replicator of one server and of two, each with a part of a processor, as if it
 * had a machine of its own. One thread.
 */
final class CappedReads {
  private static final int PERCENT = 20;

  static final String HEAD =
      "| reads, servers with %d %% of a processor | clients | 1 server /s | 2 servers /s | ratio"
              .formatted(PERCENT)
          + " | lowest to highest |\n|---|--:|--:|--:|--:|--:|";

  private CappedReads() {}

  /** The row. */
  static String measure(
      Servers servers,
      Path jar,
      Path folder,
      int clients,
      int rounds,
      int seconds,
      Consumer<String> told)
      throws IOException, InterruptedException {
    List<CpuCap> caps = new ArrayList<>();
    List<LocalPostgres> all = new ArrayList<>();
    try {
      for (int i = 0; i < 3; i++) {
        LocalPostgres server = servers.start(1).get(0);
        CpuCap cap = CpuCap.make("server" + i, PERCENT);
        caps.add(cap);
        all.add(server);
        cap.add(server.processes());
      }
      Pgbench pgbench = new Pgbench(servers, folder);
      double[] one = new double[rounds];
      double[] two = new double[rounds];
      try (Replicator first = Replicator.start(jar, folder, "capped1", all.subList(0, 1));
          Replicator second = Replicator.start(jar, folder, "capped2", all.subList(1, 3))) {
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
    } finally {
      all.forEach(LocalPostgres::close);
      for (CpuCap cap : caps) {
        cap.close();
      }
    }
  }
}
