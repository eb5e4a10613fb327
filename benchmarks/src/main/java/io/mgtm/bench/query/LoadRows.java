package io.mgtm.bench.query;

import io.mgtm.bench.query.Pgbench.Result;
import io.mgtm.bench.query.Pgbench.Script;
import io.mgtm.bench.report.Spread;
import io.mgtm.common.HostPort;
import io.mgtm.query.config.QueryConfig.Reads;
import io.mgtm.query.local.LocalPostgres;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;

/**
 * pgbench on a server, and on what stands before servers, in turn in each round. All servers have
 * the same part of a processor, so that what stands before them need not take theirs. One thread.
 */
final class LoadRows implements AutoCloseable {
  private static final String REPEATABLE_READ = "default_transaction_isolation='repeatable read'";

  /** For what has no compiler at work while it runs. */
  private static final int COMPILED_WARM_S = 5;

  /** What pgbench connects to. */
  enum Target {
    /** A server. */
    BARE("bare"),
    /** The replicator before one server. */
    ONE("1 server"),
    /** PgBouncer before one server. */
    BOUNCER("pgbouncer"),
    /** The replicator before two servers. */
    TWO("2 servers"),
    /** The same, where all reads see what the leader shows. */
    SNAPSHOTS("reads: snapshot"),
    POOL_NATIVE("pgpool native"),
    POOL_SNAPSHOT("pgpool snapshot");

    private final String title;

    Target(String title) {
      this.title = title;
    }
  }

  /** A ratio of the table. */
  private record Ratio(String title, Target of, Target to, ToDoubleFunction<Result> figure) {}

  /** What pgbench ran on what. */
  private record Pair(Target target, Script script) {}

  private static final List<Ratio> RATIOS =
      List.of(
          new Ratio("1 server / bare", Target.ONE, Target.BARE, Result::perSecond),
          new Ratio("1 server / pgbouncer", Target.ONE, Target.BOUNCER, Result::perSecond),
          new Ratio("2 / pgpool native", Target.TWO, Target.POOL_NATIVE, Result::perSecond),
          new Ratio("2 / pgpool snapshot", Target.TWO, Target.POOL_SNAPSHOT, Result::perSecond),
          new Ratio("reads: snapshot / 2", Target.SNAPSHOTS, Target.TWO, Result::perSecond),
          new Ratio("p99, 2 / pgpool snapshot", Target.TWO, Target.POOL_SNAPSHOT, Result::p99Ms));

  private final Pgbench pgbench;
  private final Map<Target, HostPort> targets = new EnumMap<>(Target.class);
  private final Set<Pair> broken = new HashSet<>();
  private final Deque<AutoCloseable> started = new ArrayDeque<>();
  private final int percent;

  /** Null where it is not measured. */
  private Pool snapshot;

  private LoadRows(Pgbench pgbench, int percent) {
    this.pgbench = pgbench;
    this.percent = percent;
  }

  /**
   * Starts everything that is measured; pgpool and PgBouncer where they are installed.
   *
   * @param percent of a processor that each server has, or 0
   * @param transactionsMax that run at the leader of two at once, or 0
   */
  static LoadRows start(
      Servers servers, int percent, int transactionsMax, Path jar, Path folder, int clientsMax)
      throws IOException, InterruptedException {
    LoadRows rows = new LoadRows(new Pgbench(servers, folder), percent);
    try {
      rows.targets.put(Target.BARE, servers.start(1).get(0).address());
      Replicator one = Replicator.start(jar, folder, "one", 0, Reads.COMMITTED, servers.start(1));
      rows.started.push(one);
      rows.targets.put(Target.ONE, one.listen());
      if (Bouncer.isInstalled()) {
        Bouncer bouncer = Bouncer.start(folder, servers.start(1).get(0), clientsMax);
        rows.started.push(bouncer);
        rows.targets.put(Target.BOUNCER, bouncer.at());
      }
      Replicator two =
          Replicator.start(jar, folder, "two", transactionsMax, Reads.COMMITTED, servers.start(2));
      rows.started.push(two);
      rows.targets.put(Target.TWO, two.listen());
      Replicator snapshots =
          Replicator.start(
              jar, folder, "snapshots", transactionsMax, Reads.SNAPSHOT, servers.start(2));
      rows.started.push(snapshots);
      rows.targets.put(Target.SNAPSHOTS, snapshots.listen());
      if (Pool.isInstalled()) {
        Pool pool = Pool.start(Pool.Mode.NATIVE, folder, servers.start(2), clientsMax);
        rows.started.push(pool);
        rows.targets.put(Target.POOL_NATIVE, pool.at());
        List<LocalPostgres> repeatable = servers.start(2, REPEATABLE_READ);
        rows.snapshot = Pool.start(Pool.Mode.SNAPSHOT, folder, repeatable, clientsMax);
        rows.started.push(rows.snapshot);
        rows.targets.put(Target.POOL_SNAPSHOT, rows.snapshot.at());
      }
      servers.cap(percent); // late, as the replicator compares all rows when it starts
      return rows;
    } catch (IOException | InterruptedException | RuntimeException e) {
      rows.close();
      throw e;
    }
  }

