package io.mgtm.gtm.node.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.gtm.wire.link.LinkFormat;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SilenceWatchTest {
  private int silent;
  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final SilenceWatch watch = new SilenceWatch(channel, () -> silent++);

  SilenceWatchTest() {
    channel.freezeTime();
    watch.begin();
  }

  private void passes(int beats) {
    for (int i = 0; i < beats; i++) {
      channel.advanceTimeBy(LinkFormat.BEAT_MS, TimeUnit.MILLISECONDS);
      channel.runScheduledPendingTasks();
    }
  }

  @Test
  void gatewayThatBeatsIsKept() {
    for (int i = 0; i < 100; i++) {
      watch.heard();
      passes(SilenceWatch.LOOKS - 1);
    }
    assertThat(silent).isZero();
  }

  @Test
  void silentGatewayIsFoundOnce() {
    watch.heard();
    passes(SilenceWatch.LOOKS);
    assertThat(silent).isZero();
    passes(100);
    assertThat(silent).isOne();
  }

  /** A node without room, or whose socket takes nothing, does not read. */
  @Test
  void gatewayThatIsNotReadIsNotSilent() {
    channel.config().setAutoRead(false);
    passes(100);
    channel.config().setAutoRead(true);
    passes(SilenceWatch.LOOKS - 1);
    assertThat(silent).isZero();
  }

  /** What came meanwhile has not been read yet. */
  @Test
  void nodeThatStoodStillLooksAgain() {
    watch.heard();
    passes(1);
    channel.advanceTimeBy(1, TimeUnit.HOURS);
    channel.runScheduledPendingTasks();
    watch.heard();
    passes(1);
    assertThat(silent).isZero();
  }
}
