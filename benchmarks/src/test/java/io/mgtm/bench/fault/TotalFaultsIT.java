package io.mgtm.bench.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.bench.load.MixedLoad;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Mode total: load through a proxy, and at the same time directly on a member that stays, while
 * others are killed and stopped. Nobody whose own member stays sees an error; no gxid and no value
 * comes twice, whoever gave it, and no snapshot is wrong.
 */
@Tag("long")
class TotalFaultsIT {
  private static final Logger log = LoggerFactory.getLogger(TotalFaultsIT.class);
  private static final int ROUNDS = 1;

  @TempDir Path folder;

  private GroupUnderLoad start() throws IOException, InterruptedException {
    return GroupUnderLoad.start(GroupUnderLoad.settings(folder, 3, "total"));
  }

  @Test
  void membersThatAreKilledAreNotMissedByClientsOfTheProxyNorOfTheOthers() throws Exception {
    try (GroupUnderLoad running = start()) {
      for (int i = 0; i < 2 * ROUNDS; i++) {
        int sequencer = running.group().awaitLeader(GroupUnderLoad.LEADER_MS);
        int victim = i % 2 == 0 ? sequencer : (sequencer + 1) % 3;
        int stays = (victim + 1) % 3;
        try (MixedLoad direct = running.loadNode(stays)) {
          GroupUnderLoad.awaitServed(direct, 300);
          running.group().node(victim).kill();
          running.awaitProgress(1_000);
          GroupUnderLoad.awaitServed(direct, 500);
          running.notePause();
          running.group().restartNode(victim);
          running.awaitProgress(1_000);
          running.awaitAllServe();
          MixedLoad.Result result = direct.finish();
          assertThat(result.firstErrors()).isEmpty();
          assertThat(result.firstFindings()).isEmpty();
        }
      }
      running.verify();
      report(running.pausesMs());
    }
  }

  @Test
  void aMemberThatHangsIsLeftByItsGateways() throws Exception {
    try (GroupUnderLoad running = start()) {
      for (int i = 0; i < 3; i++) {
        int hangs = i;
        running.group().node(hangs).signal("STOP");
        try {
          running.awaitProgress(1_000);
          running.notePause();
        } finally {
          running.group().node(hangs).signal("CONT");
        }
        running.awaitProgress(1_000);
        running.awaitAllServe();
      }
      running.verify();
      report(running.pausesMs());
    }
  }

  private static void report(List<Long> pausesMs) {
    List<Long> sorted = pausesMs.stream().sorted().toList();
    log.info(
        "longest request in ms: median {}, highest {}, all {}",
        sorted.get(sorted.size() / 2),
        sorted.get(sorted.size() - 1),
        pausesMs);
  }
}
