package io.mgtm.bench.ha;

import com.fasterxml.jackson.databind.JsonNode;
import io.mgtm.bench.ha.Network.Net;
import io.mgtm.local.Wait;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleConsumer;

/**
 * A cluster under load, which is disturbed again and again, and looked after each time whether it
 * kept its promises. One thread.
 */
final class HaRounds implements Disturbed {
  private static final int SECONDS_MAX = HaCluster.PATIENCE_SECONDS;
  private static final int SOME = 20;
  private static final int MANY = 200;
  private static final int CLIENTS = 2;

  private final HaCluster cluster;
  private final List<String> notes = new ArrayList<>();
  private DoubleConsumer onServed = longestMs -> {};
  private Commits commits;
  private Pgbench load;

  /**
   * What one round came to.
   *
   * @param measured ms of the longest wait for a commit since the fault, or MB/s of a resync
   * @param failed transactions that failed meanwhile, of all clients
   * @param lost acknowledged rows that are not there
   * @param suffix whether these are the last before the fault
   * @param together on how many machines the database ran at once, at most
   * @param from where it was in service before
   * @param to where it is in service now
   */
  record Round(
      double measured,
      long failed,
      int lost,
      boolean suffix,
      int together,
      String from,
      String to) {}

  private HaRounds(HaCluster cluster) {
    this.cluster = cluster;
  }

  /**
   * Starts the cluster and its clients.
   *
   * @param rate transactions of pgbench a second
   */
  static HaRounds start(HaSetup setup, int rate) throws IOException, InterruptedException {
    HaRounds rounds = new HaRounds(HaCluster.start(setup));
    try {
      rounds.begin(setup, rate);
      return rounds;
    } catch (IOException | InterruptedException | RuntimeException e) {
      rounds.close();
      throw e;
    }
  }

  private void begin(HaSetup setup, int rate) throws IOException, InterruptedException {
    Machine client = cluster.machine("client");
    Path logs = setup.folder().resolve("client");
    if (setup.sites()) {
      for (String node : HaCluster.NODES) {
        slow(node);
      }
    }
    if (setup.engine() == Engine.POSTGRESQL) {
      load = Pgbench.start(client, setup.engine(), CLIENTS, rate, logs.resolve("pgbench.log"));
    }
    commits =
        Commits.start(
            setup.engine(), client::network, HaSetup.ADDRESS, logs.resolve("session.log"));
    commits.awaitMore(SOME, SECONDS_MAX);
  }

  private void slow(String node) throws InterruptedException {
    Optional<String> why =
        cluster.network().slow(cluster.machine(node), "delay 15ms 3ms loss 0.1%");
    if (why.isPresent() && notes.isEmpty()) {
      notes.add("two sites without delay and loss: " + why.get());
    }
  }

  HaCluster cluster() {
    return cluster;
  }

  /** Told of each round when it serves again, and the longest wait in ms. */
  void onServed(DoubleConsumer told) {
    onServed = told;
  }

  Commits commits() {
    return commits;
  }

  @Override
  public List<String> notes() {
    return List.copyOf(notes);
  }

  private long failed() {
    return commits.failed() + (load == null ? 0 : load.failed());
  }

  @Override
  public Round round(HaFault fault, long bytes) throws IOException, InterruptedException {
    cluster.awaitInStep();
    commits.awaitMore(SOME, SECONDS_MAX);
    String from = cluster.primary().orElseThrow();
    long failedBefore = failed();
    commits.mark();
    double measured =
        switch (fault) {
          case PATH -> cutPath(from);
          case RESYNC -> resync(from, bytes);
          case DEATH, SITES -> death(from);
          case POSTGRES, MARIADB -> killServer(from);
          case ADDRESS -> loseAddress(from);
          case CONTROLLER -> killController(from);
          case SWITCHOVER, SWITCHOVER_MARIADB -> switchover(from);
          case PARTITION_FIRST, PARTITION_SECOND ->
              cut(List.of(from), fault.cuts(), this::outlastLeases);
          case NETWORK -> cut(HaCluster.CONTROLLERS, fault.cuts(), this::outlastLeases);
          case PARTITION ->
              cut(List.of(from), fault.cuts(), () -> awaitServedBy(HaCluster.other(from)));
          case XC -> throw new IllegalArgumentException("another cluster has Postgres-XC");
        };
    cluster.awaitInStep();
    commits.awaitMore(SOME, SECONDS_MAX);
    Commits.Verdict verdict = commits.verify();
    return new Round(
        measured,
        failed() - failedBefore,
        verdict.lost(),
        verdict.suffix(),
        cluster.watch().most(),
        from,
        cluster.primary().orElse("none"));
  }

  /** The longest wait, once it has served for a while. */
  private double served(int commitsMore) throws IOException, InterruptedException {
    commits.awaitMore(commitsMore, SECONDS_MAX);
    double longestMs = commits.longestMs();
    onServed.accept(longestMs);
    return longestMs;
  }

  private void awaitServedBy(String node) throws IOException, InterruptedException {
    await(
        "the database is in service on " + node,
        node,
        () -> cluster.primary().equals(Optional.of(node)));
  }

  /** What does not come is told with what the controller of a node says. */
  private void await(String what, String node, Wait.Condition condition)
      throws IOException, InterruptedException {
    try {
      Wait.until(
          what,
          SECONDS_MAX,
          () -> {
            cluster.keepControllers();
            return condition.holds();
          });
    } catch (IOException e) {
      throw new IOException(e.getMessage() + "; the controllers say: " + cluster.told(node), e);
    }
  }

