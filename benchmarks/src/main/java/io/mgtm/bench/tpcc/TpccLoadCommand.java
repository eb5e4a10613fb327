package io.mgtm.bench.tpcc;

import io.mgtm.bench.tpcc.Database.Distribution;
import java.io.IOException;
import java.io.PrintWriter;
import java.sql.Connection;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code mgtm bench tpcc load}. */
@Command(
    name = "load",
    description = {
      "Makes the tables and fills them. Changes nothing where there are such tables already, unless"
          + " they are of an earlier load and --replace is given."
    },
    sortOptions = false,
    mixinStandardHelpOptions = true)
final class TpccLoadCommand implements Callable<Integer> {
  /** An index or the rows of a table may take long. */
  static final int STATEMENT_S = 3_600;

  private static final int CONNECTIONS_MAX = 100;

  @Spec private CommandSpec spec;
  @Mixin private TpccTarget target;

  @Option(
      names = "--warehouses",
      paramLabel = "N",
      defaultValue = "1",
      description = "How many are loaded. Default: ${DEFAULT-VALUE}.")
  private int warehouses;

  @Option(
      names = "--scale",
      paramLabel = "N",
      defaultValue = "1",
      description = {
        "Loads an Nth of the items, customers and orders of a warehouse, for a trial."
            + " Default: ${DEFAULT-VALUE}, the specification's population."
      })
  private int scale;

  @Option(
      names = "--connections",
      paramLabel = "N",
      defaultValue = "4",
      description = "Warehouses that are filled at a time. Default: ${DEFAULT-VALUE}.")
  private int connections;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "The same seed loads the same. Default: ${DEFAULT-VALUE}.")
  private long seed;

  @Option(
      names = "--distribute",
      paramLabel = "HOW",
      defaultValue = "HASH",
      description = {
        "Of postgres-xc: DISTRIBUTE BY hash or modulo of the warehouse's number, or replication."
            + " Items are replicated always. Default: hash."
      })
  private Distribution distribution;

  @Option(names = "--replace", description = "Drops the tables of an earlier load first.")
  private boolean replace;

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (connections < 1 || connections > CONNECTIONS_MAX) {
      throw new IllegalArgumentException("--connections must be from 1 to " + CONNECTIONS_MAX);
    }
    Population population = new Population(warehouses, scale);
    Sessions sessions = target.sessions(Connection.TRANSACTION_READ_COMMITTED, STATEMENT_S);
    PrintWriter err = spec.commandLine().getErr();
    long begun = System.nanoTime();
    new Loader(
            sessions,
            new Loader.Settings(
                target.database(), distribution, population, seed, connections, replace),
            new Progress(err, Ansi.AUTO.enabled(), WarehouseRows.rows(population)))
        .load();
    PrintWriter out = spec.commandLine().getOut();
    out.printf(
        Locale.ROOT,
        "%s: loaded %s, seed %d, in %.0f s%n",
        target.shownUrl(),
        population.describe(),
        seed,
        (System.nanoTime() - begun) / 1e9);
    out.flush();
    return 0;
  }
}
