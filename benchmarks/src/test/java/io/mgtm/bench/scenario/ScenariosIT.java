package io.mgtm.bench.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.mgtm.bench.check.GivenOut;
import io.mgtm.bench.ha.Commits;
import io.mgtm.bench.load.MixedLoad;
import io.mgtm.bench.scenario.ContainerGroup.Others;
import io.mgtm.testing.Await;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.testcontainers.DockerClientFactory;

/**
 * A group in containers, under load through its proxy, and what befalls it: {@code ./mgtm
 * scenarios}. The load's checker sees each gxid, sequence value and snapshot; one group serves all,
 * and each scenario leaves it whole.
 */
@Tag("long")
class ScenariosIT {
  private static final int CONNECTIONS = 8;
  private static final int REQUEST_MS = 180_000;
  private static final int REST_MICROS = 2_000;
  private static final long PROGRESS = 1_000;
  private static final int ROWS = 50;
  private static final int ROWS_OF_A_FULL_DISK = 20_000;

  /** About four times what goes into the files that a node has made before its disk was full. */
  private static final int REQUESTS_OF_A_SMALL_DISK = 250_000;

  private static final int PATIENCE_S = 180;

  /** What is upgraded: the image of the last release, or one that the user names. */
  private static final String FROM = System.getProperty("mgtm.scenarios.from", "");

  private static final String HOW_TO_UPGRADE =
      "build the image of an earlier version from its sources, as docs/containers.md has it, and name"
          + " it: ./mgtm scenarios --from IMAGE everyNodeIsUpgradedInTurn";

  private static final boolean KEEP = Boolean.getBoolean("mgtm.scenarios.keep");

  private static GivenOut givenOut;
  @TempDir private static Path folder;
  private static ContainerGroup group;

  @BeforeAll
  static void begin() throws IOException {
    assumeTrue(
        DockerClientFactory.instance().isDockerAvailable(),
        "SKIPPED: Docker: no daemon answers; on Debian, as root: apt-get install docker.io");
    ScenarioTable.begin();
  }

  private static void need(Stream<String> images) {
    images
        .filter(image -> !Containers.isThere(image))
        .findFirst()
        .ifPresent(
            image -> abort("SKIPPED: Docker: no image " + image + "; see docs/containers.md"));
  }

  @AfterAll
  static void end() throws IOException {
    if (group != null) {
      group.close();
      ScenarioTable.say(KEEP ? group.describe() : "");
      group = null;
    }
  }

  /** What is done while the load runs. */
  private interface Fault {
    void happen(MixedLoad load) throws IOException;
  }

  private static void awaitProgress(MixedLoad load) {
    long until = load.served() + PROGRESS;
    Await.until(PROGRESS + " more requests are answered", () -> load.served() >= until);
  }

  private static InetSocketAddress target() {
    return group.proxyAddress().resolve();
  }

  /** Starts the group with the first scenario that needs it. */
  private static void awaitGroup() {
    if (group == null) {
      startGroup(ContainerGroup.NODE_IMAGE);
    }
    group.awaitAllVote();
  }

  private static void startGroup(String image) {
    need(ContainerGroup.images());
    givenOut = new GivenOut();
    group = ContainerGroup.start(KEEP, image);
  }

  /** Its nodes keep nothing when they end, so that no other scenario uses it. */
  private static void onSmallDisks(String name, Fault fault) throws Exception {
    end();
    need(ContainerGroup.images());
    givenOut = new GivenOut();
    group = ContainerGroup.startOnSmallDisks(KEEP);
    try {
      scenario(name, fault);
    } finally {
      end();
    }
  }

  private static void scenario(String name, Fault fault) throws IOException, InterruptedException {
    awaitGroup();
    try (MixedLoad load =
        MixedLoad.start(target(), CONNECTIONS, givenOut, REQUEST_MS, REST_MICROS)) {
      MixedLoad.Result result = disturb(name, load, fault, 0);
      assertThat(result.firstErrors()).isEmpty();
      assertThat(result.firstFindings()).isEmpty();
      assertThat(result.clean()).isTrue();
    }
  }

