package io.mgtm.block.link;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.mgtm.block.volume.CoreTiming;
import io.mgtm.block.volume.Generations;
import io.mgtm.block.volume.Identity;
import io.mgtm.block.volume.Role;
import io.mgtm.block.volume.VolumeCore;
import io.mgtm.block.volume.VolumeState;
import io.mgtm.block.wire.Newcomers;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

/** Whatever a peer sends, a target applies it inside the volume or ends the connection. */
class LinkFuzzTest {
  private static final long SIZE = 1 << 20;

  /** A target of a fresh volume behind a channel. */
  private static final class Rig {
    final QuietEffects effects = new QuietEffects();
    final VolumeCore core =
        new VolumeCore(
            VolumeState.fresh("v", "target", SIZE, 65_536, Role.SECONDARY, Generations.NONE),
            Map.of(),
            CoreTiming.DEFAULT,
            effects);
    final EmbeddedChannel channel;

    Rig() {
      effects.attach(core);
      channel =
          new EmbeddedChannel(
              new TargetConnection(
                  core, Compression.NONE, 60_000, new LinkSecurity(null, true), new Newcomers()));
      channel.freezeTime();
      channel.pipeline().fireChannelActive();
    }

    void feed(byte[] bytes) {
      if (channel.isOpen()) {
        channel.writeInbound(Unpooled.copiedBuffer(bytes));
        channel.runPendingTasks();
      }
    }

    /** It throws away what still comes, stays a moment so that its reason is read, and closes. */
    void assertEnds() {
      ByteBuf late = Unpooled.copiedBuffer(hello());
      channel.writeInbound(late);
      channel.runPendingTasks();
      assertThat(late.refCnt()).isZero();
      assertThat(channel.isOpen()).isTrue();
      channel.advanceTimeBy(LinkConnection.PARTING_MS, TimeUnit.MILLISECONDS);
      channel.runPendingTasks();
      assertThat(channel.isOpen()).isFalse();
    }

    void finish() {
      channel.checkException();
      channel.finishAndReleaseAll();
      for (QuietEffects.Range range : effects.written) {
        assertThat(range.offset()).isNotNegative();
        assertThat(range.offset() + range.length()).isBetween(1L, SIZE);
      }
      assertThat(core.receiver().isConnected()).isFalse();
    }
  }

  @FuzzTest(maxDuration = "30s")
  void anyBytesAreAppliedInsideTheVolumeOrEndTheConnection(byte[] bytes) {
    Rig rig = new Rig();
    rig.feed(bytes);
    rig.finish();
  }

  private static byte[] frame(
      int type, int flags, long seq, long offset, long range, byte[] payload) {
    ByteBuf frame = Unpooled.buffer();
    frame
        .writeInt(Frame.MAGIC)
        .writeByte(type)
        .writeByte(flags)
        .writeShort(0)
        .writeInt(payload.length);
    frame.writeInt((int) range).writeLong(seq).writeLong(offset);
    CRC32C crc = new CRC32C();
    crc.update(frame.nioBuffer());
    crc.update(payload);
    frame.writeInt((int) crc.getValue()).writeBytes(payload);
    byte[] bytes = LinkConnection.bytes(frame);
    frame.release();
    return bytes;
  }

  private static byte[] hello() {
    return frame(
        Frame.HELLO,
        0,
        0,
        0,
        0,
        Hello.write(
            new Identity(
                "v",
                "source",
                SIZE,
                65_536,
                Role.PRIMARY,
                Generations.NONE.with(5),
                true,
                false,
                false,
                "",
                "")));
  }

  @Test
  void framesWithRandomContentAndGoodChecksumsAreHandled() {
    for (long seed = 0; seed < 1_000; seed++) {
      Random random = new Random(seed * 7919);
      Rig rig = new Rig();
      if (random.nextInt(8) > 0) {
        rig.feed(hello());
      }
      int seq = 0;
      for (int i = random.nextInt(20); i > 0; i--) {
        int type = 1 + random.nextInt(Frame.TYPE_MAX);
        byte[] payload = new byte[random.nextInt(4) * 8];
        random.nextBytes(payload);
        seq += random.nextInt(16) == 0 ? 2 : 1;
        long offset = random.nextInt(4) == 0 ? random.nextLong() : random.nextInt((int) SIZE);
        long range = random.nextBoolean() ? payload.length : random.nextInt();
        rig.feed(frame(type, random.nextInt(16), seq, offset, range, payload));
      }
      rig.finish();
    }
  }

  @Test
  void aWriteBeforeTheIntroductionEndsTheConnection() {
    Rig rig = new Rig();
    rig.feed(frame(Frame.WRITE, 0, 1, 0, 8, new byte[8]));
    rig.assertEnds();
    assertThat(rig.effects.written).isEmpty();
    rig.finish();
  }

  @Test
  void aWritePastTheEndEndsTheConnectionAndChangesNothing() {
    Rig rig = new Rig();
    rig.feed(hello());
    assertThat(rig.core.receiver().isConnected()).isTrue();
    rig.feed(frame(Frame.WRITE, 0, 1, SIZE - 4, 8, new byte[8]));
    rig.assertEnds();
    assertThat(rig.effects.written).isEmpty();
    rig.finish();
  }

  @Test
  void aGapInTheSequenceEndsTheConnection() {
    Rig rig = new Rig();
    rig.feed(hello());
    rig.feed(frame(Frame.WRITE, 0, 2, 0, 8, new byte[8]));
    assertThat(rig.effects.written).isEmpty();
    rig.assertEnds();
    rig.finish();
  }

  @Test
  void aSourceOfAnotherSizeIsRefusedWithBothSizes() {
    Rig rig = new Rig();
    rig.feed(
        frame(
            Frame.HELLO,
            0,
            0,
            0,
            0,
            Hello.write(
                new Identity(
                    "v",
                    "source",
                    2 * SIZE,
                    65_536,
                    Role.PRIMARY,
                    Generations.NONE.with(5),
                    true,
                    false,
                    false,
                    "",
                    ""))));
    ByteBuf answer = rig.channel.readOutbound();
    String text = answer.toString(java.nio.charset.StandardCharsets.UTF_8);
    answer.release();
    assertThat(text).contains("UNFIT").contains("has 1M").contains("source 2M");
    rig.finish();
  }
}
