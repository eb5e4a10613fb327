package io.mgtm.bench.tpcc;

import io.mgtm.bench.report.Comparison;
import io.mgtm.bench.report.Comparison.Better;
import io.mgtm.bench.report.Measured;
import io.mgtm.bench.report.Part;
import io.mgtm.bench.report.Spread;
import io.mgtm.bench.tpcc.Conditions.Difference;
import io.mgtm.bench.tpcc.Database.Distribution;
import io.mgtm.bench.volume.Exec;
import io.mgtm.common.HostPort;
import io.mgtm.group.net.FreePorts;
import io.mgtm.local.Trees;
import io.mgtm.query.local.LocalPostgres;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A small TPC-C on a PostgreSQL of its own, in the report. One thread. */
public final class TpccPart implements Part {
  private static final int CONNECTIONS = 8;
  private static final int STATEMENT_S = 60;

  /** Deliveries of the one warehouse are in each other's way, the more so on a busy machine. */
  private static final int TRIES_MAX = 100;

  private final PrintWriter err;
  private final int scale;
  private final int seconds;
  private final int secondsMax;
  private Measured found = Measured.NOTHING;

  /**
   * One that has not begun.
   *
   * @param err told how far the load is
   * @param scale 1 for the specification's population, N for an Nth of it
   * @param seconds of load that is counted
   */
  public TpccPart(PrintWriter err, int scale, int seconds, int secondsMax) {
    this.err = err;
    this.scale = scale;
    this.seconds = seconds;
    this.secondsMax = secondsMax;
  }

  @Override
  public String id() {
    return "sql";
  }

  @Override
  public String title() {
    return "SQL: a small TPC-C on PostgreSQL";
  }

  @Override
  public int secondsMax() {
    return secondsMax;
  }

  @Override
  public Optional<String> missing() {
    return Exec.postgres() != null
        ? Optional.empty()
        : Optional.of("no PostgreSQL server is installed; install Debian's postgresql");
  }

  @Override
  public void measure() throws IOException, InterruptedException {
    Path folder = Files.createTempDirectory("mgtm-report-sql");
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    HostPort address = new HostPort("127.0.0.1", FreePorts.takeOne());
    try (LocalPostgres server =
        new LocalPostgres(
            LocalPostgres.installed(),
            folder.resolve("pg"),
            address,
            List.of("host all postgres 127.0.0.1/32 trust"))) {
      server.create("unused");
      server.start(List.of("max_connections=30"));
      measure(TpccTarget.of("jdbc:postgresql://" + address + "/postgres", "postgres"));
    } finally {
      Trees.delete(folder);
    }
  }

  @Override
  public Measured found() {
    return found;
  }

  private void measure(TpccTarget target) throws IOException, InterruptedException {
    Sessions sessions = target.sessions(Connection.TRANSACTION_READ_COMMITTED, STATEMENT_S);
    Population population = new Population(1, scale);
    new Loader(
            sessions,
            new Loader.Settings(target.database(), Distribution.HASH, population, 1, 2, false),
            new Progress(err, false, WarehouseRows.rows(population)))
        .load();
    RunSettings settings =
        new RunSettings(CONNECTIONS, seconds * 200, seconds * 1_000, 0, 1, TRIES_MAX);
    TpccRun.Outcome outcome = TpccRun.run(settings, target.database(), population, sessions);
    List<Difference> differences = TpccCheckCommand.differences(target);
    found =
        measured(
            population,
            TpccResult.of(target, population, settings, "read-committed", outcome, differences));
  }

  private static Measured measured(Population population, TpccResult result) {
    Comparison rate =
        Comparison.of("Throughput", "transactions a second", Better.HIGHER, "")
            .with("all", "PostgreSQL", Spread.of(result.transactionsPerSecond()));
    Comparison p50 = Comparison.of("Time of a transaction", "ms", Better.LOWER, "");
    for (Map.Entry<TransactionType, TpccResult.OfType> each : result.byType().entrySet()) {
      String type = each.getKey().title();
      p50 =
          p50.with(type, "median", Spread.of(each.getValue().latency().p50Micros() / 1e3))
              .with(
                  type, "99th percentile", Spread.of(each.getValue().latency().p99Micros() / 1e3));
    }
    List<String> findings = new ArrayList<>();
    if (result.transactions() == 0) {
      findings.add("no transaction ended");
    }
    if (result.failures() > 0) {
      findings.add(result.failures() + " transactions failed");
      findings.addAll(result.firstFailures());
    }
    result.firstDifferences().forEach(difference -> findings.add(difference.toString()));
    return new Measured(
        List.of(rate, p50),
        List.of(
            "%s, %d connections, one run of %.0f s, consistency conditions 1 to 4 checked"
                    .formatted(population.describe(), result.connections(), result.seconds())
                + " afterwards. No audited TPC-C figure."),
        findings);
  }
}