  /**
   * Disturbs a load that is answered, until it is answered again and the group is whole.
   *
   * @param failedMax how many requests may fail
   */
  private static MixedLoad.Result disturb(String name, MixedLoad load, Fault fault, long failedMax)
      throws IOException, InterruptedException {
    try {
      awaitProgress(load);
      load.takeLongestMs();
      fault.happen(load);
      awaitProgress(load);
      long longestMs = load.takeLongestMs();
      group.awaitAllVote();
      awaitProgress(load);
      MixedLoad.Result result = load.finish();
      boolean passed = result.errors() <= failedMax && result.findings() == 0;
      add(name, longestMs, result, passed);
      return result;
    } catch (IOException | RuntimeException | Error e) {
      add(name, load.takeLongestMs(), load.finish(), false);
      throw e;
    }
  }

  private static void add(String name, long longestMs, MixedLoad.Result result, boolean passed)
      throws IOException {
    ScenarioTable.add(
        name, longestMs, result.operations(), result.errors(), result.findings(), passed);
  }

  @Test
  void leaderIsKilled() throws Exception {
    scenario("leader killed", this::killLeader);
  }

  private void killLeader(MixedLoad load) {
    int leader = group.leader();
    group.kill(leader);
    awaitProgress(load);
    group.start(leader);
  }

  @Test
  void twoLeadersDieInARow() throws Exception {
    scenario(
        "two leaders killed",
        load -> {
          killLeader(load);
          group.awaitAllVote();
          killLeader(load);
        });
  }

  @Test
  void leaderIsPaused() throws Exception {
    scenario(
        "leader paused",
        load -> {
          int leader = group.leader();
          group.pause(leader);
          try {
            awaitProgress(load);
          } finally {
            group.resume(leader);
          }
          group.awaitLeaderOtherThan(leader);
        });
  }

  /** Clients and the proxy still reach it, and it must not serve them. */
  @Test
  void leaderIsCutOffFromTheOthers() throws Exception {
    scenario(
        "leader cut off",
        load -> {
          int leader = group.leader();
          group.cut(leader, Others.MEMBERS);
          try {
            awaitProgress(load);
            assertThat(group.leader()).isNotEqualTo(leader);
            assertThat(group.serves(leader)).as("the old leader serves").isFalse();
          } finally {
            group.heal(leader, Others.MEMBERS);
          }
        });
  }

  @Test
  void minorityIsCutOff() throws Exception {
    scenario(
        "minority cut off",
        load -> {
          int leader = group.leader();
          int follower = (leader + 1) % ContainerGroup.NODES;
          group.cut(follower, Others.MEMBERS_AND_PROXY);
          try {
            awaitProgress(load);
            assertThat(group.leader()).isEqualTo(leader);
          } finally {
            group.heal(follower, Others.MEMBERS_AND_PROXY);
          }
        });
  }

  @Test
  void allAreRestarted() throws Exception {
    scenario("all restarted at once", load -> endAll(group::stop));
  }

  @Test
  void allAreKilled() throws Exception {
    scenario("all killed at once", load -> endAll(group::kill));
  }

  private static void endAll(IntConsumer end) {
    IntStream.range(0, ContainerGroup.NODES).forEach(end);
    IntStream.range(0, ContainerGroup.NODES).forEach(group::start);
  }

  /** Its clients lose their connections, and nothing else. */
  @Test
  void proxyIsKilledAndStarted() throws Exception {
    awaitGroup();
    try (MixedLoad load =
        MixedLoad.startReconnecting(target(), CONNECTIONS, givenOut, REQUEST_MS, REST_MICROS)) {
      long[] failed = new long[1];
      MixedLoad.Result result =
          disturb(
              "proxy killed",
              load,
              l -> {
                group.killProxy();
                group.startProxy();
                awaitProgress(l);
                failed[0] = l.failed();
              },
              Long.MAX_VALUE);
      assertThat(result.errors()).as("failures, none after it is back").isEqualTo(failed[0]);
      assertThat(result.firstFindings()).isEmpty();
    }
  }

