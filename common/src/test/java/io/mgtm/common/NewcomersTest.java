package io.mgtm.common;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class NewcomersTest {
  private static final int MAX = 3;
  private static final int WITHIN_MS = 1_000;

  private final Newcomers newcomers = new Newcomers(MAX, WITHIN_MS);
  private final List<String> told = new ArrayList<>();

  private EmbeddedChannel connect(String name) {
    EmbeddedChannel channel = new EmbeddedChannel();
    channel.freezeTime();
    newcomers.watch(channel);
    newcomers.watch(channel);
    channel
        .pipeline()
        .addLast(
            new ChannelInboundHandlerAdapter() {
              @Override
              public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
                told.add(name + ": " + ((Newcomers.TurnAway) event).message());
                ctx.close();
              }
            });
    return channel;
  }

  private static void pass(EmbeddedChannel channel, int ms) {
    channel.advanceTimeBy(ms, TimeUnit.MILLISECONDS);
    channel.runScheduledPendingTasks();
    channel.runPendingTasks();
  }

  @Test
  void whoStaysSilentGoes() {
    EmbeddedChannel silent = connect("silent");
    EmbeddedChannel known = connect("known");
    Newcomers.admitted(known.pipeline());
    Newcomers.admitted(known.pipeline());
    pass(silent, WITHIN_MS - 1);
    assertThat(told).isEmpty();
    pass(silent, 1);
    pass(known, WITHIN_MS);
    assertThat(told).containsExactly("silent: no startup packet came within 1000 ms");
    assertThat(silent.isOpen()).isFalse();
    assertThat(known.isOpen()).isTrue();
  }

  @Test
  void whoIsNotReadHasTime() {
    EmbeddedChannel unread = connect("unread");
    unread.config().setAutoRead(false);
    pass(unread, WITHIN_MS);
    unread.config().setAutoRead(true);
    assertThat(told).isEmpty();
    pass(unread, WITHIN_MS);
    assertThat(told).hasSize(1);
  }

  @Test
  void theLongestSilentMakesRoom() {
    List<EmbeddedChannel> channels = new ArrayList<>();
    for (int i = 0; i < MAX; i++) {
      channels.add(connect("c" + i));
    }
    Newcomers.admitted(channels.get(0).pipeline());
    channels.get(1).close();
    for (int i = MAX; i < 2 * MAX; i++) {
      channels.add(connect("c" + i));
    }
    channels.forEach(channel -> pass(channel, 0));
    assertThat(told).containsExactly("c2: too many connections have not said who they are");
  }
}
