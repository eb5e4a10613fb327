package io.mgtm.gtm.node.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.gtm.command.GatewayKind;
import io.mgtm.gtm.config.GtmConfig;
import io.mgtm.gtm.net.PartialBudget;
import io.mgtm.gtm.node.engine.NoEngine;
import io.mgtm.gtm.wire.link.LinkFormat;
import io.mgtm.gtm.wire.link.LinkWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.DefaultEventExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A link whose owner is another thread, and busy. */
class HandOverTest {
  private static final int PINGS_A_READ = 1_000;

  private final DefaultEventExecutor owner = new DefaultEventExecutor();
  private final CountDownLatch busy = new CountDownLatch(1);

  @AfterEach
  void stop() {
    busy.countDown();
    owner.shutdownGracefully(0, 0, TimeUnit.SECONDS).syncUninterruptibly();
  }

  private EmbeddedChannel link() throws Exception {
    EmbeddedChannel channel =
        EmbeddedConnections.link(
            new EmbeddedChannel(),
            new NoEngine(),
            null,
            LinkKeys.read(GtmConfig.DEFAULTS),
            new PartialBudget(1),
            EmbeddedConnections::fails,
            owner);
    ByteBuf hello = Unpooled.buffer();
    LinkWriter.preface(hello, LinkFormat.VERSION);
    LinkWriter.hello(hello, "p1", GatewayKind.PROXY);
    channel.writeInbound(hello);
    owner.submit(() -> {}).get();
    take(channel);
    return channel;
  }

  private static int take(EmbeddedChannel channel) {
    channel.runPendingTasks();
    int bytes = 0;
    for (ByteBuf out = channel.readOutbound(); out != null; out = channel.readOutbound()) {
      bytes += out.readableBytes();
      out.release();
    }
    return bytes;
  }

  private static ByteBuf pings(List<Integer> sizes) {
    ByteBuf pings = Unpooled.buffer();
    for (int i = 0; i < PINGS_A_READ; i++) {
      LinkWriter.ping(pings, i);
    }
    sizes.add(pings.readableBytes());
    return pings;
  }

  @Test
  void aBusyOwnerIsNotOutrun() throws Exception {
    EmbeddedChannel channel = link();
    CountDownLatch begun = new CountDownLatch(1);
    owner.execute(
        () -> {
          begun.countDown();
          try {
            busy.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
    begun.await(); // else it is one of the tasks that wait
    List<Integer> reads = new ArrayList<>();
    while (channel.config().isAutoRead() && reads.size() < 1_000) {
      channel.writeInbound(pings(reads));
    }
    int read = reads.stream().mapToInt(Integer::intValue).sum();
    assertThat(read)
        .as("read while the owner took nothing")
        .isBetween(HandOver.BYTES_MAX, HandOver.BYTES_MAX + reads.get(0));
    assertThat(owner.pendingTasks()).as("one task a read").isEqualTo(reads.size());

    busy.countDown();
    owner.submit(() -> {}).get();
    int answered = take(channel);
    assertThat(channel.config().isAutoRead()).as("read again").isTrue();
    ByteBuf pong = Unpooled.buffer();
    LinkWriter.pong(pong, 1);
    assertThat(answered).isEqualTo(reads.size() * PINGS_A_READ * pong.readableBytes());
  }
}
