package io.mgtm.gtm.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.gtm.command.NodeType;
import io.mgtm.gtm.command.TransactionCommand;
import io.mgtm.gtm.wire.link.RefusalCode;
import io.mgtm.gtm.wire.xc12.Startup;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Numbers of clients that have gone while their session had no room. */
class BackendReleaseTest {
  private final GroupUpstream upstream =
      new GroupUpstream(
          "p1",
          new LinkNodes(List.of(), address -> null),
          new SimTime(),
          new SplittableRandom(1),
          () -> {},
          new GatewayMetrics(new SimpleMeterRegistry()));
  private final BackendNumbers numbers = new BackendNumbers();

  /** Nobody leads, so that nothing is answered. */
  private void fill(UpstreamSession session) {
    ReplyTarget nobody =
        new ReplyTarget() {
          @Override
          public void reply(boolean close, ByteBuf bytes) {
            throw new AssertionError("nobody leads");
          }

          @Override
          public void lost(String message, String hint) {}
        };
    while (session.hasRoom()) {
      session.submit((short) 0, new TransactionCommand.GetNextGxid(), nobody);
    }
  }

  private void everyNumberIsTakenAndItsClientGone(UpstreamSession session) {
    for (int i = 0; i <= Short.MAX_VALUE; i++) {
      short number = numbers.take();
      assertThat(number).isNotEqualTo(BackendNumbers.NONE);
      new BackendRelease(session, number, new Startup("cn", NodeType.COORDINATOR, false), numbers)
          .resume();
    }
    assertThat(numbers.take()).isEqualTo(BackendNumbers.NONE);
  }

  @Test
  void allAreFreeAgainWhenTheSessionIsLost() {
    for (int round = 0; round < 2; round++) {
      UpstreamSession session = upstream.shared();
      fill(session);
      everyNumberIsTakenAndItsClientGone(session);
      upstream.refused(session.id(), RefusalCode.SESSION_LOST, "it has ended", "");
    }
    everyNumberIsTakenAndItsClientGone(upstream.shared());
    upstream.close();
  }
}
