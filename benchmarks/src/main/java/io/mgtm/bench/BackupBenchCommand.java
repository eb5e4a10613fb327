package io.mgtm.bench;

import io.mgtm.bench.check.GivenOut;
import io.mgtm.bench.failover.GroupOperator;
import io.mgtm.bench.load.LoadResult;
import io.mgtm.bench.load.LoadRun;
import io.mgtm.bench.load.LoadSettings;
import io.mgtm.bench.load.Mix;
import io.mgtm.bench.report.Spread;
import io.mgtm.gtm.client.GtmClient;
import io.mgtm.gtm.node.backup.BackupFile;
import io.mgtm.gtm.node.backup.Restore;
import io.mgtm.local.LocalInstallation;
import io.mgtm.local.LocalSettings;
import io.mgtm.local.Trees;
import io.mgtm.local.Wait;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code mgtm bench backup}: the longest pause of clients while a large state is copied. */
@Command(
    name = "backup",
    description = {
      "Starts a group of three of this machine with many sequences and open transactions, runs load"
          + " through its proxy, and prints the longest that a request took: undisturbed, while"
          + " a backup is taken, until a checkpoint is written, while a member is started again,"
          + " and while one with an emptied folder is given the state. At last all are given a"
          + " backup, and serve again.",
      "Exit status 1 when a request failed, a member was elected meanwhile, or the checker found"
          + " something."
    },
    sortOptions = false,
    mixinStandardHelpOptions = true)
final class BackupBenchCommand implements Callable<Integer> {
  private static final int LEADER_MS = 60_000;
  private static final int REJOIN_MS = 300_000;
  private static final int LONG_MS = 3_600_000;
  private static final int CLIENTS = 64;
  private static final double NANOS_PER_MS = 1e6;

  /** Reached every half a minute or so, whereas the default takes minutes. */
  private static final String SETTINGS = "log:%n  checkpointBytes: 16777216%n";

  private static final int CHECKPOINT_SECONDS = 300;
  private static final String NOTHING = "nothing";

  @Spec private CommandSpec spec;

  @Option(
      names = "--sequences",
      paramLabel = "N",
      defaultValue = "999000",
      description = "How many sequences the state has. Default: ${DEFAULT-VALUE}.")
  private int sequences;

  @Option(
      names = "--open",
      paramLabel = "N",
      defaultValue = "4000",
      description = "How many transactions are open. Default: ${DEFAULT-VALUE}.")
  private int open;

