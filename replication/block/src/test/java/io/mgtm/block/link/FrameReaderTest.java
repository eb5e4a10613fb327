package io.mgtm.block.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.block.volume.Generations;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FrameReaderTest implements FrameHandler {
  private record Seen(int type, int flags, long seq, long offset, long rangeLength, ByteBuf bytes) {
    byte[] payload() {
      return LinkConnection.bytes(bytes);
    }
  }

  private final List<Seen> seen = new ArrayList<>();
  private final FrameReader reader = new FrameReader(UnpooledByteBufAllocator.DEFAULT, this);
  private final EmbeddedChannel channel = new EmbeddedChannel();
  private boolean blocked;

  @AfterEach
  void close() {
    reader.close();
    channel.finishAndReleaseAll();
  }

  @Override
  public void frame(int type, int flags, long seq, long offset, long rangeLength, ByteBuf payload) {
    seen.add(new Seen(type, flags, seq, offset, rangeLength, Unpooled.copiedBuffer(payload)));
  }

  @Override
  public boolean isBlocked() {
    return blocked;
  }

  private byte[] written() {
    channel.runPendingTasks();
    ByteBuf all = Unpooled.buffer();
    for (ByteBuf out = channel.readOutbound(); out != null; out = channel.readOutbound()) {
      all.writeBytes(out);
      out.release();
    }
    byte[] bytes = LinkConnection.bytes(all);
    all.release();
    return bytes;
  }

  private static ByteBuf random(int length, boolean compressible) {
    Random random = new Random(length);
    ByteBuf data = Unpooled.directBuffer(length);
    for (int i = 0; i < length; i++) {
      data.writeByte(compressible ? i / 64 : random.nextInt());
    }
    return data;
  }

  @ParameterizedTest
  @EnumSource(Compression.class)
  void framesArriveAsTheyWereWrittenHoweverTheStreamIsCut(Compression compression)
      throws LinkException {
    LinkWriter writer = new LinkWriter(channel, compression);
    ByteBuf small = random(700, true);
    ByteBuf large = random(100_000, true);
    ByteBuf noise = random(40_000, false);
    writer.data(Frame.WRITE, Frame.FLAG_FUA, 1, 4096, small);
    writer.data(Frame.WRITE, 0, 2, 8192, large);
    writer.data(Frame.WRITE, 0, 3, 0, noise);
    writer.bare(Frame.ZERO, Frame.FLAG_UNMAP, 4, 65_536, 4_000_000_000L);
    writer.ack(5, 4, 3);
    writer.generations(Frame.SYNC_START, 6, 17, Generations.NONE.with(9).with(-8));
    writer.checksum(7, new byte[32]);
    writer.bits(IntStream.of(1, 2, 3, 9, 11, 12).iterator());
    byte[] stream = written();
    for (int piece : new int[] {1, 7, 36, 1000, stream.length}) {
      seen.clear();
      for (int at = 0; at < stream.length; at += piece) {
        reader.feed(Unpooled.copiedBuffer(stream, at, Math.min(piece, stream.length - at)));
      }
      assertThat(seen).hasSize(8);
      assertThat(seen.get(0).flags() & Frame.FLAG_FUA).isEqualTo(Frame.FLAG_FUA);
      assertThat(seen.get(0).payload()).isEqualTo(LinkConnection.bytes(small));
      assertThat(seen.get(1).payload()).isEqualTo(LinkConnection.bytes(large));
      assertThat(seen.get(2).payload()).isEqualTo(LinkConnection.bytes(noise));
      assertThat(seen.get(3).rangeLength()).isEqualTo(4_000_000_000L);
      assertThat(seen.get(3).offset()).isEqualTo(65_536);
      assertThat(seen.get(5).payload()).hasSize(16);
      assertThat(seen.get(7).payload()).as("three runs").hasSize(24);
    }
    if (compression != Compression.NONE) {
      assertThat(writer.bytesAfter()).isLessThan(writer.bytesBefore() / 2);
    }
    small.release();
    large.release();
    noise.release();
    writer.close();
  }

  @Test
  void everyDamagedBitIsNoticed() {
    LinkWriter writer = new LinkWriter(channel, Compression.NONE);
    writer.ack(1, 1, 1);
    byte[] good = written();
    for (int bit = 0; bit < good.length * 8; bit++) {
      byte[] bad = good.clone();
      bad[bit / 8] ^= (byte) (1 << (bit % 8));
      FrameReader fresh = new FrameReader(UnpooledByteBufAllocator.DEFAULT, this);
      try {
        fresh.feed(Unpooled.wrappedBuffer(bad));
      } catch (LinkException expected) {
        assertThat(expected).hasMessageContaining("frame");
      }
      fresh.close();
    }
    assertThat(seen).isEmpty();
  }

  @Test
  void framesThatAreTooLongAreRefusedBeforeAnythingIsAllocated() {
    ByteBuf header = Unpooled.buffer();
    header
        .writeInt(Frame.MAGIC)
        .writeByte(Frame.WRITE)
        .writeByte(0)
        .writeShort(0)
        .writeInt(Integer.MAX_VALUE);
    header.writeZero(Frame.HEADER_BYTES - header.writerIndex());
    assertThatThrownBy(() -> reader.feed(header))
        .isInstanceOf(LinkException.class)
        .hasMessageContaining("more than it may");
  }

  @Test
  void framesWaitWhileTheHandlerIsBlocked() throws LinkException {
    LinkWriter writer = new LinkWriter(channel, Compression.NONE);
    writer.ack(1, 1, 1);
    writer.ack(2, 2, 2);
    blocked = true;
    reader.feed(Unpooled.wrappedBuffer(written()));
    assertThat(seen).isEmpty();
    assertThat(reader.holdsBack()).isTrue();
    blocked = false;
    reader.drain();
    assertThat(seen).hasSize(2);
  }

  @Test
  void damagedCompressedDataIsRefused() {
    ByteBuf data = random(5000, true);
    for (Compression compression : new Compression[] {Compression.LZ4, Compression.ZSTD}) {
      ByteBuf packed = compression.compress(UnpooledByteBufAllocator.DEFAULT, data);
      assertThatThrownBy(
              () ->
                  Compression.restore(
                      UnpooledByteBufAllocator.DEFAULT,
                      compression.flag(),
                      packed.slice(0, 20),
                      5000))
          .isInstanceOf(LinkException.class);
      assertThatThrownBy(
              () ->
                  Compression.restore(
                      UnpooledByteBufAllocator.DEFAULT, compression.flag(), packed, 4999))
          .isInstanceOf(LinkException.class);
      packed.release();
    }
    data.release();
  }
}
