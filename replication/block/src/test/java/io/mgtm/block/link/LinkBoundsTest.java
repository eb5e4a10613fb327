package io.mgtm.block.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.block.intent.IntentBitmap;
import io.mgtm.block.volume.CoreTiming;
import io.mgtm.block.volume.Generations;
import io.mgtm.block.volume.Identity;
import io.mgtm.block.volume.Role;
import io.mgtm.block.volume.VolumeCore;
import io.mgtm.block.volume.VolumeState;
import io.mgtm.block.wire.LinkKey;
import io.mgtm.block.wire.Newcomers;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a peer may take, before it has proved who it is and after. */
class LinkBoundsTest {
  private static final long SIZE = 1 << 20;
  private static final int CHUNK = 65_536;
  private static final int UNPROVED_BYTES_MAX = 64;

  private final QuietEffects effects = new QuietEffects();
  private final Newcomers newcomers = new Newcomers();
  private final List<EmbeddedChannel> channels = new ArrayList<>();
  private VolumeCore core = target(0);

  /** A target that keeps track of so many others already. */
  private VolumeCore target(int others) {
    VolumeState state =
        VolumeState.fresh("v", "target", SIZE, CHUNK, Role.SECONDARY, Generations.NONE);
    Map<String, IntentBitmap> bitmaps = new HashMap<>();
    for (int i = 0; i < others; i++) {
      state = state.withSlot("other" + i, new VolumeState.Slot(1, false));
      bitmaps.put("other" + i, new IntentBitmap(state.chunks()));
    }
    VolumeCore made = new VolumeCore(state, bitmaps, CoreTiming.DEFAULT, effects);
    effects.attach(made);
    return made;
  }

  private EmbeddedChannel connect(LinkSecurity security) {
    EmbeddedChannel channel =
        new EmbeddedChannel(
            new TargetConnection(core, Compression.NONE, 60_000, security, newcomers));
    channel.freezeTime();
    channel.pipeline().fireChannelActive();
    channels.add(channel);
    return channel;
  }

  private EmbeddedChannel proved() {
    return connect(new LinkSecurity(null, true));
  }

  @AfterEach
  void close() {
    channels.forEach(EmbeddedChannel::finishAndReleaseAll);
  }

  private static ByteBuf header(int type, long seq, long offset, int payload) {
    return Unpooled.buffer()
        .writeInt(Frame.MAGIC)
        .writeByte(type)
        .writeByte(0)
        .writeShort(0)
        .writeInt(payload)
        .writeInt(0)
        .writeLong(seq)
        .writeLong(offset);
  }

  private static ByteBuf frame(int type, long seq, long offset, byte[] payload) {
    ByteBuf frame = header(type, seq, offset, payload.length);
    CRC32C crc = new CRC32C();
    crc.update(frame.nioBuffer());
    crc.update(payload);
    return frame.writeInt((int) crc.getValue()).writeBytes(payload);
  }

  private static ByteBuf hello() {
    Identity source =
        new Identity(
            "v",
            "source",
            SIZE,
            CHUNK,
            Role.PRIMARY,
            Generations.NONE.with(5),
            true,
            false,
            false,
            "",
            "");
    return frame(Frame.HELLO, 0, 0, Hello.write(source));
  }

  /** Answers what came back, as text. */
  private static String feed(EmbeddedChannel channel, ByteBuf bytes) {
    channel.writeInbound(bytes);
    channel.runPendingTasks();
    return answers(channel);
  }

  private static String answers(EmbeddedChannel channel) {
    StringBuilder text = new StringBuilder();
    for (ByteBuf out = channel.readOutbound(); out != null; out = channel.readOutbound()) {
      text.append(out.toString(StandardCharsets.UTF_8));
      out.release();
    }
    return text.toString();
  }

