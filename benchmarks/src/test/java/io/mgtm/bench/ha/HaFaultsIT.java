package io.mgtm.bench.ha;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.mgtm.bench.ha.HaFault.Place;
import io.mgtm.bench.ha.HaRounds.Round;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What can happen to machines, networks and programs under a database, for real, and whether the
 * cluster keeps its promises; {@code mgtm bench ha} measures the same.
 */
@Tag("long")
class HaFaultsIT {
  private static final int RATE = 50;
  private static final int DEATHS = Integer.getInteger("mgtm.haDeaths", 100);

  /** A lease that is not lost while other work takes both processors. */
  private static final int LONG_LEASE_MS = 20_000;

  private static final String JAVA_OPTIONS = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xmx128m";

  @TempDir private static Path folder;
  private static final Map<String, HaRounds> running = new HashMap<>();

  @AfterAll
  static void stopAll() throws Exception {
    for (HaRounds rounds : running.values()) {
      rounds.close();
    }
    running.clear();
  }

  /** One for all tests that need the same; the others' processors are given back. */
  private static HaRounds cluster(Place place, int leaseMs, int localRecoveries) throws Exception {
    Engine engine = place == Place.MARIADB ? Engine.MARIADB : Engine.POSTGRESQL;
    Optional<String> missing = engine.missing();
    Assumptions.assumeTrue(missing.isEmpty(), () -> "SKIPPED: " + missing.orElseThrow());
    Path haJar = jar("mgtm.haJar");
    Path volumeJar = jar("mgtm.volumeJar");
    String key = place + "-" + leaseMs + "-" + localRecoveries;
    if (!running.containsKey(key)) {
      stopAll();
      // Databases run as users of their own, and get through to what is theirs.
      Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
      HaSetup setup =
          new HaSetup(
              Files.createTempDirectory(folder, "ha"),
              haJar,
              volumeJar,
              engine,
              place == Place.SITES,
              leaseMs,
              localRecoveries,
              engine == Engine.MARIADB ? "512M" : "192M",
              JAVA_OPTIONS);
      running.put(key, HaRounds.start(setup, RATE));
    }
    return running.get(key);
  }

  private static Path jar(String property) {
    Path jar = Path.of(System.getProperty(property, "unknown.jar")).normalize();
    Assumptions.assumeTrue(Files.exists(jar), () -> "SKIPPED: " + jar + " is not built");
    return jar;
  }

  private static HaRounds longLease(Place place) throws Exception {
    return cluster(place, LONG_LEASE_MS, HaSetup.OFTEN);
  }

  private static void assertKept(Round round) {
    assertThat(round.lost()).as("lost commits: %s", round).isZero();
    assertThat(round.together()).as("nodes in service at once: %s", round).isLessThanOrEqualTo(1);
  }

  /** What {@code mgtm ha why} tells of what was decided after an event. */
  private static String why(HaRounds rounds, long after) throws Exception {
    String node = rounds.cluster().primary().orElseThrow();
    JsonNode events = rounds.cluster().events(node, after);
    return StreamSupport.stream(events.spliterator(), false)
        .map(each -> each.path("what").asText() + ": " + each.path("cause").asText())
        .collect(Collectors.joining("\n"));
  }

  private static long lastEvent(HaRounds rounds) throws Exception {
    return rounds.cluster().lastEvent(rounds.cluster().primary().orElseThrow());
  }

  @Test
  void primaryMachineDiesAndTheOtherServes() throws Exception {
    HaRounds rounds = cluster(Place.SITE, HaSetup.LEASE_MS, HaSetup.OFTEN);
    rounds.cluster().awaitInStep();
    long event = lastEvent(rounds);

    Round round = rounds.round(HaFault.DEATH, 0);

    assertKept(round);
    assertThat(round.to()).isNotEqualTo(round.from());
    assertThat(why(rounds, event)).contains(round.from() + " is silent on all paths");
  }

  @Test
  @Timeout(7_200)
  void manyMachinesDieInARow() throws Exception {
    HaRounds rounds = cluster(Place.SITE, HaSetup.LEASE_MS, HaSetup.OFTEN);
    for (int death = 1; death <= DEATHS; death++) {
      Round round = rounds.round(HaFault.DEATH, 0);
      assertThat(round.lost()).as("death %d: %s", death, round).isZero();
      assertThat(round.together()).as("death %d: %s", death, round).isLessThanOrEqualTo(1);
    }
  }

  @Test
  void replicationPathIsCutAndNobodyNotices() throws Exception {
    Round round = longLease(Place.SITE).round(HaFault.PATH, 0);

    assertKept(round);
    assertThat(round.failed()).isZero();
    assertThat(round.to()).isEqualTo(round.from());
  }

  @Test
  void replicationIsPausedAndCatchesUp() throws Exception {
    Round round = longLease(Place.SITE).round(HaFault.RESYNC, 32 << 20);

    assertKept(round);
    assertThat(round.failed()).isZero();
    assertThat(round.measured()).isPositive();
  }

