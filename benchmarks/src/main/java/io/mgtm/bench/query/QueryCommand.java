package io.mgtm.bench.query;

import io.mgtm.bench.WorkFolder;
import io.mgtm.bench.ha.Stoppable;
import io.mgtm.bench.query.Pgbench.Result;
import io.mgtm.bench.query.Pgbench.Script;
import io.mgtm.local.JavaCommand;
import io.mgtm.query.config.QueryConfig.Reads;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code bench query}: the query replicator's speed, and what its clients see of deaths. */
@Command(
    name = "query",
    description = {
      "Starts PostgreSQL servers of its own, and before them in turn nothing, the query replicator,"
          + " and Debian's pgpool2 and pgbouncer where they are installed; runs pgbench on each;"
          + " kills servers and replicators under a client that commits row after row.",
      "Prints tables of Markdown. Needs Debian's postgresql.",
      "Exit status 1 when a transaction of pgbench failed, or an acknowledged row is not there."
    },
    sortOptions = false,
    mixinStandardHelpOptions = true)
public final class QueryCommand implements Callable<Integer> {
  private static final int MEMORY_CLIENTS = 500;

  /** Of each of these; 500 logins alone may take longer than a run of the others. */
  private static final int MEMORY_TRANSACTIONS = 20;

  /** Beside clients: what the replicator and pgpool connect by themselves. */
  private static final int CONNECTIONS_BESIDE = 60;

  /** A table, or a row of the one of pauses. */
  enum Part {
    TPCB,
    MIXED,
    SELECT,
    READS,
    SERVER,
    LEADER,
    REPLICATOR,
    ADD,
    MEMORY
  }

  @Spec private CommandSpec spec;

  @Option(
      names = "--rows",
      split = ",",
      paramLabel = "ROW",
      description = "${COMPLETION-CANDIDATES}. Default: all.")
  private List<Part> rows = new ArrayList<>();

