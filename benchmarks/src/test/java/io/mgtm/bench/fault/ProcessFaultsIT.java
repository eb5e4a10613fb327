package io.mgtm.bench.fault;

import io.mgtm.proxy.local.Trees;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Processes are killed and stopped under load through the proxy: no request fails, no gxid and no
 * value comes twice, no snapshot is wrong.
 */
@Timeout(900)
class ProcessFaultsIT {
  private static final Logger log = LoggerFactory.getLogger(ProcessFaultsIT.class);
  private static final int KILLS = 10;
  private static final int KILLS_LONG = 100;

  @TempDir Path folder;

  @Test
  void leadersThatAreKilledOneAfterAnotherAreNotMissed() throws Exception {
    killLeaders(KILLS);
  }

  @Test
  @Tag("long")
  @Timeout(1_800)
  void aHundredLeadersAreNotMissed() throws Exception {
    killLeaders(KILLS_LONG);
  }

  private void killLeaders(int kills) throws IOException, InterruptedException {
    try (GroupUnderLoad running = GroupUnderLoad.start(folder)) {
      for (int i = 0; i < kills; i++) {
        running.killLeader(2_000);
        running.awaitProgress(2_000);
      }
      running.verify();
      report("leader killed", running.pausesMs());
    }
  }

  private static void report(String fault, List<Long> pausesMs) {
    List<Long> sorted = pausesMs.stream().sorted().toList();
    log.info(
        "{}: longest request in ms: median {}, highest {}, all {}",
        fault,
        sorted.get(sorted.size() / 2),
        sorted.get(sorted.size() - 1),
        pausesMs);
  }

  @Test
  void aLeaderThatHangsIsReplacedAndMayComeBack() throws Exception {
    try (GroupUnderLoad running = GroupUnderLoad.start(folder)) {
      for (int i = 0; i < 3; i++) {
        running.hangLeader(2_000);
        running.awaitVoters(3);
        running.awaitProgress(2_000);
      }
      running.verify();
      report("leader stopped", running.pausesMs());
    }
  }

  @Test
  void leadershipThatIsTransferredIsNotMissed() throws Exception {
    try (GroupUnderLoad running = GroupUnderLoad.start(folder)) {
      running.awaitVoters(3);
      for (int i = 0; i < KILLS; i++) {
        running.transferLeader(2_000);
      }
      running.verify();
      report("leadership transferred", running.pausesMs());
    }
  }

  @Test
  void allNodesKilledAtOnceGoOnWhereTheyWere() throws Exception {
    try (GroupUnderLoad running = GroupUnderLoad.start(folder)) {
      for (int i = 0; i < 3; i++) {
        running.group().node(i).kill();
      }
      for (int i = 0; i < 3; i++) {
        running.group().restartNode(i);
      }
      running.awaitProgress(2_000);
      report("all nodes killed", List.of(running.notePause()));
      running.verify();
    }
  }

  @Test
  void nodesMayBeRestartedInTurn() throws Exception {
    try (GroupUnderLoad running = GroupUnderLoad.start(folder)) {
      for (int i = 0; i < 3; i++) {
        running.group().node(i).close();
        running.awaitProgress(1_000);
        running.group().restartNode(i);
        running.awaitProgress(1_000);
        running.notePause();
      }
      running.verify();
      report("rolling restart", running.pausesMs());
    }
  }

  @Test
  void aMemberWhoseDiskWasEmptiedJoinsAgainAndCanLead() throws Exception {
    try (GroupUnderLoad running = GroupUnderLoad.start(folder)) {
      int leader = running.group().awaitLeader(GroupUnderLoad.LEADER_MS);
      int emptied = (leader + 1) % 3;
      running.group().node(emptied).kill();
      Trees.delete(folder.resolve(running.group().settings().name(emptied)));
      running.awaitProgress(1_000);
      running.group().restartNode(emptied);
      running.awaitProgress(5_000);
      running.awaitVoters(3);
      // The one that came back empty is needed for every majority from here on.
      int third = 3 - leader - emptied;
      running.group().node(third).kill();
      running.awaitProgress(2_000);
      running.verify();
    }
  }
}
