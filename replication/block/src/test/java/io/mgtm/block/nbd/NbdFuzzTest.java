package io.mgtm.block.nbd;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.mgtm.block.wire.Newcomers;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;

/**
 * Whatever a client sends, the server answers or ends the connection; it leaks nothing and throws
 * nothing.
 */
class NbdFuzzTest {
  @FuzzTest(maxDuration = "30s")
  void anyBytesAreAnsweredOrEndTheConnection(byte[] bytes) {
    feed(bytes);
  }

  static void feed(byte[] bytes) {
    MemoryExport export = new MemoryExport(1 << 20);
    EmbeddedChannel channel =
        new EmbeddedChannel(
            new NbdHandshakeHandler(export, new NbdMeter(), NbdTls.NONE, new Newcomers()));
    channel.pipeline().fireChannelActive();
    int cut = bytes.length / 3;
    for (ByteBuf part :
        new ByteBuf[] {
          Unpooled.copiedBuffer(bytes, 0, cut),
          Unpooled.copiedBuffer(bytes, cut, bytes.length - cut)
        }) {
      if (channel.isOpen()) {
        channel.writeInbound(part);
        channel.runPendingTasks();
      } else {
        part.release();
      }
    }
    channel.checkException();
    channel.finishAndReleaseAll();
    assertThat(export.clients).isZero();
  }
}