  @Test
  void primaryMachineDiesAndTheOtherSiteServesAfterTheWait() throws Exception {
    HaRounds rounds = longLease(Place.SITES);
    rounds.cluster().awaitInStep();
    long event = lastEvent(rounds);

    Round round = rounds.round(HaFault.SITES, 0);

    assertThat(round.together()).isLessThanOrEqualTo(1);
    assertThat(round.suffix()).as("what is left is a prefix: %s", round).isTrue();
    assertThat(round.to()).isNotEqualTo(round.from());
    assertThat(why(rounds, event)).contains("the policy asks an operator");
  }

  @Test
  void killedPostgresIsRepairedWhereItIs() throws Exception {
    HaRounds rounds = longLease(Place.SITE);
    rounds.cluster().awaitInStep();
    long event = lastEvent(rounds);

    Round round = rounds.round(HaFault.POSTGRES, 0);

    assertKept(round);
    assertThat(round.to()).isEqualTo(round.from());
    assertThat(why(rounds, event)).contains("checks failed on " + round.from());
  }

  @Test
  void postgresThatIsKilledAgainAndAgainFailsOver() throws Exception {
    HaRounds rounds = cluster(Place.SITE, LONG_LEASE_MS, 1);
    Round first = rounds.round(HaFault.POSTGRES, 0);
    Round second = rounds.round(HaFault.POSTGRES, 0);

    assertKept(first);
    assertKept(second);
    assertThat(first.to()).isEqualTo(first.from());
    assertThat(second.to()).isNotEqualTo(second.from());
  }

  @Test
  void lostAddressComesBackUnderTheDatabase() throws Exception {
    HaRounds rounds = longLease(Place.SITE);
    rounds.cluster().awaitInStep();
    String node = rounds.cluster().primary().orElseThrow();
    long event = lastEvent(rounds);
    Optional<ProcessHandle> server = Engine.POSTGRESQL.server(rounds.cluster().machine(node));

    Round round = rounds.round(HaFault.ADDRESS, 0);

    assertKept(round);
    assertThat(round.to()).isEqualTo(round.from());
    assertThat(why(rounds, event)).contains("checks failed on " + round.from());
    assertThat(Engine.POSTGRESQL.server(rounds.cluster().machine(node))).isEqualTo(server);
  }

  @Test
  void killedMariadbIsRepairedWhereItIs() throws Exception {
    Round round = longLease(Place.MARIADB).round(HaFault.MARIADB, 0);

    assertKept(round);
    assertThat(round.to()).isEqualTo(round.from());
  }

  @Test
  void killedControllerReturnsAndTouchesNothing() throws Exception {
    HaRounds rounds = longLease(Place.SITE);
    rounds.cluster().awaitInStep();
    String node = rounds.cluster().primary().orElseThrow();
    Optional<ProcessHandle> server = Engine.POSTGRESQL.server(rounds.cluster().machine(node));

    Round round = rounds.round(HaFault.CONTROLLER, 0);

    assertKept(round);
    assertThat(round.failed()).isZero();
    assertThat(Engine.POSTGRESQL.server(rounds.cluster().machine(node))).isEqualTo(server);
  }

  @Test
  void switchoverLosesNothing() throws Exception {
    HaRounds rounds = longLease(Place.SITE);
    rounds.cluster().awaitInStep();
    long event = lastEvent(rounds);

    Round round = rounds.round(HaFault.SWITCHOVER, 0);

    assertKept(round);
    assertThat(round.to()).isNotEqualTo(round.from());
    assertThat(why(rounds, event)).contains("an operator has asked");
  }

  @Test
  void switchoverOfMariadbLosesNothing() throws Exception {
    Round round = longLease(Place.MARIADB).round(HaFault.SWITCHOVER_MARIADB, 0);

    assertKept(round);
    assertThat(round.to()).isNotEqualTo(round.from());
  }

  @Test
  void cutOfTheFirstPathLeavesItWhereItIs() throws Exception {
    Round round =
        cluster(Place.SITE, HaSetup.LEASE_MS, HaSetup.OFTEN).round(HaFault.PARTITION_FIRST, 0);

    assertKept(round);
  }

  @Test
  void cutOfTheSecondPathLeavesItWhereItIs() throws Exception {
    Round round =
        cluster(Place.SITE, HaSetup.LEASE_MS, HaSetup.OFTEN).round(HaFault.PARTITION_SECOND, 0);

    assertKept(round);
  }

  @Test
  void lossOfTheFirstNetworkIsNotNoticed() throws Exception {
    Round round = longLease(Place.SITE).round(HaFault.NETWORK, 0);

    assertKept(round);
    assertThat(round.failed()).isZero();
    assertThat(round.to()).isEqualTo(round.from());
  }

  @Test
  void cutOfAllPathsHasTheOtherSideServeAlone() throws Exception {
    HaRounds rounds = cluster(Place.SITE, HaSetup.LEASE_MS, HaSetup.OFTEN);
    Round round = rounds.round(HaFault.PARTITION, 0);

    assertKept(round);
    assertThat(round.to()).isNotEqualTo(round.from());
  }
}
