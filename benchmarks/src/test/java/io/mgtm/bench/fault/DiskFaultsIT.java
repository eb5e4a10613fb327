package io.mgtm.bench.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.local.LocalSettings;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The disk of one of three members is slow, or full, under load through the proxy: no request
 * fails, no gxid and no value comes twice, no snapshot is wrong.
 */
@Tag("long")
class DiskFaultsIT {
  private static final Logger log = LoggerFactory.getLogger(DiskFaultsIT.class);
  private static final int WRITE_MS = 30;
  private static final int SMALL_MIB = 64;

  /** About four times what a member writes into the files that it has made before. */
  private static final int REQUESTS_MAX = 250_000;

  @TempDir Path folder;
  @TempDir Path scratch;

  /** A log that is never cut, in small files, so that a small disk is soon full. */
  private LocalSettings settings(String mode) throws IOException {
    return ConfiguredNodes.of(
        GroupUnderLoad.settings(folder, 3, mode),
        scratch,
        "log: {segmentBytes: 1048576, checkpointBytes: 1073741824}\n");
  }

  private Path data(String member) {
    return folder.resolve(member);
  }

  @ParameterizedTest
  @ValueSource(strings = {"fifo", "lazy"})
  void aLeaderWhoseDiskIsFullLetsAnotherLead(String mode) throws Exception {
    try (TestDisk disk = TestDisk.small(data("g1"), SMALL_MIB);
        GroupUnderLoad running = GroupUnderLoad.start(settings(mode))) {
      running.lead("g1");
      running.awaitProgress(500);
      running.notePause();
      disk.fill();
      running.awaitLeaderOtherThan("g1", REQUESTS_MAX);
      running.awaitProgress(5_000);
      running.notePause();
      disk.empty();
      running.awaitVoters(3);
      running.lead("g1");
      running.awaitProgress(1_000);
      running.verify();
      log.info("leader's disk full, {}: longest request in ms {}", mode, running.pausesMs());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"fifo", "lazy"})
  void aFollowerWhoseDiskIsFullIsNotMissedAndCatchesUp(String mode) throws Exception {
    try (TestDisk disk = TestDisk.small(data("g1"), SMALL_MIB);
        GroupUnderLoad running = GroupUnderLoad.start(settings(mode))) {
      running.lead("g2");
      disk.fill();
      running.notePause();
      running.awaitProgress(20_000);
      running.notePause();
      disk.empty();
      running.awaitVoters(3);
      running.lead("g1");
      running.awaitProgress(1_000);
      running.verify();
      log.info("follower's disk full, {}: longest request in ms {}", mode, running.pausesMs());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"fifo", "lazy"})
  void aSlowDiskOfTheLeaderOrAFollowerBreaksNothing(String mode) throws Exception {
    try (TestDisk disk = TestDisk.slow(data("g1"), scratch.resolve("nbd"), WRITE_MS);
        GroupUnderLoad running = GroupUnderLoad.start(GroupUnderLoad.settings(folder, 3, mode))) {
      assertThat(disk).isNotNull();
      running.lead("g2");
      running.awaitProgress(5_000);
      long follows = running.notePause();
      running.lead("g1");
      running.awaitProgress(5_000);
      long leads = running.notePause();
      // One that is slow may be killed too, and comes back.
      running.group().node(0).kill();
      running.awaitProgress(2_000);
      running.group().restartNode(0);
      running.awaitVoters(3);
      running.awaitProgress(100);
      running.verify();
      log.info(
          "slow disk: longest request {} ms with a follower, {} with the leader", follows, leads);
    }
  }
}
