package io.mgtm.bench.tpcc;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.mgtm.bench.load.LoadResult.Latency;
import io.mgtm.bench.tpcc.Conditions.Difference;
import io.mgtm.common.Cli;
import io.mgtm.common.TextTable;
import java.io.IOException;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code mgtm bench tpcc run}. */
@Command(
    name = "run",
    description = {
      "Runs the five transactions for a time, 45 %% New-Order, 43 %% Payment and 4 %% each of the"
          + " others, and checks the tables afterwards.",
      "Exit status 1 when a transaction failed or a consistency condition does not hold."
    },
    sortOptions = false,
    mixinStandardHelpOptions = true)
final class TpccRunCommand implements Callable<Integer> {
  /** How transactions are kept apart. */
  enum Isolation {
    READ_COMMITTED(Connection.TRANSACTION_READ_COMMITTED),
    REPEATABLE_READ(Connection.TRANSACTION_REPEATABLE_READ),
    SERIALIZABLE(Connection.TRANSACTION_SERIALIZABLE);

    private final int level;

    Isolation(int level) {
      this.level = level;
    }

    /** Its name in the options. */
    String title() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    static Isolation named(String name) {
      for (Isolation one : values()) {
        if (one.title().equals(name.toLowerCase(Locale.ROOT))) {
          return one;
        }
      }
      throw new IllegalArgumentException(
          "expected read-committed, repeatable-read or serializable, not \"" + name + "\"");
    }
  }

  /** Reads its name in the options. */
  static final class IsolationConverter implements ITypeConverter<Isolation> {
    @Override
    public Isolation convert(String text) {
      return Cli.value(text, Isolation::named);
    }
  }

  @Spec private CommandSpec spec;
  @Mixin private TpccTarget target;

  @Option(
      names = "--connections",
      paramLabel = "N",
      defaultValue = "8",
      description = "Terminals, a connection each. Default: ${DEFAULT-VALUE}.")
  private int connections;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      defaultValue = "30",
      description = "Load that is counted. Default: ${DEFAULT-VALUE}.")
  private double seconds;

  @Option(
      names = "--warmup",
      paramLabel = "S",
      defaultValue = "5",
      description = "Load before it. Default: ${DEFAULT-VALUE}.")
  private double warmup;

  @Option(
      names = "--think",
      paramLabel = "MS",
      defaultValue = "0",
      description = "A connection's rest after each transaction. Default: ${DEFAULT-VALUE}.")
  private int thinkMs;

  @Option(
      names = "--isolation",
      paramLabel = "LEVEL",
      converter = IsolationConverter.class,
      defaultValue = "read-committed",
      description = {
        "read-committed, where a transaction locks what it reads to change it; repeatable-read;"
            + " serializable. Default: ${DEFAULT-VALUE}."
      })
  private Isolation isolation;

  @Option(
      names = "--tries",
      paramLabel = "N",
      defaultValue = "10",
      description = {
        "How often a transaction is tried that is in the way of another (SQLSTATE 40...)."
            + " Default: ${DEFAULT-VALUE}."
      })
  private int triesMax;

  @Option(
      names = "--timeout",
      paramLabel = "S",
      defaultValue = "60",
      description = "A statement that takes longer has failed. Default: ${DEFAULT-VALUE}.")
  private int timeoutS;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Begins the random choices. Default: ${DEFAULT-VALUE}.")
  private long seed;

  @Option(names = "--json", description = "Prints the result as JSON.")
  private boolean json;

  @Override
  public Integer call() throws IOException, InterruptedException {
    RunSettings settings =
        new RunSettings(
            connections, (int) (warmup * 1_000), (int) (seconds * 1_000), thinkMs, seed, triesMax);
    if (timeoutS < 1) {
      throw new IllegalArgumentException("--timeout must be above 0");
    }
    Sessions sessions = target.sessions(isolation.level, timeoutS);
    Population population = loaded(sessions);
    TpccRun.Outcome outcome = TpccRun.run(settings, target.database(), population, sessions);
    List<Difference> differences = null;
    try {
      differences = TpccCheckCommand.differences(target);
    } catch (IOException e) {
      outcome.failures().add("the tables could not be checked afterwards: " + e.getMessage());
    }
    TpccResult result =
        TpccResult.of(target, population, settings, isolation.title(), outcome, differences);
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(new ObjectMapper().writerWithDefaultPrettyPrinter().writeValueAsString(result));
    } else {
      print(out, population, result);
    }
    out.flush();
    return result.clean() ? 0 : 1;
  }

  private static Population loaded(Sessions sessions) throws IOException {
    try (Session session = sessions.open()) {
      return Loaded.read(session);
    } catch (SQLException e) {
      throw SqlErrors.sentence("what was loaded cannot be read", e);
    }
  }

  private static void print(PrintWriter out, Population population, TpccResult result) {
    out.printf(
        Locale.ROOT,
        "%s: %s, %d connections, %d ms of rest, %s, seed %d, %.1f s%n",
        result.url(),
        population.describe(),
        result.connections(),
        result.thinkMs(),
        result.isolation(),
        result.seed(),
        result.seconds());
    TextTable table =
        new TextTable("ms", "count", "share", "mean", "p50", "p90", "p99", "p99.9", "max");
    result
        .byType()
        .forEach(
            (type, of) ->
                addRow(table, type.title(), of, 100.0 * of.count() / result.transactions()));
    out.print(table.render("no transaction ended"));
    out.printf(
        Locale.ROOT,
        "%,.1f transactions a second, %,.0f New-Orders committed a minute (no audited TPC-C figure)%n",
        result.transactionsPerSecond(),
        result.newOrdersPerMinute());
    out.printf(
        "New-Orders rolled back as the specification wants: %d; tries again: %d%s; failures: %d%n",
        result.newOrdersRolledBack(),
        result.retriesBySqlState().values().stream().mapToLong(Long::longValue).sum(),
        result.retriesBySqlState().isEmpty() ? "" : " by SQLSTATE " + result.retriesBySqlState(),
        result.failures());
    result.firstFailures().stream().distinct().forEach(out::println);
    if (result.checked()) {
      TpccCheckCommand.print(out, result.differences(), result.firstDifferences());
    }
  }

  private static void addRow(TextTable table, String title, TpccResult.OfType of, double percent) {
    Latency latency = of.latency();
    table.add(
        title,
        of.count(),
        String.format(Locale.ROOT, "%.1f %%", percent),
        ms(latency.meanMicros()),
        ms(latency.p50Micros()),
        ms(latency.p90Micros()),
        ms(latency.p99Micros()),
        ms(latency.p999Micros()),
        ms(latency.maxMicros()));
  }

  private static String ms(double micros) {
    return String.format(Locale.ROOT, "%.2f", micros / 1_000);
  }
}