  private static void assertEnds(EmbeddedChannel channel) {
    channel.advanceTimeBy(LinkConnection.PARTING_MS, TimeUnit.MILLISECONDS);
    channel.runScheduledPendingTasks();
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void aSideWithoutAKeyThatFacesOneWithIsToldSoInBothDirections() {
    LinkSecurity keyed = new LinkSecurity(LinkKey.random(), false);
    assertThat(feed(connect(keyed), hello())).contains("is dialled has a link key");
    EmbeddedChannel open = connect(LinkSecurity.OPEN);
    assertThat(feed(open, frame(Frame.AUTH, 0, 0, new byte[32]))).contains("is dialled has none");
    assertEnds(open);
  }

  @Test
  void beforeTheProofNoFrameButAShortProofIsTaken() {
    LinkSecurity keyed = new LinkSecurity(LinkKey.random(), false);
    for (int type : new int[] {Frame.HELLO, Frame.ASK, Frame.WRITE, Frame.READ, Frame.BITS}) {
      EmbeddedChannel channel = connect(keyed);
      feed(channel, header(type, 1, 0, type == Frame.READ ? 0 : 8).writeInt(0));
      assertEnds(channel);
    }
    EmbeddedChannel channel = connect(keyed);
    // Its header is enough: nothing is set aside for what it announces.
    feed(channel, header(Frame.AUTH, 0, 0, UNPROVED_BYTES_MAX + 1).writeInt(0));
    assertEnds(channel);
    assertThat(core.receiver().isConnected()).isFalse();
  }

  @Test
  void ofTooManyThatDoNotIntroduceThemselvesTheOldestGoes() {
    EmbeddedChannel known = proved();
    feed(known, hello());
    assertThat(core.receiver().isConnected()).isTrue();
    EmbeddedChannel oldest = proved();
    for (int i = 1; i < Newcomers.MAX; i++) {
      proved();
    }
    assertThat(oldest.isOpen()).isTrue();
    proved();
    oldest.runPendingTasks();
    assertThat(answers(oldest)).contains("too many connections");
    assertEnds(oldest);
    assertThat(known.isOpen()).isTrue();
    assertThat(core.receiver().isConnected()).isTrue();
  }

  @Test
  void whoDoesNotIntroduceItselfIsCutOff() {
    EmbeddedChannel channel = proved();
    // The channel's clock ran on for a moment before the test stopped it.
    channel.advanceTimeBy(LinkConnection.INTRODUCTION_MS_MAX / 2, TimeUnit.MILLISECONDS);
    channel.runScheduledPendingTasks();
    assertThat(channel.isOpen()).isTrue();
    channel.advanceTimeBy(LinkConnection.INTRODUCTION_MS_MAX / 2, TimeUnit.MILLISECONDS);
    channel.runScheduledPendingTasks();
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void aPeerGrowsAVolumeByWholeSectorsToSoManyChunksAndNeverShrinksIt() {
    long[] refused = {
      -1, 0, SIZE - 512, SIZE + 1, (long) CHUNK * VolumeState.CHUNKS_MAX, Long.MAX_VALUE / 512 * 512
    };
    for (long size : refused) {
      core = target(0);
      EmbeddedChannel channel = proved();
      feed(channel, hello());
      assertThat(feed(channel, frame(Frame.RESIZE, 1, size, new byte[0])))
          .contains("a new size of");
      assertEnds(channel);
    }
    assertThat(effects.grown).isEmpty();
    core = target(0);
    EmbeddedChannel channel = proved();
    feed(channel, hello());
    feed(channel, frame(Frame.RESIZE, 1, SIZE + 512, new byte[0]));
    assertThat(effects.grown).containsExactly(SIZE + 512);
  }

  @Test
  void aCopyKeepsTrackOfSoManyOthers() {
    core = target(31);
    feed(proved(), hello());
    assertThat(core.receiver().isConnected()).isTrue();
    core = target(32);
    EmbeddedChannel channel = proved();
    assertThat(feed(channel, hello())).contains("keeps track of 32 others already");
    assertThat(core.receiver().isConnected()).isFalse();
  }
}
