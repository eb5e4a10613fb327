package io.mgtm.gtm.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.testing.Await;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Only so many may connect at a time. */
class ConnectionLimitTest {
  private static final int MAX = 10;

  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void whoComesBeyondTheLimitIsToldAndTurnedAway(int ioThreads) throws IOException {
    try (TestGtm gtm = TestGtm.in(folder).ioThreads(ioThreads).connectionsMax(MAX).start()) {
      List<RawClient> admitted = new ArrayList<>();
      for (int i = 0; i < MAX; i++) {
        admitted.add(gtm.backend());
      }
      for (int i = 0; i < 3; i++) {
        RawClient turnedAway = gtm.connect();
        assertThat(turnedAway.read().error())
            .isEqualTo(
                "FATAL\nthe limit of 10 connections is reached\nRaise limits.connectionsMax.");
        assertThat(turnedAway.isClosedByServer()).isTrue();
      }
      for (RawClient client : admitted) {
        client.begin();
      }
      admitted.get(0).close();
      Await.until("there is room for one again", () -> isAdmitted(gtm));
    }
  }

  private static boolean isAdmitted(TestGtm gtm) {
    try {
      RawClient client = gtm.connect();
      client.send(io.mgtm.gtm.wire.xc12.RequestFrame.startup("n", 3, false));
      return client.read().type() == 'R';
    } catch (IOException e) {
      return false; // It was turned away, and closed before it had sent its startup packet.
    }
  }
}
