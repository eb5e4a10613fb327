package io.mgtm.gtm.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.gtm.config.GtmConfig;
import io.mgtm.gtm.net.PartialBudget;
import io.mgtm.gtm.state.GtmState;
import io.mgtm.gtm.wire.xc12.RequestFrame;
import io.mgtm.testing.Await;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
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

  @Test
  void whoKeepsTooMuchOfAFrameIsToldAndClosed() {
    GtmMetrics metrics = new GtmMetrics(new SimpleMeterRegistry());
    Engine engine =
        new Engine(new GtmState(10_000), new LossyLog(LossyLog.Fault.NONE), () -> 1, metrics);
    EmbeddedChannel channel = new EmbeddedChannel();
    channel
        .pipeline()
        .addLast(
            new Connection(
                1,
                GtmConfig.DEFAULTS,
                engine,
                channel.eventLoop(),
                metrics,
                new PartialBudget(1),
                failed -> {
                  throw new AssertionError(failed);
                }));
    channel.writeInbound(Unpooled.wrappedBuffer(RequestFrame.startup("n", 6, false)));
    assertThat(channel.isOpen()).isTrue();
    channel.writeInbound(Unpooled.buffer().writeByte('C').writeInt(60_000).writeZero(20_000));
    channel.runPendingTasks();
    assertThat(channel.isOpen()).isFalse();
    channel.releaseOutbound();
  }

  private static boolean isAdmitted(TestGtm gtm) {
    try {
      RawClient client = gtm.connect();
      client.send(RequestFrame.startup("n", 3, false));
      return client.read().type() == 'R';
    } catch (IOException e) {
      return false; // It was turned away, and closed before it had sent its startup packet.
    }
  }
}
