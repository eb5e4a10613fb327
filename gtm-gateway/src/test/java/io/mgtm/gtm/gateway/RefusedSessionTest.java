package io.mgtm.gtm.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.gtm.command.SequenceCommand;
import io.mgtm.gtm.wire.link.Leadership;
import io.mgtm.gtm.wire.link.LinkEntries;
import io.mgtm.gtm.wire.link.RefusalCode;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** A gateway whose name another one uses. */
class RefusedSessionTest {
  private final SimTime time = new SimTime();
  private final List<Long> attachesMs = new ArrayList<>();
  private final List<Long> attached = new ArrayList<>();
  private boolean inUse = true;
  private LinkListener listener;

  private final GroupUpstream upstream =
      new GroupUpstream(
          "p1",
          new LinkNodes(List.of(new Node()), address -> new Node()),
          time,
          new SplittableRandom(1),
          () -> {},
          new GatewayMetrics(new SimpleMeterRegistry()));

  private void run(long untilMs) {
    while (time.millis() < untilMs && time.step()) {}
  }

  @Test
  void itIsTriedEverMoreSeldomAndSaysWhatIsWrongUntilTheNameIsFree() {
    upstream.start();
    run(60_000);
    assertThat(attachesMs).hasSizeBetween(8, 14);
    assertThat(upstream.trouble())
        .contains("another gateway named \"p1\" is connected")
        .contains("Give each proxy a name of its own");
    inUse = false;
    run(70_000);
    assertThat(upstream.trouble()).isEmpty();
    upstream.close();
  }

  @Test
  void sessionsInUseAreAttachedBeforeOneThatBeginsSinceThatEndsWhatIsNotAttached() {
    upstream.start();
    List<Long> used = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      UpstreamSession own = upstream.open();
      own.submit((short) 1, new SequenceCommand.NextValue("s"), new NoTarget());
      used.add(own.id());
    }
    run(10);
    upstream.flush();
    attached.clear();
    listener.leadership(new Leadership(true, 2, "g1", "g1", "h:1"));
    assertThat(attached.subList(0, 5)).containsExactlyInAnyOrderElementsOf(used);
    assertThat(attached.subList(5, 6)).containsExactly(upstream.shared().id());
    upstream.close();
  }

  private static final class NoTarget implements ReplyTarget {
    @Override
    public void reply(boolean close, ByteBuf bytes) {
      throw new AssertionError("nothing is answered");
    }

    @Override
    public void lost(String message, String hint) {
      throw new AssertionError("nothing is lost");
    }
  }

  private final class Node implements LinkConnector, Link {
    @Override
    public String address() {
      return "h:1";
    }

    @Override
    public Link connect(LinkListener to) {
      listener = to;
      time.after(1, () -> to.leadership(new Leadership(true, 1, "g1", "g1", "h:1")));
      return this;
    }

    @Override
    public void attach(long session, boolean fresh, long acked, boolean proxied) {
      attachesMs.add(time.millis());
      attached.add(session);
      time.after(
          1,
          () -> {
            if (inUse && !proxied) {
              listener.refused(
                  session,
                  RefusalCode.NAME_IN_USE,
                  "another gateway named \"p1\" is connected",
                  "Give each proxy a name of its own.");
            } else {
              listener.attached(session, 0);
            }
          });
    }

    @Override
    public void present(LinkEntries entries) {
      throw new AssertionError("nothing was given");
    }

    @Override
    public void commands(long session, long acked, long first, int count, ByteBuf commands) {
      assertThat(attached).contains(session);
    }

    @Override
    public void pull(long id, boolean more) {
      throw new AssertionError("no long reply was told");
    }

    @Override
    public void closeSession(long session) {}

    @Override
    public void ping(long nonce) {
      time.after(1, () -> listener.pong(nonce));
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
      listener = null;
    }
  }
}
