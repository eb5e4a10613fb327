package io.mgtm.gtm.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.mgtm.gtm.wire.link.LinkFormat;
import io.mgtm.gtm.wire.link.LinkStreams;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;

/** Whatever a peer sends over a link: frames or a documented exception, however it is cut. */
class LinkFuzzTest {
  private static final int FRAME_BYTES_MAX = 4_096;

  @FuzzTest(maxDuration = "1m")
  void aGatewaysBytes(byte[] data) {
    ByteBuf stream = Unpooled.buffer();
    stream.writeInt(LinkFormat.MAGIC).writeShort(LinkFormat.VERSION).writeShort(0);
    stream.writeBytes(data);
    assertThat(LinkStreams.ofGateway(FRAME_BYTES_MAX, halves(stream)))
        .isEqualTo(LinkStreams.ofGateway(FRAME_BYTES_MAX, List.of(stream)));
  }

  @FuzzTest(maxDuration = "1m")
  void aNodesBytes(byte[] data) {
    ByteBuf stream = Unpooled.wrappedBuffer(data);
    assertThat(LinkStreams.ofNode(FRAME_BYTES_MAX, halves(stream)))
        .isEqualTo(LinkStreams.ofNode(FRAME_BYTES_MAX, List.of(stream)));
  }

  private static List<ByteBuf> halves(ByteBuf stream) {
    int at = stream.readableBytes() / 2;
    return List.of(stream.slice(0, at), stream.slice(at, stream.readableBytes() - at));
  }
}
