package io.mgtm.gtm.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.gtm.wire.link.Leadership;
import io.mgtm.gtm.wire.link.LinkEntries;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** A gateway gives a new leader of mode lazy what the one before gave it to keep. */
class PresentedEntriesTest {
  private final SimTime time = new SimTime();
  private final List<String> told = new ArrayList<>();
  private final Node g1 = new Node("g1");
  private final Node g2 = new Node("g2");
  private final Node g3 = new Node("g3");
  private final GroupUpstream upstream =
      new GroupUpstream(
          "p1",
          new LinkNodes(List.of(g1, g2, g3), address -> g1),
          time,
          new SplittableRandom(1),
          () -> {},
          new GatewayMetrics(new SimpleMeterRegistry()));

  private void run(long ms) {
    long end = time.millis() + ms;
    while (time.millis() < end && time.step()) {}
  }

  private static LinkEntries entry(long term, long number, long stable) {
    return new LinkEntries(term, number, stable, List.of(new byte[] {(byte) number}));
  }

  @Test
  void entriesArePresentedBeforeTheSessionIsAttachedUntilALeaderHasTakenThem() {
    upstream.start();
    run(10);
    g1.leads(1);
    assertThat(told).containsExactly("g1 attach");
    g1.listener.attached(upstream.shared().id(), 0);
    g1.listener.entries(entry(1, 2, 1));
    g1.listener.entries(entry(1, 3, 1));
    told.clear();
    g2.leads(2);
    assertThat(told).containsExactly("g2 is given 2 to 3 of 1", "g2 attach");
    told.clear();
    // That one dies before it has taken anything.
    g3.leads(3);
    assertThat(told).containsExactly("g3 is given 2 to 3 of 1", "g3 attach");
    g2.listener.entries(entry(2, 9, 8));
    g3.listener.attached(upstream.shared().id(), 0);
    told.clear();
    g1.leads(4);
    assertThat(told).containsExactly("g1 attach");
    upstream.close();
  }

  @Test
  void aLeaderThatLeavesSomeOutIsConnectedToAnew() {
    upstream.start();
    run(10);
    g1.leads(1);
    g1.listener.attached(upstream.shared().id(), 0);
    g1.listener.entries(entry(1, 2, 1));
    told.clear();
    g1.listener.entries(entry(1, 4, 1));
    assertThat(told).containsExactly("g1 close");
    upstream.close();
  }

  private final class Node extends IdleLink implements LinkConnector {
    private final String name;
    private LinkListener listener;

    Node(String name) {
      this.name = name;
    }

    void leads(long term) {
      listener.leadership(new Leadership(true, term, name, name, name, null));
    }

    @Override
    public String address() {
      return name;
    }

    @Override
    public Link connect(LinkListener to) {
      listener = to;
      time.after(1, () -> to.leadership(new Leadership(false, 0, name, "", "", null)));
      return this;
    }

    @Override
    public void attach(long session, boolean fresh, long acked, boolean proxied) {
      told.add(name + " attach");
    }

    @Override
    public void present(LinkEntries e) {
      told.add("%s is given %d to %d of %d".formatted(name, e.first(), e.last(), e.term()));
    }

    @Override
    public void commands(long session, long acked, long first, int count, ByteBuf commands) {
      told.add(name + " commands");
    }

    @Override
    public void pull(long id, boolean more) {
      throw new AssertionError("no long reply was told");
    }

    @Override
    public void close() {
      told.add(name + " close");
    }
  }
}