  private double cutPath(String primary) throws IOException, InterruptedException {
    Machine machine = cluster.machine(primary);
    cluster.network().cut(machine, Net.SECOND);
    Wait.until(
        "the primary has noticed that its replica is gone",
        SECONDS_MAX,
        () -> !cluster.hasReplica(primary));
    served(MANY);
    cluster.network().heal(machine, Net.SECOND);
    Wait.until("the replica is filled again", SECONDS_MAX, () -> cluster.hasReplica(primary));
    return served(SOME);
  }

  /**
   * MB a second, from the command to resume until the replica has all; and what one program's plain
   * copy of as much takes under the same load, to a new file on the same disk.
   */
  private double resync(String primary, long bytes) throws IOException, InterruptedException {
    tell(primary, "pause");
    Path filler = cluster.setup().folder().resolve("mnt/filler");
    String write = "head -c %d /dev/urandom >%s && sync %s".formatted(bytes, filler, filler);
    cluster.machine(primary).run(List.of("/bin/sh", "-c", write));
    long lacking =
        link(primary).path("chunksOutOfSync").asLong()
            * cluster.volume(primary).path("chunkBytes").asLong();
    long began = System.nanoTime();
    tell(primary, "resume");
    Wait.until("the resync is done", SECONDS_MAX, () -> cluster.hasReplica(primary));
    double resynced = lacking / 1e6 / secondsSince(began);
    Path copy = cluster.setup().folder().resolve("copy");
    long copying = System.nanoTime();
    cluster
        .machine(primary)
        .run(List.of("dd", "if=" + filler, "of=" + copy, "bs=1M", "conv=fsync", "status=none"));
    double copied = bytes / 1e6 / secondsSince(copying);
    notes.add(
        "a resync of %.0f MB/s, where dd copies %.0f MB/s: %.2f"
            .formatted(resynced, copied, resynced / copied));
    cluster.machine(primary).run(List.of("rm", filler.toString(), copy.toString()));
    return resynced;
  }

  private static double secondsSince(long nanos) {
    return (System.nanoTime() - nanos) / (double) TimeUnit.SECONDS.toNanos(1);
  }

  private void tell(String node, String command) throws IOException {
    if (!cluster.tell(node, command)) {
      throw new IOException("the agent of " + node + " did not " + command);
    }
  }

  private JsonNode link(String node) {
    return cluster.volume(node).path("links").path(0);
  }

  private double death(String primary) throws IOException, InterruptedException {
    cluster.kill(primary);
    awaitServedBy(HaCluster.other(primary));
    double longest = served(SOME);
    cluster.reboot(primary);
    if (cluster.setup().sites()) {
      slow(primary);
    }
    return longest;
  }

  private double killServer(String primary) throws IOException, InterruptedException {
    Engine engine = cluster.setup().engine();
    Machine machine = cluster.machine(primary);
    ProcessHandle server = engine.server(machine).orElseThrow();
    server.destroyForcibly();
    await(
        "another server runs",
        primary,
        () -> {
          // Asked once: it may be on none a moment later.
          Optional<String> now = cluster.primary();
          return now.isPresent()
              && engine
                  .server(cluster.machine(now.get()))
                  .filter(one -> !one.equals(server))
                  .isPresent();
        });
    return served(SOME);
  }

  private double loseAddress(String primary) throws IOException, InterruptedException {
    String remove = "ip address del %s/24 dev %s".formatted(HaSetup.ADDRESS, Net.CLIENTS.device());
    cluster.machine(primary).run(List.of("/bin/sh", "-c", remove));
    return served(SOME);
  }

  private double killController(String primary) throws IOException, InterruptedException {
    long before = incarnation(primary);
    ProcessHandle killed = cluster.controller(primary).orElseThrow();
    killed.destroyForcibly();
    killed.onExit().join();
    Wait.until(
        "the controller is back",
        SECONDS_MAX,
        () -> {
          cluster.keepControllers();
          return incarnation(primary) > Math.max(0, before);
        });
    TimeUnit.MILLISECONDS.sleep(cluster.setup().leaseMs());
    return served(SOME);
  }

  private long incarnation(String node) throws IOException, InterruptedException {
    return cluster
        .status(HaCluster.other(node))
        .path("nodes")
        .path(node)
        .path("incarnation")
        .asLong(-1);
  }

  private double switchover(String primary) throws IOException, InterruptedException {
    String to = HaCluster.other(primary);
    cluster.switchover(to);
    awaitServedBy(to);
    return served(SOME);
  }

  /** What is waited for while networks are cut. */
  private interface Wanted {
    void await() throws IOException, InterruptedException;
  }

  private double cut(List<String> nodes, List<Net> nets, Wanted wanted)
      throws IOException, InterruptedException {
    for (String node : nodes) {
      for (Net net : nets) {
        cluster.network().cut(cluster.machine(node), net);
      }
    }
    wanted.await();
    double longest = served(SOME);
    for (String node : nodes) {
      for (Net net : nets) {
        cluster.network().heal(cluster.machine(node), net);
      }
    }
    return longest;
  }

  /** Longer than a lease, so that who depends on the path would have lost it. */
  private void outlastLeases() throws InterruptedException {
    TimeUnit.MILLISECONDS.sleep(3L * cluster.setup().leaseMs());
  }

  @Override
  public void close() throws IOException {
    if (load != null) {
      load.close();
    }
    if (commits != null) {
      commits.close();
    }
    cluster.close();
  }
}
