package io.mgtm.query.member;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.query.check.Anomaly;
import io.mgtm.query.check.ListAppendChecker;
import io.mgtm.query.config.QueryConfig.Reads;
import io.mgtm.testing.Await;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What clients are told by several servers could be what one has told them, whoever dies. */
class ListAppendIT {
  private static final int CLIENTS = 6;
  private static final int SOME = 50;
  private static final int ROUNDS = Integer.getInteger("mgtm.rounds", 20);

  /** Servers commit some milliseconds apart then, and reads between may see what others do not. */
  private static final String SPREAD_COMMITS =
      "create function pause() returns trigger language plpgsql as"
          + " $$begin perform pg_sleep(0.01 * random()); return new; end$$;"
          + "create trigger pause before insert or update on mgtm.position"
          + " for each row execute function pause();"
          + "alter table mgtm.position enable always trigger pause";

  @TempDir private Path folder;
  private final long seed = Long.getLong("seed", 1);
  private final Random random = new Random(seed);
  private Cluster cluster;
  private Replicators replicators;
  private ListAppends appends;

  @BeforeAll
  static void need() {
    Tools.needPostgres();
  }

  @AfterEach
  void stop() throws Exception {
    if (appends != null) {
      appends.end();
    }
    if (replicators != null) {
      replicators.close();
    }
    if (cluster != null) {
      cluster.close();
    }
  }

  private void startWithOneReplicator(int servers, Reads reads) throws Exception {
    cluster = new Cluster(folder, servers, "dtp", ListAppends.TABLES);
    cluster.reads = reads;
    cluster.startReplicator();
    spreadCommits();
    appends = new ListAppends(cluster, CLIENTS, seed);
  }

  private void startWithThree(int servers, Reads reads) throws Exception {
    cluster = new Cluster(folder, servers, "dtp", ListAppends.TABLES);
    cluster.reads = reads;
    replicators = new Replicators(cluster, 3);
    replicators.startAll();
    replicators.awaitWhole();
    cluster.several = replicators.clients();
    spreadCommits();
    appends = new ListAppends(cluster, CLIENTS, seed);
  }

  private void spreadCommits() throws Exception {
    cluster.alice().close(); // The tables of positions are there.
    cluster.sql("app", SPREAD_COMMITS);
  }

  private void more() {
    int before = appends.committed();
    Await.until("more transactions", () -> appends.committed() >= before + SOME);
  }

  private void killServer(int number) throws Exception {
    cluster.servers.get(number).kill();
    more();
    cluster.servers.get(number).startAgain();
  }

  /** The first one leads, and the second one after it. */
  @ParameterizedTest
  @EnumSource(Reads.class)
  void serversDieAndComeBack(Reads reads) throws Exception {
    startWithOneReplicator(reads == Reads.SNAPSHOT ? 3 : 2, reads);
    int servers = cluster.servers.size();
    more();
    killServer(1);
    cluster.awaitIn(servers);
    more();
    killServer(0);
    cluster.awaitIn(servers);
    more();
    appends.end();
    cluster.assertAlike();
    assertNothingForbidden();
  }

  @Test
  void whoServesDiesAndServersToo() throws Exception {
    startWithThree(2, Reads.COMMITTED);
    more();
    killReplicator(() -> {});
    replicators.awaitServersIn();
    killServer(0);
    replicators.awaitServersIn();
    more();
    assertAlike();
    assertNothingForbidden();
  }

  @ParameterizedTest
  @EnumSource(Reads.class)
  @Tag("long")
  void whoeverDiesAgainAndAgain(Reads reads) throws Exception {
    startWithThree(3, reads);
    for (int round = 0; round < ROUNDS; round++) {
      more();
      int server = random.nextInt(3);
      switch (random.nextInt(4)) {
        case 0 -> killServer(server);
        case 1 -> killReplicator(() -> {});
        case 2 -> {
          killReplicator(() -> cluster.servers.get(server).kill());
          cluster.servers.get(server).startAgain();
        }
        default -> {
          int serves = replicators.awaitServing();
          replicators.pause(serves);
          more();
          replicators.resume(serves);
        }
      }
      replicators.awaitWhole();
      replicators.awaitServersIn();
    }
    assertAlike();
    assertNothingForbidden();
  }

  private interface Step {
    void run() throws Exception;
  }

  private void killReplicator(Step meanwhile) throws Exception {
    int serves = replicators.awaitServing();
    meanwhile.run();
    replicators.kill(serves);
    more();
    replicators.start(serves);
    replicators.awaitWhole();
  }

  private void assertAlike() throws Exception {
    appends.end();
    replicators.awaitServersIn();
    int serves = replicators.awaitServing();
    assertThat(replicators.ask(serves, "/verify").path("rowsDifferent").asLong(-1)).isZero();
  }

  private void assertNothingForbidden() throws Exception {
    Map<String, List<Integer>> finals = appends.finals(cluster.servers.get(0));
    for (Postgres server : cluster.servers) {
      assertThat(appends.finals(server)).as("lists of %s", server.address).isEqualTo(finals);
    }
    List<Anomaly> found = ListAppendChecker.check(appends.history(), finals);
    System.out.printf(
        "seed %d: %d transactions, %d acknowledged, %d in two phases; permitted: %s; clients were told: %s%n",
        seed,
        appends.history().size(),
        appends.committed(),
        appends.phases().ended(),
        counted(found.stream().map(one -> one.kind().toString()).toList()),
        counted(appends.told().stream().map(told -> told.substring(0, 5)).toList()));
    assertThat(found.stream().filter(Anomaly::forbidden)).as("seed %d", seed).isEmpty();
    assertThat(appends.phases().lost()).as("seed %d", seed).isEmpty();
    assertThat(appends.phases().ended()).as("seed %d", seed).isPositive();
  }

  private static Map<String, Long> counted(List<String> words) {
    return words.stream()
        .collect(Collectors.groupingBy(word -> word, TreeMap::new, Collectors.counting()));
  }
}