  /** Has compilers, caches and pages warm before anything counts. */
  void warmUp(Set<Script> scripts, int clients, int seconds)
      throws IOException, InterruptedException {
    for (Target target : targets.keySet()) {
      for (Script script : scripts) {
        boolean compiles =
            target == Target.ONE || target == Target.TWO || target == Target.SNAPSHOTS;
        int own = compiles ? seconds : Math.min(seconds, COMPILED_WARM_S);
        run(target, script, clients, own, said -> {});
      }
    }
  }

  /** A run; pgpool has no figures once it has failed, since that is not ours to mend. */
  private Result run(Target target, Script script, int clients, int seconds, Consumer<String> told)
      throws IOException, InterruptedException {
    if (broken.contains(new Pair(target, script))) {
      return Result.NONE;
    }
    try {
      if (target == Target.POOL_SNAPSHOT) {
        snapshot.startAgain(); // after some runs it takes no connection any more
      }
      return pgbench.run(targets.get(target), script, clients, seconds);
    } catch (IOException e) {
      if (target != Target.POOL_NATIVE && target != Target.POOL_SNAPSHOT) {
        throw e;
      }
      told.accept(
          "%s is left out of %s from here on: %s".formatted(target.title, script, e.getMessage()));
      broken.add(new Pair(target, script));
      return Result.NONE;
    }
  }

  /** The head of the table. */
  String head() {
    String capped = percent == 0 ? "" : ", servers with %d %% of a processor".formatted(percent);
    StringBuilder head = new StringBuilder("| load" + capped + " | clients |");
    StringBuilder line = new StringBuilder("|---|--:|");
    for (Target target : targets.keySet()) {
      head.append(' ').append(target.title).append(" /s | p99, longest ms |");
      line.append("--:|--:|");
    }
    for (Ratio ratio : RATIOS) {
      if (isMeasured(ratio)) {
        head.append(' ').append(ratio.title).append(" | lowest to highest |");
        line.append("--:|--:|");
      }
    }
    return head + "\n" + line;
  }

  private boolean isMeasured(Ratio ratio) {
    return targets.containsKey(ratio.of) && targets.containsKey(ratio.to);
  }

  /**
   * Measures a row.
   *
   * @param told of each run
   * @return the row, and how many transactions failed
   */
  Row measure(Script script, int clients, int rounds, int seconds, Consumer<String> told)
      throws IOException, InterruptedException {
    Map<Target, List<Result>> results = new EnumMap<>(Target.class);
    targets.keySet().forEach(target -> results.put(target, new ArrayList<>()));
    for (int round = 1; round <= rounds; round++) {
      for (Target target : targets.keySet()) {
        Result result = run(target, script, clients, seconds, told);
        results.get(target).add(result);
        told.accept(
            "%s, %d clients, round %d of %d, %s: %.0f /s, p99 %.1f ms, longest %.0f ms"
                .formatted(
                    script,
                    clients,
                    round,
                    rounds,
                    target.title,
                    result.perSecond(),
                    result.p99Ms(),
                    result.longestMs()));
      }
    }
    long failed = results.values().stream().flatMap(List::stream).mapToLong(Result::failed).sum();
    return new Row(text(script, clients, results), failed);
  }

  /**
   * A row.
   *
   * @param text Markdown
   */
  record Row(String text, long failed) {}

  private String text(Script script, int clients, Map<Target, List<Result>> results) {
    StringBuilder row = new StringBuilder("| %s | %d |".formatted(script, clients));
    for (Target target : targets.keySet()) {
      List<Result> of = results.get(target);
      row.append(
          figure("%,.0f", Spread.of(of, Result::perSecond).median())
              + figure(
                  "%.1f, " + "%.0f".formatted(Spread.of(of, Result::longestMs).highest()),
                  Spread.of(of, Result::p99Ms).median()));
    }
    for (Ratio ratio : RATIOS) {
      if (isMeasured(ratio)) {
        Spread of = Spread.of(results.get(ratio.of), ratio.figure);
        Spread times = of.to(Spread.of(results.get(ratio.to), ratio.figure));
        row.append(
            figure("**%.2f**", times.median())
                + figure("%.2f to " + "%.2f".formatted(times.highest()), times.lowest()));
      }
    }
    return row.toString();
  }

  /** A cell; empty where a run has failed. */
  private static String figure(String format, double value) {
    return Double.isNaN(value) ? " |" : String.format(Locale.ROOT, " " + format + " |", value);
  }

  @Override
  public void close() throws IOException {
    try {
      while (!started.isEmpty()) {
        started.pop().close();
      }
    } catch (IOException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IOException(e.getMessage(), e);
    }
  }
}