  @Option(
      names = "--connections",
      paramLabel = "N",
      defaultValue = "8",
      description = "How many clients there are meanwhile. Default: ${DEFAULT-VALUE}.")
  private int connections;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "3",
      description = "How many backups are made. Default: ${DEFAULT-VALUE}.")
  private int rounds;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      defaultValue = "20",
      description = "Of each undisturbed round. Default: ${DEFAULT-VALUE}.")
  private int seconds;

  @Option(
      names = "--jvm",
      split = ",",
      paramLabel = "OPTION",
      description = "How the JVMs of nodes and proxy are started. Default: as mgtm does.")
  private List<String> jvm = LocalSettings.JVM_OPTIONS;

  /** The longest of each round, in ms. */
  private final Map<String, List<Double>> longest = new LinkedHashMap<>();

  private final GivenOut givenOut = new GivenOut();
  private PrintWriter out;
  private LocalInstallation installation;
  private GroupOperator operator;

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (rounds < 1) {
      throw new IllegalArgumentException("--rounds must be above 0");
    }
    out = spec.commandLine().getOut();
    Path folder = Files.createTempDirectory("mgtm-backup");
    LocalSettings free = LocalSettings.free(folder, 3, "fifo");
    LocalSettings settings =
        new LocalSettings(
            folder,
            free.clients(),
            free.members(),
            free.proxy(),
            free.mode(),
            jvm,
            List.of("--config", config(folder).toString()));
    try (LocalInstallation started = LocalInstallation.start(settings)) {
      installation = started;
      operator = new GroupOperator(started);
      started.awaitLeader(LEADER_MS);
      fill();
      return measure() ? 0 : 1;
    } finally {
      Trees.delete(folder);
    }
  }

  private static Path config(Path folder) throws IOException {
    return Files.writeString(folder.resolve("gtm.yaml"), SETTINGS.formatted());
  }

  /** Makes the sequences, by many clients at a time. */
  private void fill() throws IOException, InterruptedException {
    ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
    List<Future<Void>> done = new ArrayList<>();
    for (int c = 0; c < CLIENTS; c++) {
      int first = c;
      done.add(clients.submit(() -> create(first)));
    }
    clients.shutdown();
    for (Future<Void> each : done) {
      try {
        each.get();
      } catch (ExecutionException e) {
        throw new IOException("a sequence could not be made: " + e.getCause().getMessage(), e);
      }
    }
  }

  private Void create(int first) throws IOException {
    try (GtmClient client = GtmClient.connect(installation.proxyAddress().resolve())) {
      for (int i = first; i < sequences; i += CLIENTS) {
        client.createSequence(GtmClient.sequenceKey("bench.public.sequence_" + i));
      }
    }
    return null;
  }

  private LoadRun load() throws IOException {
    return LoadRun.start(
        LoadSettings.of(installation.proxyAddress().resolve(), connections, Mix.TXN, LONG_MS)
            .withOpen(open),
        givenOut);
  }

  private boolean measure() throws IOException, InterruptedException {
    out.println("| during | seconds | longest ms | requests | bytes | load average |");
    out.println("|---|--:|--:|--:|--:|--:|");
    LoadResult result;
    long term;
    try (LoadRun run = load()) {
      TimeUnit.SECONDS.sleep(seconds);
      term = operator.status(leader()).term();
      for (int round = 0; round < rounds; round++) {
        row(run, NOTHING, this::rest);
        row(run, "a backup", this::backup);
        row(run, "until a checkpoint was written", this::awaitCheckpoint);
        row(run, "a member that is started again", () -> rejoin(false));
        row(run, "a member that is given the state", () -> rejoin(true));
      }
      term = operator.status(leader()).term() - term;
      run.stop();
      result = run.finish();
    }
    LoadResult after = restored();
    summary();
    out.printf("%nElections: %d. Failed requests: %d.%n", term, result.errors() + after.errors());
    for (int i = 0; i < installation.settings().nodes(); i++) {
      out.printf("Memory of g%d, at most: %s%n", i + 1, memory(installation.node(i).pid()));
    }
    out.flush();
    return result.clean() && after.clean() && term == 0;
  }

  private void summary() {
    double nothing = Spread.of(longest.get(NOTHING), ms -> ms).median();
    out.println();
    out.println("| during | median of the longest, ms | above nothing, ms | highest, ms |");
    out.println("|---|--:|--:|--:|");
    for (Map.Entry<String, List<Double>> each : longest.entrySet()) {
      String name = each.getKey();
      Spread of = Spread.of(each.getValue(), ms -> ms);
      double above = of.median() - nothing;
      out.printf(
          Locale.ROOT, "| %s | %.0f | %.0f | %.0f |%n", name, of.median(), above, of.highest());
    }
  }

  /** What is done; the answer is how many bytes it gave. */
  private interface Step {
    long run() throws IOException, InterruptedException;
  }

  private void row(LoadRun run, String name, Step step) throws IOException, InterruptedException {
    run.takeLongestNanos();
    long before = run.served();
    long begin = System.nanoTime();
    long bytes = step.run();
    double took = (System.nanoTime() - begin) / 1e9;
    double pause = run.takeLongestNanos() / NANOS_PER_MS;
    longest.computeIfAbsent(name, n -> new ArrayList<>()).add(pause);
    out.printf(
        Locale.ROOT,
        "| %s | %.1f | %.1f | %,d | %,d | %.1f |%n",
        name,
        took,
        pause,
        run.served() - before,
        bytes,
        ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
    out.flush();
  }

  /** The bytes are counted as they come: collections of this process would be taken for pauses. */
  private long backup() throws IOException {
    DataOutputStream counted = new DataOutputStream(OutputStream.nullOutputStream());
    operator.backup(leader(), counted);
    return counted.size();
  }

  private long rest() throws InterruptedException {
    TimeUnit.SECONDS.sleep(seconds);
    return 0;
  }

  /** Waits until the leader has a checkpoint that it had not before; its bytes. */
  private long awaitCheckpoint() throws IOException, InterruptedException {
    Path folder = folder(leader());
    Set<Path> known = checkpoints(folder);
    Set<Path> found = new HashSet<>();
    Wait.until(
        "a checkpoint is written",
        CHECKPOINT_SECONDS,
        () -> {
          found.addAll(checkpoints(folder));
          found.removeAll(known);
          return !found.isEmpty();
        });
    return Files.size(found.iterator().next());
  }

  private static Set<Path> checkpoints(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .filter(file -> file.getFileName().toString().matches("checkpoint-[^.]*"))
          .collect(Collectors.toSet());
    }
  }

  private Path folder(int node) {
    return installation.settings().folder().resolve(installation.settings().name(node));
  }

  /** Ends a follower, starts it again, and waits until it has all again. */
  private long rejoin(boolean emptied) throws IOException, InterruptedException {
    int leader = leader();
    int other = (leader + 1) % installation.settings().nodes();
    installation.node(other).kill();
    if (emptied) {
      Trees.delete(folder(other));
    }
    installation.restartNode(other);
    long wanted = operator.status(leader()).committedIndex();
    Wait.until(
        "the member is in step",
        REJOIN_MS / 1_000,
        () -> operator.status(other).appliedIndex() >= wanted);
    return 0;
  }

  /** All members are given a backup in new folders; load again, that nothing comes twice. */
  private LoadResult restored() throws IOException, InterruptedException {
    Path file = installation.settings().folder().resolve("backup");
    try (OutputStream to = Files.newOutputStream(file)) {
      operator.backup(leader(), to);
    }
    int nodes = installation.settings().nodes();
    installation.proxy().kill(); // The sessions that it holds end with the group.
    for (int i = 0; i < nodes; i++) {
      installation.node(i).kill();
      Trees.delete(folder(i));
      restore(file, folder(i));
    }
    long begin = System.nanoTime();
    for (int i = 0; i < nodes; i++) {
      installation.restartNode(i);
    }
    long term = operator.status(installation.awaitLeader(REJOIN_MS)).term();
    double took = (System.nanoTime() - begin) / 1e9;
    installation.restartProxy();
    out.printf(Locale.ROOT, "%nRestored: it served after %.1f s, in term %d.%n", took, term);
    try (LoadRun run = load()) {
      TimeUnit.SECONDS.sleep(seconds);
      run.stop();
      return run.finish();
    }
  }

  private static void restore(Path from, Path data) throws IOException {
    try {
      Restore.place(data, BackupFile.open(from)::writeTo);
    } catch (BackupFile.BadBackupException e) {
      throw new IOException(from + ": " + e.getMessage(), e);
    }
  }

  private int leader() throws IOException {
    return installation.awaitLeader(LEADER_MS);
  }

  private static String memory(long pid) throws IOException {
    try (Stream<String> lines = Files.lines(Path.of("/proc/" + pid + "/status"))) {
      return lines.filter(line -> line.startsWith("VmHWM")).findFirst().orElse("not known").trim();
    }
  }
}
