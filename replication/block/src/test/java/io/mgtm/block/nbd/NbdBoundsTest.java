package io.mgtm.block.nbd;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.block.wire.Newcomers;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a client may take before it has said what it wants. */
class NbdBoundsTest {
  private static final int NAME_AND_COUNT_BYTES = 6;

  private final MemoryExport export = new MemoryExport(1 << 20);
  private final Newcomers newcomers = new Newcomers();
  private final List<EmbeddedChannel> channels = new ArrayList<>();

  @AfterEach
  void close() {
    channels.forEach(EmbeddedChannel::finishAndReleaseAll);
    assertThat(export.clients).isZero();
  }

  private EmbeddedChannel connect() {
    EmbeddedChannel channel =
        new EmbeddedChannel(
            new NbdHandshakeHandler(export, new NbdMeter(), NbdTls.NONE, newcomers));
    channel.freezeTime();
    channel.pipeline().fireChannelActive();
    channels.add(channel);
    send(channel, Unpooled.buffer().writeInt(3));
    return channel;
  }

  /** Answers how many bytes came back. */
  private static int send(EmbeddedChannel channel, ByteBuf bytes) {
    channel.writeInbound(bytes);
    channel.runPendingTasks();
    int answered = 0;
    for (ByteBuf out = channel.readOutbound(); out != null; out = channel.readOutbound()) {
      answered += out.readableBytes();
      out.release();
    }
    return answered;
  }

  private static ByteBuf option(int option, ByteBuf data) {
    ByteBuf whole = Unpooled.buffer();
    whole.writeLong(Nbd.OPTION_MAGIC).writeInt(option).writeInt(data.readableBytes());
    whole.writeBytes(data);
    data.release();
    return whole;
  }

  private static ByteBuf infos(int count) {
    ByteBuf data = Unpooled.buffer().writeInt(0).writeShort(count);
    for (int i = 0; i < count; i++) {
      data.writeShort(Nbd.INFO_DESCRIPTION);
    }
    return data;
  }

  @Test
  void soManyOptionsAreAnsweredAndNoMore() {
    EmbeddedChannel channel = connect();
    for (int i = 0; i < NbdHandshakeHandler.OPTIONS_MAX; i++) {
      assertThat(send(channel, option(Nbd.OPT_LIST, Unpooled.buffer()))).isPositive();
    }
    assertThat(channel.isOpen()).isTrue();
    assertThat(send(channel, option(Nbd.OPT_LIST, Unpooled.buffer()))).isZero();
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void oneOptionAsksForSoMuchInformationAndNoMore() {
    EmbeddedChannel channel = connect();
    int most = NbdHandshakeHandler.INFOS_MAX;
    int enough = send(channel, option(Nbd.OPT_INFO, infos(most)));
    assertThat(enough).isGreaterThan(most * NAME_AND_COUNT_BYTES);
    int refused = send(channel, option(Nbd.OPT_INFO, infos(most + 1)));
    assertThat(refused).isPositive().isLessThan(200);
    assertThat(send(channel, option(Nbd.OPT_INFO, infos(30_000)))).isLessThan(200);
    assertThat(channel.isOpen()).isTrue();
  }

  @Test
  void anOptionThatIsTooLongIsRefusedByItsHeader() {
    EmbeddedChannel channel = connect();
    send(
        channel,
        Unpooled.buffer()
            .writeLong(Nbd.OPTION_MAGIC)
            .writeInt(Nbd.OPT_INFO)
            .writeInt(Nbd.OPTION_BYTES_MAX + 1));
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void ofTooManyThatNegotiateTheOldestGoesAndThoseThatAreThroughDoNotCount() {
    EmbeddedChannel through = connect();
    send(through, option(Nbd.OPT_GO, infos(0)));
    EmbeddedChannel oldest = connect();
    for (int i = 1; i < Newcomers.MAX; i++) {
      connect();
    }
    assertThat(oldest.isOpen()).isTrue();
    EmbeddedChannel last = connect();
    assertThat(oldest.isOpen()).isFalse();
    assertThat(last.isOpen()).isTrue();
    assertThat(through.isOpen()).isTrue();
  }

  @Test
  void whoDoesNotFinishItsNegotiationIsCutOff() {
    EmbeddedChannel channel = connect();
    channel.advanceTimeBy(29, TimeUnit.SECONDS);
    channel.runScheduledPendingTasks();
    assertThat(channel.isOpen()).isTrue();
    channel.advanceTimeBy(1, TimeUnit.SECONDS);
    channel.runScheduledPendingTasks();
    assertThat(channel.isOpen()).isFalse();
  }
}
