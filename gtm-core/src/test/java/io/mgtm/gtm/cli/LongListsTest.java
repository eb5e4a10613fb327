package io.mgtm.gtm.cli;

import io.mgtm.common.HostPort;
import io.mgtm.gtm.config.GtmConfig;
import io.mgtm.gtm.node.GtmServer;
import io.mgtm.gtm.node.LargeState;
import io.mgtm.gtm.wire.xc12.RawClient;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Lists that fit no frame, and 65,000 transactions, at a GTM without a group. */
class LongListsTest {
  @Test
  void allIsListedAndWhoReadsNothingHindersNobody(@TempDir Path folder) throws Exception {
    listEverything(folder, LargeState.SEQUENCES);
  }

  @Test
  @Tag("long")
  void soAreAsManySequencesAsTheLimitsAllow(@TempDir Path folder) throws Exception {
    listEverything(folder, LargeState.SEQUENCES_MAX);
  }

  private static void listEverything(Path folder, int sequences) throws Exception {
    try (GtmServer gtm = GtmServer.start(GtmConfig.at(folder, new HostPort("127.0.0.1", 0)));
        RawClient owner = new RawClient(gtm.address()).startup("owner", 4, false)) {
      LargeState.request(owner, sequences);
      Listings.listEverything(gtm.address(), sequences);
    }
  }
}
