package io.mgtm.bench.fault;

import io.mgtm.local.Trees;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Processes of one group are killed and stopped under load through the proxy: no request fails, no
 * gxid and no value comes twice, no snapshot is wrong.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ProcessFaultsIT {
  private static final Logger log = LoggerFactory.getLogger(ProcessFaultsIT.class);
  private static final int KILLS = 1;
  private static final int KILLS_LONG = 100;

  @TempDir static Path folder;
  private GroupUnderLoad running;

  @BeforeAll
  void start() throws IOException, InterruptedException {
    running = GroupUnderLoad.start(folder);
  }

  @AfterAll
  void verify() throws IOException, InterruptedException {
    try (GroupUnderLoad ends = running) {
      ends.verify();
    }
  }

  @Test
  void leadersThatAreKilledOneAfterAnotherAreNotMissed() throws Exception {
    killLeaders(KILLS);
  }

  @Test
  @Tag("long")
  @Timeout(7_200)
  void aHundredLeadersAreNotMissed() throws Exception {
    killLeaders(KILLS_LONG);
  }

  private void killLeaders(int kills) throws IOException, InterruptedException {
    running.awaitVoters(3);
    for (int i = 0; i < kills; i++) {
      running.killLeader(500);
      running.awaitProgress(500);
    }
    report("leader killed");
  }

  private void report(String fault) {
    List<Long> sorted = running.takePausesMs().stream().sorted().toList();
    log.info(
        "{}: longest request in ms: median {}, highest {}, all {}",
        fault,
        sorted.get(sorted.size() / 2),
        sorted.get(sorted.size() - 1),
        sorted);
  }

  @Test
  void aLeaderThatHangsIsReplacedAndMayComeBack() throws Exception {
    running.awaitVoters(3);
    running.hangLeader(500);
    running.awaitVoters(3);
    running.awaitProgress(500);
    report("leader stopped");
  }

  @Test
  void leadershipThatIsTransferredIsNotMissed() throws Exception {
    running.awaitVoters(3);
    running.transferLeader(500);
    report("leadership transferred");
  }

  @Test
  @Tag("long")
  void norIsItWhenItIsTransferredAgainAndAgain() throws Exception {
    running.awaitVoters(3);
    for (int i = 0; i < 10; i++) {
      running.transferLeader(500);
    }
    report("leadership transferred again and again");
  }

  @Test
  @Tag("long")
  void allNodesKilledAtOnceGoOnWhereTheyWere() throws Exception {
    for (int i = 0; i < 3; i++) {
      running.group().node(i).kill();
    }
    for (int i = 0; i < 3; i++) {
      running.group().restartNode(i);
    }
    running.awaitProgress(500);
    running.notePause();
    report("all nodes killed");
  }

  @Test
  @Tag("long")
  void aLeaderMayBeRestarted() throws Exception {
    running.awaitVoters(3);
    restart(running.group().awaitLeader(GroupUnderLoad.LEADER_MS));
    report("leader restarted");
  }

  @Test
  @Tag("long")
  void nodesMayBeRestartedInTurn() throws Exception {
    for (int i = 0; i < 3; i++) {
      running.awaitVoters(3);
      restart(i);
    }
    report("rolling restart");
  }

  /** In order. */
  private void restart(int node) throws IOException, InterruptedException {
    running.group().node(node).close();
    running.awaitProgress(250);
    running.group().restartNode(node);
    running.awaitProgress(250);
    running.notePause();
  }

  @Test
  @Tag("long")
  void aMemberWhoseDiskWasEmptiedJoinsAgainAndCanLead() throws Exception {
    running.awaitVoters(3);
    int leader = running.group().awaitLeader(GroupUnderLoad.LEADER_MS);
    int emptied = (leader + 1) % 3;
    running.group().node(emptied).kill();
    Trees.delete(folder.resolve(running.group().settings().name(emptied)));
    running.awaitProgress(250);
    running.group().restartNode(emptied);
    running.awaitProgress(1_250);
    running.awaitVoters(3);
    // The one that came back empty is needed for every majority from here on.
    int third = 3 - leader - emptied;
    running.group().node(third).kill();
    running.awaitProgress(500);
    running.group().restartNode(third);
  }
}
