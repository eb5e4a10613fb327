package io.mgtm.bench.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.gtm.config.HostPort;
import io.mgtm.proxy.local.LocalSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Mode total: members that are cut off from the others, and keep the proxy, are left by it. */
@Timeout(240)
class TotalPartitionIT {
  private static final Logger log = LoggerFactory.getLogger(TotalPartitionIT.class);
  private static final int CLIENT_PORT = 6_666;
  private static final int GROUP_PORT = 7_666;
  private static final List<String> NAMES = List.of("g1", "g2", "g3");

  /** 2.5 s until the member says so, and as much again for a machine that has other work. */
  private static final long PAUSE_MS = 5_000;

  @TempDir Path folder;
  private TestNetwork network;

  @BeforeEach
  void makeNetwork() throws IOException {
    network = TestNetwork.make("g1", "g2", "g3", "proxy");
  }

  @AfterEach
  void removeNetwork() throws IOException {
    if (network != null) {
      network.close();
    }
  }

  private GroupUnderLoad start() throws IOException, InterruptedException {
    LocalSettings settings =
        new LocalSettings(
            folder,
            NAMES.stream().map(n -> new HostPort(network.address(n), CLIENT_PORT)).toList(),
            NAMES.stream().map(n -> new HostPort(network.address(n), GROUP_PORT)).toList(),
            new HostPort(network.address("proxy"), CLIENT_PORT),
            "total",
            LocalSettings.JVM_OPTIONS,
            List.of());
    return GroupUnderLoad.start(settings, network::place);
  }

  @Test
  void eachMemberInTurnIsCutOffAndItsFrontGoesToAnother() throws Exception {
    try (GroupUnderLoad running = start()) {
      for (String alone : NAMES) {
        for (String other : NAMES) {
          if (!other.equals(alone)) {
            network.cut(alone, other);
          }
        }
        running.awaitProgress(2_000);
        assertThat(running.notePause()).as("%s cut off", alone).isLessThan(PAUSE_MS);
        network.heal();
        running.awaitProgress(2_000);
        running.awaitAllServe();
      }
      running.verify();
      log.info("cut off in turn: longest request in ms: {}", running.pausesMs());
    }
  }

  @Test
  void aMemberThatIsHeardByNobodyIsLeft() throws Exception {
    try (GroupUnderLoad running = start()) {
      for (String silent : NAMES) {
        for (String other : NAMES) {
          if (!other.equals(silent)) {
            network.lose(silent, other);
          }
        }
        running.awaitProgress(2_000);
        running.notePause();
        network.heal();
        running.awaitProgress(2_000);
        running.awaitAllServe();
      }
      running.verify();
      log.info("heard by nobody: longest request in ms: {}", running.pausesMs());
    }
  }
}