  /** It lets another lead, and follows it once there is room. */
  @Test
  void leadersDiskIsFull() throws Exception {
    onSmallDisks(
        "leader's disk full",
        load -> {
          int leader = group.leader();
          group.fillDisk(leader);
          long until = load.served() + REQUESTS_OF_A_SMALL_DISK;
          while (group.leader() == leader) {
            assertThat(load.served()).as("requests while it leads on").isLessThan(until);
            awaitProgress(load);
          }
          awaitProgress(load);
          assertThat(group.serves(leader)).as("the old leader serves").isFalse();
          group.emptyDisk(leader);
        });
  }

  /**
   * Followers first, as docs/operating-a-group.md has it. The group that it leaves has the present
   * image.
   */
  @Test
  void everyNodeIsUpgradedInTurn() throws Exception {
    assumeTrue(!FROM.isEmpty(), "SKIPPED: upgrade: no earlier release; " + HOW_TO_UPGRADE);
    assumeTrue(
        Containers.isThere(FROM), "SKIPPED: upgrade: no image " + FROM + "; " + HOW_TO_UPGRADE);
    end();
    startGroup(FROM);
    scenario("upgraded in turn", this::upgrade);
  }

  private void upgrade(MixedLoad load) {
    int leader = group.leader();
    for (int i = 1; i <= ContainerGroup.NODES; i++) {
      group.replace((leader + i) % ContainerGroup.NODES, ContainerGroup.NODE_IMAGE);
      group.awaitAllVote();
      awaitProgress(load);
    }
  }

  /** Whoever serves next has each row whose commit was answered; twice, so that each has served. */
  @Test
  void databasesPrimaryIsKilled() throws Exception {
    need(DatabaseContainers.images());
    try (DatabaseContainers database = DatabaseContainers.start(KEEP);
        Commits commits = database.commit(folder.resolve("session.log"))) {
      commits.awaitMore(ROWS, PATIENCE_S);
      commits.mark();
      for (int i = 0; i < 2; i++) {
        String killed = database.killPrimary();
        database.awaitPrimaryOtherThan(killed);
        commits.awaitMore(ROWS, PATIENCE_S);
        database.start(killed);
        database.awaitInStep();
        commits.awaitMore(ROWS, PATIENCE_S);
      }
      long longestMs = Math.round(commits.longestMs());
      int lost = commits.verify().lost();
      ScenarioTable.add(
          "database's node killed", longestMs, commits.count(), commits.failed(), lost, lost == 0);
      assertThat(lost).as("acknowledged rows that are not there").isZero();
      if (KEEP) {
        ScenarioTable.say(database.describe());
      }
    }
  }

  /**
   * The other copy stands in and no commit fails; an operator lets its node serve, and makes room.
   */
  @Test
  void databasesDiskIsFull() throws Exception {
    need(DatabaseContainers.images());
    try (DatabaseContainers database = DatabaseContainers.startOnSmallDisks(KEEP);
        Commits commits = database.commit(folder.resolve("session.log"))) {
      commits.awaitMore(ROWS, PATIENCE_S);
      commits.mark();
      String full = database.primary();
      database.fillDisk(full);
      while (!database.diskless(full)) {
        assertThat(commits.count()).as("rows on the full disk").isLessThan(ROWS_OF_A_FULL_DISK);
        commits.awaitMore(ROWS, PATIENCE_S);
      }
      commits.awaitMore(ROWS, PATIENCE_S);
      long failedBefore = commits.failed();
      long longestMs = Math.round(commits.longestMs());
      database.switchOver(full);
      database.emptyDisk(full);
      database.awaitInStep();
      commits.awaitMore(ROWS, PATIENCE_S);
      int lost = commits.verify().lost();
      boolean passed = lost == 0 && failedBefore == 0;
      ScenarioTable.add(
          "database's disk full", longestMs, commits.count(), commits.failed(), lost, passed);
      assertThat(lost).as("acknowledged rows that are not there").isZero();
      assertThat(failedBefore).as("commits that failed while the other copy stood in").isZero();
      if (KEEP) {
        ScenarioTable.say(database.describe());
      }
    }
  }
}