  @Option(
      names = "--clients",
      split = ",",
      paramLabel = "N",
      defaultValue = "8,32",
      description = "Of pgbench, one run each. Default: ${DEFAULT-VALUE}.")
  private List<Integer> clients = new ArrayList<>();

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "5",
      description = "Of a run of pgbench. Default: ${DEFAULT-VALUE}.")
  private int seconds;

  @Option(
      names = "--warmup",
      paramLabel = "N",
      defaultValue = "10",
      description =
          "Seconds of pgbench on each replicator before they count, and at most 5 of them on what is"
              + " none. Default: ${DEFAULT-VALUE}.")
  private int warmup;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "5",
      description = "Of each row. Default: ${DEFAULT-VALUE}.")
  private int rounds;

  @Option(
      names = "--scale",
      paramLabel = "N",
      description = "Of pgbench's tables. Default: the most clients.")
  private Integer scale;

  @Option(
      names = "--cap",
      paramLabel = "PERCENT",
      defaultValue = "25",
      description =
          "Of a processor that each server has in TPCB, MIXED, SELECT and READS; 0 for no bound. Default:"
              + " ${DEFAULT-VALUE}.")
  private int cap;

  @Option(
      names = "--at-once",
      paramLabel = "N",
      defaultValue = "0",
      description =
          "Transactions that the replicator before two servers lets run at once in TPCB"
              + " (limits.transactionsMax); 0 for any number. Default: ${DEFAULT-VALUE}.")
  private int atOnce;

  @Mixin private final WorkFolder folder = new WorkFolder();

  private PrintWriter out;
  private PrintWriter err;
  private boolean clean = true;

  @Override
  public Integer call() throws IOException {
    if (rounds < 1
        || seconds < 1
        || seconds > 250
        || warmup < 1
        || warmup > 250
        || cap < 0
        || cap > 100
        || atOnce < 0
        || clients.stream().anyMatch(n -> n < 1)) {
      throw new IllegalArgumentException(
          "--rounds, --clients: expected 1 and more; --seconds, --warmup: expected 1 to 250; --cap:"
              + " expected 0 to 100; --at-once: expected 0 and more");
    }
    out = spec.commandLine().getOut();
    err = spec.commandLine().getErr();
    Path jar = JavaCommand.jar("mgtm.queryJar", "mgtm-query.jar");
    return Stoppable.run(() -> folder.use("mgtm-bench-query", "", own -> measureAll(jar, own)));
  }

  private int measureAll(Path jar, Path own) throws IOException, InterruptedException {
    Files.setPosixFilePermissions(own, PosixFilePermissions.fromString("rwxr-xr-x"));
    Set<Part> parts = rows.isEmpty() ? EnumSet.allOf(Part.class) : EnumSet.copyOf(rows);
    int most = Collections.max(clients);
    int connections = (parts.contains(Part.MEMORY) ? MEMORY_CLIENTS : most) + CONNECTIONS_BESIDE;
    if (cap > 0 && !CpuCap.isPossible()) {
      say("Servers have no bound: this process cannot make control groups with one.\n");
      cap = 0;
    }
    tell("filling pgbench's tables");
    try (Servers servers = Servers.fill(own, scale == null ? most : scale, connections)) {
      loads(parts, servers, jar, own, most);
      reads(parts, servers, jar, own, most);
      pauses(parts, servers, jar, own);
      memory(parts, servers, jar, own);
    }
    return clean ? 0 : 1;
  }

  private void loads(Set<Part> parts, Servers servers, Path jar, Path own, int most)
      throws IOException, InterruptedException {
    Set<Script> scripts = EnumSet.allOf(Script.class);
    scripts.removeIf(script -> !parts.contains(Part.valueOf(script.name())));
    if (scripts.isEmpty()) {
      return;
    }
    if (!Pool.isInstalled()) {
      say("pgpool is not measured: Debian's package pgpool2 is not installed.\n");
    }
    if (!Bouncer.isInstalled()) {
      say("PgBouncer is not measured: Debian's package pgbouncer is not installed.\n");
    }
    try (LoadRows loads = LoadRows.start(servers, cap, atOnce, jar, own, most)) {
      loads.warmUp(scripts, most, warmup);
      say(loads.head());
      for (Script script : scripts) {
        for (int count : clients) {
          LoadRows.Row row = loads.measure(script, count, rounds, seconds, this::tell);
          say(row.text());
          clean &= row.failed() == 0;
        }
      }
    }
    say("");
  }

  private void reads(Set<Part> parts, Servers servers, Path jar, Path own, int most)
      throws IOException, InterruptedException {
    if (!parts.contains(Part.READS)) {
      return;
    }
    if (cap == 0) {
      say("READS is not measured: two servers without a bound share the processors.\n");
      return;
    }
    say(CappedReads.head(cap));
    say(CappedReads.measure(servers, cap, jar, own, most, rounds, seconds, this::tell) + "\n");
  }

  private void pauses(Set<Part> parts, Servers servers, Path jar, Path own)
      throws IOException, InterruptedException {
    List<Pauses.Event> events =
        EnumSet.allOf(Pauses.Event.class).stream()
            .filter(event -> parts.contains(Part.valueOf(event.name())))
            .toList();
    if (events.isEmpty()) {
      return;
    }
    try (Pauses pauses = Pauses.start(servers, jar, own)) {
      say(Pauses.HEAD);
      for (Pauses.Event event : events) {
        // Each round of it leaves one server more.
        int times = event == Pauses.Event.ADD ? Math.min(rounds, 3) : rounds;
        Pauses.Row row = pauses.measure(event, times, this::tell);
        say(row.text());
        clean &= row.lost() == 0;
      }
    } catch (SQLException e) {
      throw new IOException("a server does not tell its rows: " + e.getMessage(), e);
    }
    say("");
  }

  private void memory(Set<Part> parts, Servers servers, Path jar, Path own)
      throws IOException, InterruptedException {
    if (!parts.contains(Part.MEMORY)) {
      return;
    }
    try (Replicator one =
        Replicator.start(jar, own, "memory", 0, Reads.COMMITTED, servers.start(2))) {
      Result load =
          new Pgbench(servers, own)
              .runTransactions(one.listen(), Script.TPCB, MEMORY_CLIENTS, MEMORY_TRANSACTIONS);
      say(
          String.format(
              Locale.ROOT,
              "With %d clients of pgbench (TPCB, %,.0f /s) the replicator had %d MB at most.",
              MEMORY_CLIENTS,
              load.perSecond(),
              one.peakBytes() >> 20));
    }
  }

  private void say(String line) {
    out.println(line);
    out.flush();
  }

  private void tell(String line) {
    err.println(line);
    err.flush();
  }
}
